"""What happened before an attempt: on the server's own time, in the history, and in what the agent may still know."""

from pathlib import Path
from typing import Any

import pytest
from lives import PRIOR, group_of, lived, prior_twins, written

from faultlab.agents.careful import careful, careful_async
from faultlab.agents.catalog import AGENTS
from faultlab.core.agent import ToolError
from faultlab.core.clock import NS
from faultlab.core.errors import BadInput
from faultlab.core.history import History
from faultlab.core.records import Ask, Call, Claim, Forgot, Note, Receipt
from faultlab.core.trace import dump, load
from faultlab.matrix.loader import load as load_scenario
from faultlab.matrix.row import Job, Place, result_of
from faultlab.matrix.scenario import Group
from faultlab.report.timeline import timeline_of
from faultlab.report.timeline_text import moment, timeline_lines
from faultlab.rules.judge import judge

HOUR_S = 3600
CONTRACTS = ("none", "status", "fence", "settle", "strict", "stripe_v1")


def calls(history: History) -> list[Call]:
    return [event for event in history.events if type(event) is Call]


def test_prior_calls_stand_first_with_numbers_and_times_below_0(tmp_path: Path) -> None:
    group = group_of(
        tmp_path, f"prior:\n  - {PRIOR}, fault: after}}\n  - {{tool: get_order, args: {{order_id: A17}}, at_s: -60}}"
    )
    history = lived(careful, group, "clean")
    before = [event for event in history.events if event.t < 0]
    assert before == history.events[: len(before)]
    assert [call.n for call in calls(history)][:3] == [-2, -1, 1]
    assert calls(history)[0].t == -90000 * NS
    lost = next(event for event in before if type(event) is Receipt)
    assert (lost.call, lost.error, lost.t) == (-2, "ReadTimeout", -89995 * NS)
    assert load(dump(history)) == history
    assert [effect.t for effect in history.ledger] == [-90000 * NS]


@pytest.mark.parametrize("record", ["kept", "lost"])
@pytest.mark.parametrize("contract", CONTRACTS)
def test_careful_does_not_send_blindly_what_was_sent_before(contract: str, record: str, tmp_path: Path) -> None:
    group = group_of(tmp_path, prior_twins(f", record: {record}"), contract)
    for agent in (careful, careful_async, AGENTS["oracle"]):
        for twin in group.twins:
            history = lived(agent, group, twin)
            verdict = judge(history)
            assert not verdict.codes, (twin, verdict.findings)
            assert len(history.ledger) <= 1


def test_an_expired_key_executes_again_and_whoever_trusts_it_pays_twice(tmp_path: Path) -> None:
    group = group_of(tmp_path, prior_twins(), "stripe_v1")
    assert judge(lived(careful, group, "committed")).knowledge == (("refund_order(A17)", "applied"),)
    paid = judge(lived(AGENTS["same_key"], group, "committed"))
    assert "FL101" in paid.codes
    assert any("the window of 86400 s is over" in finding.text for finding in paid.findings)
    strict = group_of(tmp_path, prior_twins(), "strict")
    history = lived(AGENTS["same_key"], strict, "committed")
    assert len(history.ledger) == 1, "the server rejects an expired key"
    assert "FL304" not in judge(history).codes


def test_a_key_still_inside_its_window_protects_the_resend(tmp_path: Path) -> None:
    young = prior_twins().replace("-90000", "-600")
    for contract in ("strict", "stripe_v1"):
        group = group_of(tmp_path, young, contract)
        for twin in group.twins[1:]:
            history = lived(careful, group, twin)
            assert len(history.ledger) == 1
            assert history.claim is not None and history.claim.status == "done"
            assert calls(history)[-1].key == "k-1"
            assert not judge(history).codes


def test_what_is_on_its_way_since_before_lands_when_the_agent_has_looked(tmp_path: Path) -> None:
    history = lived(careful, group_of(tmp_path, prior_twins()), "late")
    assert history.ledger[0].t > 0
    looked = next(call for call in calls(history) if call.tool == "list_refunds")
    assert history.ledger[0].t == looked.t
    settled = lived(careful, group_of(tmp_path, prior_twins(), "settle"), "late")
    assert settled.ledger[0].t < 0, "the contract says that nothing takes longer"


