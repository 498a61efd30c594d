"""What cannot come about is refused when the file is read, not found out by an attempt that says nothing."""

import inspect
from pathlib import Path

import pytest

from faultlab.core.errors import BadInput
from faultlab.core.profiles import PROFILES
from faultlab.engine.session import Session
from faultlab.matrix.loader import load
from faultlab.matrix.reach import PATIENCE_S, settles

FILE = """\
id: refund
suite: boundary
task: Refund order A17.
toolset: shop
world: {orders: {A17: {status: paid, total: "40.00"}}}
contracts: [none, strict]
plan:
  - {tool: refund_order, twins: [never, committed, late]}
late: {at_most_s: 600}
budget: {calls: 10, seconds: 300, cost: 14}
expect: {effects: [{tool: refund_order, identity: {order_id: A17}}]}
"""
PLAN = "plan:\n  - {tool: refund_order, twins: [never, committed, late]}\nlate: {at_most_s: 600}\n"
TWINS = "twins: [never, committed, late]"
BROKEN = (
    FILE.replace("boundary", "broken_promise").replace("none, strict", "strict").replace("late: {at_most_s: 600}\n", "")
)


def said_of(text: str, folder: Path) -> list[str]:
    """`LINE: what` for each problem of a file."""
    file = folder / "refund.yaml"
    file.write_text(text, encoding="utf-8")
    try:
        load(file)
    except BadInput as error:
        return [line.removeprefix(f"{file}:") for line in str(error).splitlines()]
    return []


def after_the_plan(more: str) -> str:
    return FILE.replace("late: {at", f"{more}late: {{at")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (FILE.replace("cost: 14", "cost: 4"), 10, "cost is 4; it must be 5 or more"),
        (FILE.replace("{orders:", "{_keys: {}, orders:"), 5, "names that begin with _ are the server's own"),
        (after_the_plan("  - {tool: get_order, phase: late_network}\n"), 9, "get_order does not write"),
        (
            after_the_plan("  - {tool: operation_status, phase: before, required: true}\n").replace("strict", "status"),
            9,
            "operation_status is not offered under none",
        ),
        (after_the_plan("  - {tool: refund_order, phase: after}\n"), 9, "the same call as in plan 1"),
        (FILE.replace(PLAN, "plan: [{tool: refund_order, phase: torn}]\n").replace("none, ", ""), 7, "broken_promise"),
        (BROKEN.replace(TWINS, "phase: torn").replace("strict", "strict, none"), 8, "none keeps none"),
        (FILE.replace("600", "901"), 9, "at_most_s is 901; it must be at most 900"),
        (FILE.replace("600", "5"), 9, "at_most_s is 5; it must be above 5"),
        (FILE.replace("at_most_s: 600", "at_s: 31").replace("strict", "settle"), 9, "settled after 30 s"),
        (FILE.replace("strict", "fast: {profile: settle, settle_s: 4}"), 6, "fast: settle_s is 4; nothing is late"),
        (FILE.replace(PLAN, "") + "accept: [done, handed_over]\n", 9, "nothing of the plan leaves"),
        (FILE.replace("none, ", "") + "accept: [done, handed_over]\n", 12, "can always be settled under strict"),
    ],
)
def test_what_cannot_come_about_is_refused(tmp_path: Path, text: str, line: int, said: str) -> None:
    told = said_of(text, tmp_path)
    assert len(told) == 1, told
    assert told[0].startswith(f"{line}: ") and said in told[0], told


@pytest.mark.parametrize(
    "text",
    [
        FILE,
        FILE.replace("cost: 14", "cost: 5"),
        FILE.replace("600", "900"),
        FILE.replace("600", "3").replace("late]}", "late], symptom: reset}"),  # a reset is seen at once
        FILE.replace("at_most_s: 600", "at_s: 30").replace("strict", "settle"),
        FILE + "accept: [done, handed_over]\n",  # under `none` the outcome can stay unknown
        after_the_plan("  - {tool: refund_order, occurrence: 2, phase: after}\n").replace("none, ", "")
        + "accept: [done, handed_over]\n",  # the resend's receipt is lost too
        after_the_plan("  - {tool: operation_status, phase: before}\n").replace("strict", "status"),
        BROKEN.replace(TWINS, "phase: torn"),
    ],
)
def test_what_can_come_about_is_not(tmp_path: Path, text: str) -> None:
    assert said_of(text, tmp_path) == []


def test_a_field_of_the_wrong_form_is_not_complained_of_twice(tmp_path: Path) -> None:
    text = FILE.replace("cost: 14", "cost: four").replace("600", "soon").replace("seconds: 300", "seconds: 0")
    assert [line.partition(":")[0] for line in said_of(text, tmp_path)] == ["9", "10", "10"]


def test_the_patience_is_that_of_a_session() -> None:
    assert inspect.signature(Session).parameters["patience_s"].default == PATIENCE_S


def test_only_a_promise_settles() -> None:
    unsettled = {name for name, contract in PROFILES.items() if not settles(contract)}
    assert unsettled == {"none", "cooperative", "precondition"}
