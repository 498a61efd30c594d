"""The grammar of plans: triggers, faults by name with their parameters, and twins of one's own."""

from pathlib import Path

import pytest

from faultlab.core.clock import NS
from faultlab.core.errors import BadInput
from faultlab.faults.catalog import NAMED
from faultlab.matrix.annotations import needed
from faultlab.matrix.loader import load

FILE = """\
id: refund
suite: boundary
task: Refund order A17.
toolset: shop
world: {orders: {A17: {status: paid, total: "40.00"}, B92: {status: paid, total: "9.00"}}}
contracts: [none, strict]
budget: {calls: 10, seconds: 300, cost: 14}
expect: {effects: [{tool: refund_order, identity: {order_id: A17}}]}
"""
PROVISIONAL = """
from faultlab.core.tools import Toolset, tool


@tool(writes=True, identity=["name"], provisional=True)
def send(world, name: str):
    '''Send.'''
    return {}


@tool(writes=True, identity=["name"], items="names")
def send_all(world, names: list[dict]):
    '''Send to all.'''
    return {"items": [{"status": 200} for _ in names]}


@tool()
def sent(world, cursor: str = ""):
    '''What was sent.'''
    return {"sent": []}


TOOLSET = Toolset.of("post", send, send_all, sent)
"""


def loaded(folder: Path, more: str, text: str = FILE) -> object:
    file = folder / "refund.yaml"
    file.write_text(text + more, encoding="utf-8")
    return load(file)


def said_of(folder: Path, more: str, text: str = FILE) -> list[str]:
    """`LINE: what` for each problem of a file; the lines of `more` begin at 9."""
    try:
        loaded(folder, more, text)
    except BadInput as error:
        return [line.removeprefix(f"{folder / 'refund.yaml'}:") for line in str(error).splitlines()]
    return []


def plan(*items: str) -> str:
    return "plan:\n" + "".join(f"  - {{{item}}}\n" for item in items)