def test_a_landing_that_nobody_wakes_is_counted_from_the_start_of_the_attempt(tmp_path: Path) -> None:
    history = lived(AGENTS["giver_up"], group_of(tmp_path, f"late: {{at_s: 20}}\n{prior_twins()}"), "late")
    assert [effect.t for effect in history.ledger] == [20 * NS]
    assert history.horizon_ns > 20 * NS


def test_prior_calls_cost_nothing(tmp_path: Path) -> None:
    twins = prior_twins(", record: lost")
    group = group_of(tmp_path, twins + "\nbudget: {calls: 3, cost: 8}")
    history = lived(careful, group, "never")
    assert len([call for call in calls(history) if call.n > 0]) == 3
    assert not {"FL401", "FL402", "FL403"} & set(judge(history).codes)
    result = result_of(Job(1, "careful", 0, "never", 1), Place.of(group), history, judge(history))
    assert result.calls == 3


def test_the_store_holds_what_was_sent_and_the_caller_has_forgotten_the_rest(tmp_path: Path) -> None:
    def looks(task: Any, env: Any) -> Claim:
        seen.append((dict(env.store), env.resumed, env.calls, env.now()))
        return Claim.unknown()

    seen: list[Any] = []
    record = {
        "tool": "refund_order",
        "args": {"order_id": "A17", "amount": "40.00"},
        "key": "k-1",
        "reference": "r-1",
        "scope": None,
        "first_sent_s": -90000.0,
    }
    kept = lived(looks, group_of(tmp_path, prior_twins(), "strict"), "committed")
    lost = lived(looks, group_of(tmp_path, prior_twins(", record: lost"), "strict"), "committed")
    assert seen == [({"sent/refund_order(A17)": record}, True, 0, 0.0), ({}, True, 0, 0.0)]
    assert (calls(kept)[0].key, calls(kept)[0].reference) == ("k-1", "r-1")
    assert (calls(lost)[0].key, calls(lost)[0].reference) == (None, None)
    assert lost.ledger[0].reference == "r-1"


def test_all_twins_that_differ_in_what_happened_before_look_alike(tmp_path: Path) -> None:
    group = group_of(tmp_path, prior_twins())

    def looks(task: Any, env: Any) -> Claim:
        views.append((task.id, dict(env.store), env.resumed, env.tools["get_order"](order_id="B1") if False else None))
        return Claim.unknown()

    views: list[Any] = []
    for twin in group.twins[1:]:
        lived(looks, group, twin)
    assert all(view == views[0] for view in views)


def test_a_foreign_call_under_the_same_key_is_nobodys_own(tmp_path: Path) -> None:
    foreign = f"prior: [{PRIOR.replace('40.00', '10.00').replace('-90000', '-60')}, by: other}}]"
    group = group_of(tmp_path, foreign, "strict")

    def sends(task: Any, env: Any) -> Claim:
        try:
            env.tools["refund_order"](order_id="A17", amount="40.00", idempotency_key="k-1", reference="mine")
        except ToolError as error:
            statuses.append(error.receipt.status)
        return Claim.unknown()

    statuses: list[Any] = []
    history = lived(sends, group, "clean")
    assert statuses == [422]
    assert [call.n for call in calls(history)] == [1]
    assert [(effect.actor, effect.call, effect.t) for effect in history.ledger] == [("interference", 0, -60 * NS)]
    resumed = [event for event in history.events if type(event) is Note]
    assert not resumed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prior: [{tool: refund_orde, args: {}, at_s: -60}]", "did you mean 'refund_order'"),
        ("prior: [{tool: refund_order, args: {order_id: A17}, at_s: -60}]", "args lacks 'amount'"),
        ('prior: [{tool: refund_order, args: {order_id: A17, amount: "1", x: 1}, at_s: -60}]', "unknown argument"),
        (f"prior: [{PRIOR.replace('-90000', '-9')}}}]", "it must be -10 or less"),
        (f"prior: [{PRIOR}}}, {PRIOR.replace('-90000', '-89995')}}}]", "list them in order, 10 s apart"),
        (f"prior: [{PRIOR}, by: other, fault: after}}]", "fault is for the agent's own calls"),
        (f"prior: [{PRIOR}, fault: afte}}]", "did you mean 'after'"),
        (f"prior: [{PRIOR}, record: gone}}]", "unknown record 'gone'"),
        (f"twins: {{a: {{prior: [{PRIOR.replace('-90000', '5')}}}]}}}}", "it must be -10 or less"),
        ("user: [{say: hello}]", "lacks 'retracts'"),
        ("notes: {limit: 3}", "limit must be text"),
    ],
)
def test_a_past_that_cannot_have_been_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as refused:
        load_scenario(written(tmp_path, text))
    assert said in str(refused.value)
    assert f"life.yaml:{10}" in str(refused.value)


def test_the_timeline_tells_the_past_from_the_attempt(tmp_path: Path) -> None:
    history = lived(careful, group_of(tmp_path, prior_twins(), "stripe_v1"), "committed")
    for width in (60, 80, 120):
        lines = [line.plain for line in timeline_lines(timeline_of(history), width)]
        assert all(len(line) <= width for line in lines)
        start = next(number for number, line in enumerate(lines) if "here the attempt begins" in line)
        assert any(line.startswith("-90000") and "#-1 refund_order" in line for line in lines[:start])
        assert any("sent/refund_order(A17) under k-1" in line for line in lines[start:])
        assert any("e1" in line for line in lines[:start])
    assert [moment(int(s * NS)) for s in (0, 5.06, 1205.1, -90000, -2592000)] == [
        "0.00", "5.06", "1205.1", "-90000", "-30 d",
    ]  # fmt: skip


def test_notes_vanish_and_a_user_takes_a_fact_back(tmp_path: Path) -> None:
    text = """notes: {limit: Refund at most 50.00., other: stays}
user: [It is A17., {say: Not A17 after all., retracts: A17}]
plan: [{tool: refund_order, fault: memory_loss, with: {names: [limit, sent], symptom: timeout}}]"""
    group = group_of(tmp_path, text)

    def agent(task: Any, env: Any) -> Claim:
        assert dict(env.notes) == {"limit": "Refund at most 50.00.", "other": "stays"}
        env.notes["sent"] = {"reference": "mine"}
        told = [env.ask_user("Which?"), env.ask_user("Sure?")]
        with pytest.raises(ToolError):
            env.tools["refund_order"](order_id="A17", amount="40.00", reference="mine")
        assert dict(env.notes) == {"other": "stays"}
        del env.notes["other"]
        with pytest.raises(KeyError):
            del env.store["nothing"]
        return env.hand_over(" ".join(told))  # type: ignore[no-any-return]  # a Claim

    history = lived(agent, group, group.twins[1])
    assert history.end == "claimed", history.error
    kinds = [type(event) for event in history.events]
    assert kinds.index(Forgot) == kinds.index(Receipt) + 1
    assert [event.names for event in history.events if type(event) is Forgot] == [("limit", "sent")]
    assert [event.retracts for event in history.events if type(event) is Ask] == [None, "A17"]
    assert [event.name for event in history.events if type(event) is Note and event.gone] == ["other"]
    assert history.claim is not None and history.claim.text == "It is A17. Not A17 after all."
    for width in (60, 80, 120):
        text = " ".join(" ".join(line.plain for line in timeline_lines(timeline_of(history), width)).split())
        assert "FORGETS limit, sent" in text
        assert "takes back A17" in text
        assert "notes: other deleted" in text
    assert load(dump(history)) == history


def test_what_is_stored_is_a_copy(tmp_path: Path) -> None:
    def agent(task: Any, env: Any) -> Claim:
        value = {"a": [1]}
        env.store["x"] = value
        value["a"].append(2)
        env.store["x"]["a"].append(3)
        env.store.setdefault("y", []).append(4)
        env.store.update(z=1)
        assert env.store.pop("z") == 1
        return Claim.unknown(repr(dict(env.store)))

    group: Group = group_of(tmp_path, "")
    history = lived(agent, group, "clean")
    assert history.claim is not None and history.claim.text == repr({"x": {"a": [1]}, "y": []})
    assert [(event.name, event.value, event.gone) for event in history.events if type(event) is Note] == [
        ("x", {"a": [1]}, False), ("y", [], False), ("z", 1, False), ("z", None, True),
    ]  # fmt: skip