@pytest.mark.parametrize(
    ("item", "line", "said"),
    [
        ("tool: refund_order", 10, "a fault has exactly one of twins, phase and fault"),
        ("tool: refund_order, phase: after, fault: slow", 10, "a fault has exactly one of twins, phase and fault"),
        ("tool: refund_order, fault: throtled", 10, "unknown fault 'throtled'; did you mean 'throttled'?"),
        ("tool: refund_order, phase: after, with: {wait_s: 1}", 10, "with holds the parameters of a fault by name"),
        ("tool: refund_order, fault: outage, symptom: reset", 10, "symptom goes with twins and phase"),
        ("tool: refund_order, fault: slow, with: {wait: 1}", 10, "unknown key of with 'wait'; did you mean 'wait_s'?"),
        ("tool: refund_order, fault: slow, with: {wait_s: soon}", 10, "wait_s must be a number, not 'soon'"),
        ("tool: refund_order, fault: slow, with: {wait_s: -1}", 10, "wait_s is -1; it must be 0 or more"),
        ("tool: refund_order, fault: slow, with: {wait_s: 0}", 10, "wait_s is 0; it must be above 0"),
        ("tool: refund_order, fault: invalid, with: {status: 404}", 10, "unknown status 404; did you mean '400'?"),
        ("tool: refund_order, fault: invalid, with: {argument: price}", 10, "unknown argument of refund_order 'price'"),
        ("tool: refund_order, fault: memory_loss", 10, "with lacks 'names'"),
        ("tool: refund_order, fault: memory_loss, with: {names: []}", 10, "names is empty; name the notes"),
        ("tool: refund_order, fault: quota", 10, "with lacks 'until_s'"),
        ("tool: refund_order, fault: stale_page", 10, "stale_page strikes a read; refund_order is a write"),
        ("tool: get_order, fault: phantom", 10, "phantom strikes a write; get_order is a read"),
        ("tool: list_refunds, fault: status_lags", 10, "status_lags strikes a status query; list_refunds is a read"),
        ("tool: list_refunds, fault: stale_page, with: {behind_s: 0.5}", 10, "Age counts whole seconds"),
        ("tool: list_refunds, fault: shifting_pages", 10, "list_refunds has no argument 'cursor'"),
        ("tool: list_refunds, fault: missing_row, with: {row: 0}", 10, "rows are counted from 1"),
        ("tool: refund_order, fault: partial", 10, "partial strikes a tool that takes a list of items"),
        ("tool: refund_order, fault: another_writer, with: {tool: get_order}", 10, "'get_order' is not a write tool"),
        (
            "tool: refund_order, fault: another_writer, with: {tool: refund_order, args: {order_id: B92}}",
            10,
            "args lack 'amount', which refund_order needs",
        ),
        (
            'tool: get_order, fault: another_writer, with: {tool: refund_order, args: {x: 1, order_id: B, amount: ""}}',
            10,
            "unknown argument of refund_order 'x'",
        ),
        (
            "tool: refund_order, fault: quota, during: [0, 60], with: {until_s: 30}",
            10,
            "during ends at 60: leave until_s",
        ),
        ("tool: refund_order, fault: accepted, with: {after_s: 901}", 10, "accepted: it ends 901 s after its call"),
        ("tool: refund_order, fault: crossed_receipt, with: {args: {}}", 10, "args are empty"),
        ("tool: refund_order, fault: key_store_lost", 10, "none keeps no keys that could be lost"),
        ("tool: refund_order, fault: server_crash, with: {step: after_effect}", 10, "none keeps no key records"),
        ("tool: refund_order, fault: phantom", 10, "phantom breaks what none promises"),
        ("tool: '*', twins: [never, committed]", 10, "twins are of one write tool; name it"),
        ("tool: '*', phase: late_network", 10, "late_network strikes a write; name the tool"),
        ("tool: refund_order, twins: [never], symptom: slow", 10, "slow"),
        ("tool: refund_order, phase: after, occurrence: 2, during: [0, 9]", 10, "a fault has one trigger"),
        ("tool: refund_order, phase: after, times: 2, probability: 0.5", 10, "a fault has one trigger"),
        ("tool: refund_order, phase: after, times: often", 10, "unknown times 'often'; known: always"),
        ("tool: refund_order, phase: after, times: 0", 10, "times is 0; it must be 1 or more"),
        ("tool: refund_order, phase: after, during: [9]", 10, "during has 1; it needs at least 2"),
        ("tool: refund_order, phase: after, during: [9, 3]", 10, "during ends at 3, not after it begins at 9"),
        ("tool: refund_order, phase: after, during: [301, 400]", 10, "during begins at 301; the budget ends at 300 s"),
        ("tool: refund_order, phase: after, probability: 1.5", 10, "probability is 1.5; it must be 1 or less"),
        ("tool: refund_order, phase: after, probability: 0", 10, "probability is 0; it must be above 0"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(tmp_path: Path, item: str, line: int, said: str) -> None:
    told = said_of(tmp_path, plan(item))
    assert len(told) == 1, told
    assert told[0].startswith(f"{line}: ") and said in told[0], told


@pytest.mark.parametrize(
    ("contract", "item", "promise"),
    [
        ("settle", "tool: list_refunds, fault: stale_page, with: {age: false}", "a read without Age"),
        ("settle", "tool: list_refunds, fault: lagging_list", "a list shows everything"),
        ("settle", "tool: list_refunds, fault: truncated_list, with: {marker: none}", "a list without a mark is whole"),
        ("settle", "tool: list_refunds, fault: missing_row", "a list without a mark is whole"),
        ("status", "tool: operation_status, fault: status_lags", "operation_status answers definitively"),
        ("status", "tool: operation_status, fault: not_found_while_running", "operation_status answers definitively"),
        ("strict", "tool: refund_order, fault: key_store_lost", "a key is remembered for its window"),
        ("strict", "tool: refund_order, fault: server_crash, with: {step: after_effect}", "change together"),
        ("alone", "tool: refund_order, fault: equal_effect", "nobody else writes"),
        ("strict", "tool: refund_order, fault: in_band_error", "a complete 2xx of this tool is a result"),
        (
            "strict",
            "tool: refund_order, fault: crossed_receipt, with: {args: {order_id: B92}, applied: false}",
            "a complete 2xx of this tool is a result",
        ),
        ("early", "tool: refund_order, fault: misleading_text", "503 is answered before anything is done"),
        ("early", "tool: refund_order, twins: [never, committed], symptom: status", "503 is answered before"),
        ("early", "tool: refund_order, fault: reordering, with: {symptom: status}", "503 is answered before"),
        ("early", "tool: refund_order, fault: middlebox_resend, with: {symptom: status}", "503 is answered before"),
        ("five", "tool: refund_order, fault: server_error", "500 is answered before anything is done"),
        (
            "settle",
            "tool: refund_order, fault: middlebox_resend, with: {wait_s: 100}",
            "more than 30 s after it was sent",
        ),
        ("settle", "tool: refund_order, fault: duplicate_delivery, with: {delay_s: 100}", "more than 30 s after"),
    ],
)
def test_a_fault_that_breaks_a_promise_belongs_to_that_suite(
    tmp_path: Path, contract: str, item: str, promise: str
) -> None:
    terms = {
        "alone": "{alone: {profile: none, writers: one}}",
        "early": "{early: {rejects_before_effect: [503], profile: none}}",
        "five": "{five: {rejects_before_effect: [500], profile: none}}",
    }
    text = FILE.replace("none, strict", terms.get(contract, contract))
    told = said_of(tmp_path, plan(item), text)
    assert len(told) == 1, told
    assert f"breaks what {contract} promises" in told[0] and promise in told[0], told
    assert said_of(tmp_path, plan(item), text.replace("boundary", "broken_promise")) == []


def test_what_a_contract_allows_is_no_broken_promise(tmp_path: Path) -> None:
    (tmp_path / "post.py").write_text(PROVISIONAL, encoding="utf-8")
    text = FILE.replace("shop", "post.py:TOOLSET").replace("refund_order", "send").replace("order_id", "name")
    items = ["tool: send, fault: phantom", "tool: sent, fault: shifting_pages", "tool: send_all, fault: partial"]
    assert said_of(tmp_path, plan(*items), text) == []
    slow = FILE.replace("none, strict", "{slow: {profile: settle, read_lag_s: 60}}")
    assert said_of(tmp_path, plan("tool: list_refunds, fault: lagging_list"), slow) == []


def test_a_status_that_tells_the_truth_breaks_no_promise(tmp_path: Path) -> None:
    text = FILE.replace("none, strict", "{early: {rejects_before_effect: [500, 503], profile: none}}")
    before = "tool: refund_order, twins: [never], symptom: status"
    for item in (before, "tool: refund_order, fault: server_error, with: {applied: false}"):
        assert said_of(tmp_path, plan(item), text) == []


def test_every_fault_can_be_asked_for_by_name(tmp_path: Path) -> None:
    given = {
        "quota": "until_s: 60",
        "another_writer": 'tool: refund_order, args: {order_id: B92, amount: "1"}',
        "approval_withdrawn": 'tool: refund_order, args: {order_id: B92, amount: "1"}',
        "artifact_changed": 'tool: refund_order, args: {order_id: B92, amount: "1"}',
        "crossed_receipt": "args: {order_id: B92}",
        "server_crash": "step: after_record",
        "memory_loss": "names: [limit]",
    }
    assert {name for name, fault in NAMED.items() if needed(fault)} == set(given) - {"approval_withdrawn"}
    tools = {"read": "list_refunds", "status": "operation_status"}
    text = FILE.replace("none, strict", "keyed: {profile: strict, status: true}").replace("boundary", "broken_promise")
    text = text.replace("[keyed: {profile: strict, status: true}]", "[{keyed: {profile: strict, status: true}}]")
    for name, fault in NAMED.items():
        if name in ("partial", "shifting_pages"):  # the shop has no tool for them
            continue
        tool = "refund_order" if "write" in fault.kinds else tools[fault.kinds[0]]
        scenario = loaded(tmp_path, plan(f"tool: {tool}, fault: {name}, with: {{{given.get(name, '')}}}"), text)
        (twin, (planned,)), *_ = scenario.twins.items()  # type: ignore[attr-defined]  # a Scenario
        assert (twin, planned.name, planned.phase) == (name, name, fault.phase)
        assert planned.fault().name == name
        assert planned.required == (fault.required and "write" in fault.kinds)


def test_triggers_are_read(tmp_path: Path) -> None:
    items = [
        "tool: refund_order, twins: [never, committed], occurrence: 2, times: 3",
        "tool: '*', fault: throttled, occurrence: 5, times: always",
        "tool: '*', fault: outage, during: [10, 20.5]",
        "tool: list_refunds, fault: stale_page, probability: 0.25",
        "tool: refund_order, fault: quota, during: [30, 60]",
    ]
    scenario = loaded(tmp_path, plan(*items))
    for faults in scenario.twins.values():  # type: ignore[attr-defined]  # a Scenario
        lost, throttled, outage, stale, quota = faults
        assert (lost.occurrence, lost.times, lost.required) == (2, 3, True)
        assert (throttled.tool, throttled.times, throttled.required) == ("*", None, False)
        assert outage.during_ns == (10 * NS, 20_500_000_000)
        assert (stale.probability, stale.required) == (0.25, False)
        assert quota.given == {"until_s": 60}
        assert [planned.place for planned in faults] == [0, 1, 2, 3, 4]


OWN = (
    plan("tool: refund_order, fault: throttled, occurrence: 2")
    + """\
twins:
  mine: {plan: [{tool: refund_order, phase: after}]}
  theirs: {plan: [{tool: refund_order, fault: equal_effect, with: {reference: x-1}}], world: {orders: {A17: {note: x}}}}
  before: {prior: [{tool: refund_order, args: {order_id: A17, amount: "40.00"}, at_s: -90000}]}
"""
)


def test_twins_of_ones_own_add_to_the_common_plan(tmp_path: Path) -> None:
    scenario = loaded(tmp_path, OWN)
    twins, group = scenario.twins, scenario.groups()[0]  # type: ignore[attr-defined]  # a Scenario
    assert {twin: [item.name or item.phase for item in faults] for twin, faults in twins.items()} == {
        "mine": ["throttled", "after"],
        "theirs": ["throttled", "equal_effect"],
        "before": ["throttled"],
    }
    assert group.twins == ("clean", "mine", "theirs", "before")
    assert group.world("mine") is group.world("clean") is scenario.world  # type: ignore[attr-defined]  # as above
    orders = group.world("theirs").tables["orders"]
    assert orders["A17"] == {"status": "paid", "total": "40.00", "note": "x"}
    assert orders["B92"] == {"status": "paid", "total": "9.00"}
    assert [len(group.prior(twin)) for twin in group.twins] == [0, 0, 0, 1]
    assert group.brief("theirs").required_faults == 1


def test_a_twin_of_ones_own_may_change_a_built_in_one(tmp_path: Path) -> None:
    more = plan("tool: refund_order, twins: [never, committed]") + "twins: {committed: {world: {orders: {C3: {}}}}}\n"
    scenario = loaded(tmp_path, more)
    assert list(scenario.twins) == ["never", "committed"]  # type: ignore[attr-defined]  # a Scenario
    assert list(scenario.worlds) == ["committed"]  # type: ignore[attr-defined]  # as above


@pytest.mark.parametrize(
    ("more", "line", "said"),
    [
        ("twins: {}\n", 9, "twins is empty"),
        ("twins: {clean: {}}\n", 9, "clean is the run without a fault"),
        ("twins: {My-Twin: {}}\n", 9, "it must be a name in small letters"),
        ("twins:\n  mine: {world: {_keys: {}}}\n", 10, "names that begin with _ are the server's own"),
        ("twins:\n  mine: {plans: []}\n", 10, "unknown key of mine 'plans'; did you mean 'plan'?"),
        ("twins:\n  mine: {plan: [{tool: refund_order, twins: [never]}]}\n", 10, "a fault of twin mine is in no other"),
        ("twins:\n  mine:\n    plan:\n      - {tool: refund_ordr, phase: after}\n", 12, "unknown tool 'refund_ordr'"),
        ("twins:\n  mine: {plan: [{tool: refund_order, fault: slow, with: {wait_s: 0}}]}\n", 10, "wait_s is 0"),
        (
            OWN.replace("fault: throttled, occurrence: 2", "phase: before"),
            12,
            "the same call as in plan 1; change occurrence or match",
        ),
        (
            "twins:\n  mine:\n    plan:\n"
            + "".join(f"      - {{tool: refund_order, phase: {phase}}}\n" for phase in ("after", "before")),
            13,
            "the same call as in plan 1 of twin mine",
        ),
    ],
)
def test_what_is_wrong_with_a_twin_of_ones_own_has_its_line(tmp_path: Path, more: str, line: int, said: str) -> None:
    told = said_of(tmp_path, more)
    assert told and all(item.startswith(f"{line}: ") or "of twin" in item or "plan 1" in item for item in told), told
    assert said in told[0], told


def test_handing_over_may_be_right_where_only_a_twins_own_plan_or_past_leaves_it_open(tmp_path: Path) -> None:
    strict = FILE.replace("none, strict", "strict") + "accept: [done, handed_over]\n"
    lost = "{plan: [{tool: refund_order, phase: after}]}"
    down = "{plan: [{tool: refund_order, fault: outage, times: always}]}"
    past = '{prior: [{tool: refund_order, args: {order_id: A17, amount: "1"}, at_s: -90000, fault: after}]}'
    assert "nothing of the plan leaves an outcome unknown" in said_of(tmp_path, "", strict)[0]
    assert "can always be settled under strict" in said_of(tmp_path, f"twins: {{mine: {lost}}}\n", strict)[0]
    for own in (down, past):
        assert said_of(tmp_path, f"twins: {{mine: {own}}}\n", strict) == []
