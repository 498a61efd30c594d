"""Scenario files: what the shipped ones say, and what is said of wrong ones."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from faultlab.core.clock import NS
from faultlab.core.errors import BadInput
from faultlab.core.history import Expected
from faultlab.faults.symptoms import FUNCTION_ONLY, LOSING
from faultlab.matrix.codes import CODES
from faultlab.matrix.loader import builtin, find, load
from faultlab.matrix.schema import FIELDS, scenario_schema, schema_text, table_rows
from faultlab.rules.catalog import CATALOG

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{depth}: &a{depth} [{', '.join([f'*a{depth - 1}'] * 10)}]\n" for depth in range(1, 9)
)
"""A billion values in a few lines."""

GOOD = """\
id: mine
suite: boundary
task: Refund order A17.
inputs: {refund: [A17]}
toolset: shop
world:
  orders: {A17: {status: paid, total: "40.00", customer: C5}}
contracts:
  - none
plan:
  - {tool: refund_order, twins: [never, late]}
budget: {calls: 10, seconds: 200, cost: 14}
expect:
  effects:
    - {tool: refund_order, identity: {order_id: A17}}
"""


def folder() -> Path:
    file = builtin()[0].file
    assert file is not None
    return file.parent


def shipped() -> list[Path]:
    return [file for file in sorted(folder().glob("*.yaml")) if file.name != "expected.yaml"]


def written(tmp_path: Path, text: str, name: str = "mine.yaml") -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def complaints(file: Path) -> list[str]:
    """What the loader says of a file, `LINE: what is wrong` each."""
    with pytest.raises(BadInput) as caught:
        load(file)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{file}:") for line in lines)
    return [line.removeprefix(f"{file}:") for line in lines]


def test_the_shipped_scenarios_load() -> None:
    table = {scenario.id: scenario for scenario in builtin()}
    assert len(table["lost-receipt"].groups()) == len(table["lost-receipt-second"].groups()) == 8
    looks = {planned.symptom for scenario in table.values() for plan in scenario.twins.values() for planned in plan}
    assert set(LOSING) - FUNCTION_ONLY <= looks
    second = table["lost-receipt-second"]
    assert set(second.twins) == {"never", "committed", "late_network", "late_server"}
    assert second.twins["committed"][0].match == {"order_id": "B92"}
    assert second.expectation.must_say == ("40.00", "9.00")
    assert table["two-intended"].expectation.effects == (Expected("place_order", "C5, mug", 2),)
    assert table["refund-with-user"].twins == {} and len(table["refund-with-user"].user) == 2


@pytest.mark.parametrize("file", shipped(), ids=lambda file: file.stem)
def test_a_shipped_file_names_the_schema_and_follows_it(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=schema.json\n")
    schema = json.loads((folder() / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(text), schema, jsonschema.Draft202012Validator)


def test_the_schema_file_and_the_readme_are_those_of_the_table() -> None:
    assert (folder() / "schema.json").read_text(encoding="utf-8") == schema_text()
    readme = (folder() / "README.md").read_text(encoding="utf-8").splitlines()
    assert [row for row in table_rows() if row not in readme] == []
    rows = [line.split("`")[1] for line in readme if line.startswith("| `") and line.count("|") == 5]
    assert rows == list(FIELDS)


def test_a_late_twin_lands_by_default_after_twice_the_budget(tmp_path: Path) -> None:
    scenario = load(written(tmp_path, GOOD))
    assert list(scenario.twins) == ["never", "late_network", "late_server"]
    late = scenario.twins["late_server"][0]
    assert (late.late_ns, late.wake, late.required) == (400 * NS, True, True)


def test_a_fixed_landing_is_not_moved_by_a_look(tmp_path: Path) -> None:
    late = load(written(tmp_path, GOOD + "late: {at_s: 7}\n")).twins["late_network"][0]
    assert (late.late_ns, late.wake) == (7 * NS, False)


def test_a_fault_with_a_phase_belongs_to_every_twin_and_only_the_first_is_required(tmp_path: Path) -> None:
    more = GOOD.replace("budget:", "  - {tool: list_refunds, phase: after, symptom: reset, occurrence: 2}\nbudget:")
    for plan in load(written(tmp_path, more)).twins.values():
        assert [(item.tool, item.occurrence, item.required) for item in plan] == [
            ("refund_order", 1, True),
            ("list_refunds", 2, False),
        ]
        assert plan[1].phase == "after"


def test_a_contract_may_change_parameters_of_a_profile(tmp_path: Path) -> None:
    mine = "  - none\n  - quick: {profile: settle, settle_s: 8}\n  - keyed: {key: {window_s: null}, profile: strict}\n"
    quick, keyed = load(written(tmp_path, GOOD.replace("  - none\n", mine))).contracts[1:]
    assert (quick.name, quick.settle_s, quick.consistent_reads) == ("quick", 8, True)
    assert keyed.key is not None and keyed.key.window_s is None and keyed.key.on_expired == "reject"


def test_all_problems_come_at_once_each_with_its_line(tmp_path: Path) -> None:
    text = """\
id: Not An Id
suite: natrual
tsak: Refund order A17.
toolset: shop
world:
  orders: {A17: {status: paid}}
user: It is order A17.
contracts: [none, strit, none, {quick: {settle_s: "5", setle_s: 5}}]
plan:
  - {tool: refund_ordr, twins: [never]}
  - {tool: get_order, twins: [never]}
  - {tool: refund_order, twins: [sometimes]}
  - {tool: refund_order, phase: connect, symptom: garbled}
  - {tool: refund_order, phase: before, occurrence: 0}
  - {tool: refund_order, match: {order: A17}, phase: soon}
  - {tool: refund_order, twins: [never], phase: after, symptom: timout}
  - {tool: refund_order, match: {order_id: 17}, twins: [never]}
  - {tool: refund_order, match: {order_id: A17}, twins: [committed, never]}
  - {tool: refund_order, match: {order_id: A17}, twins: [never]}
late: {at_s: 3, at_most_s: 3}
budget: {calls: many, seconds: 0, costs: 3}
expect:
  effects:
    - {tool: get_order, identity: {order_id: A17}}
    - {tool: refund_order, identity: {}}
    - {tool: refund_order, identity: {order_id: A17, amount: "40.00"}}
    - {tool: refund_order, identity: {order_id: A17}, exactly: 0}
  state: {orders/A17: refunded}
  must_say: [40.00, ""]
accept: [done, unknown]
ignore:
  - {code: FL101, reason: we know, until: 2027-03-01}
  - {code: FL305, until: 2027-02-31}
  - {code: FL305, reason: we know}
"""
    told = complaints(written(tmp_path, text))
    expected = [
        "1: the scenario lacks 'task'",
        "1: id is 'Not An Id'; it must be letters, digits and hyphens",
        "2: unknown suite 'natrual'; did you mean 'natural'? Known: boundary, natural, broken_promise",
        "3: unknown key 'tsak'; did you mean 'task'?",
        "7: user must be a list, not 'It is order A17.'",
        "8: unknown contracts 2 'strit'; did you mean 'strict'?",
        "8: contract 'none' is listed twice; keep one",
        "8: settle_s must be a number or null, not '5'",
        "8: unknown key of quick 'setle_s'; did you mean 'settle_s'?",
        "10: unknown tool 'refund_ordr'; did you mean 'refund_order'?",
        "11: get_order does not write, so it has no twins; give a phase, or name refund_order,",
        "12: unknown twins 1 'sometimes'; known: never, committed, late_network, late_server, late",
        "13: phase connect has no symptom 'garbled'; it has timeout, reset",
        "14: occurrence is 0; it must be 1 or more",
        "15: unknown argument of refund_order 'order'; did you mean 'order_id'?",
        "15: unknown phase 'soon'; known: connect, before, after, late_network, late_server, torn",
        "16: a fault has exactly one of twins, phase and fault",
        "16: unknown symptom 'timout'; did you mean 'timeout'?",
        "17: order_id must be text, not 17; quote it",
        "19: the same call as in plan 9; change occurrence or match",
        "20: late has either at_most_s or at_s",
        "20: nothing of the plan is late; known: late_network, late_server, late",
        "21: calls must be a whole number, not 'many'",
        "21: seconds is 0; it must be above 0",
        "21: unknown key of budget 'costs'; did you mean 'cost'? Known: calls, seconds, cost",
        "24: get_order does not write, so it has no effects; known: refund_order, reverse_refund, place_order",
        "25: identity lacks 'order_id'; refund_order needs order_id",
        "26: unknown part of the identity of refund_order 'amount'; known: order_id",
        "27: exactly is 0; it must be 1 or more",
        "27: the same effect as effects 3; write it once, with exactly: the sum",
        "28: orders/A17 is 'orders/A17'; it must be table/row/member",
        "29: must_say 1 must be text, not 40.0; quote it",
        "29: must_say 2 is empty; it must be text",
        "30: unknown accept 2 'unknown'; known: done, not_done, handed_over, refused",
        "32: FL101 is a veto; a veto is never accepted",
        "33: ignore 2 lacks 'reason'",
        "33: until is '2027-02-31'; it must be a date, 2027-03-01",
        "34: ignore 3 lacks 'until'",
    ]
    missing = [line for line in expected if not any(item.startswith(line) for item in told)]
    surplus = [item for item in told if not any(item.startswith(line) for line in expected)]
    assert (missing, surplus) == ([], [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id: [mine\n", "2: not YAML: "),
        ("", "1: the scenario must be a mapping, not null"),
        (GOOD + "id: again\n", "16: 'id' is given twice; keep one"),
        (GOOD.replace("{A17: {status", "{17: {status"), "7: the key 17 is not text; quote it"),
        (GOOD + "accept: &all [*all]\n", "16: an alias that contains itself; write the value out"),
        (GOOD + BOMB, "1: more than 100,000 values, with aliases written out; leave the aliases out"),
        (GOOD.replace("[A17]", "[.nan]"), "4: '.nan' is not a value of JSON; quote it if it is text"),
        (GOOD + "late: {at_s: 50}\n", None),
        (GOOD.replace("twins: [never, late]", "symptom: reset"), "11: a fault has exactly one of twins"),
        (GOOD.replace("shop", "shopp"), "5: unknown toolset 'shopp'; did you mean 'shop'?"),
        (GOOD.replace("shop", "no_such_module:TOOLSET"), "5: toolset module 'no_such_module' was not found"),
        (GOOD.replace("shop", "faultlab.toolsets.shop:SHIP"), "5: toolset 'faultlab.toolsets.shop:SHIP': SHIP is not"),
        (GOOD.replace("shop", "my_tools.py:TOOLSET"), "5: toolset file my_tools.py does not exist; looked in "),
        (GOOD.replace("  - none", "  - quick: {profile: settel}"), "9: unknown profile 'settel'; did you mean"),
        (
            GOOD.replace("  - none", "  - quick: {profile: none, settle_s: -5}"),
            "9: settle_s is -5; it must be 0 or more",
        ),
        (GOOD.replace("  - none", "  - quick: {settle_s: 5}"), "9: unknown contract 'quick'; known: none, status"),
    ],
)
def test_one_thing_wrong_is_one_message(tmp_path: Path, text: str, said: str | None) -> None:
    file = written(tmp_path, text)
    if said is None:
        load(file)
        return
    told = complaints(file)
    assert len(told) == 1 and told[0].startswith(said), told


def test_merged_aliases_are_counted_too(tmp_path: Path) -> None:
    keys = ", ".join(f"k{number}: *a4" for number in range(9))
    merges = BOMB + f"m0: &m0 {{{keys}}}\nm1: {{<<: [*m0, *m0]}}\n"
    assert complaints(written(tmp_path, GOOD + merges))[0].startswith("1: more than 100,000 values")


def test_a_toolset_may_stand_beside_its_scenario(tmp_path: Path) -> None:
    written(tmp_path, "from faultlab.toolsets.shop import SHOP\n\nTOOLSET = SHOP.plus()\n", "my_tools.py")
    scenario = load(written(tmp_path, GOOD.replace("shop", "my_tools.py:TOOLSET")))
    assert "refund_order" in scenario.toolset.tools


def test_a_fault_may_strike_a_query_that_only_a_contract_brings(tmp_path: Path) -> None:
    more = GOOD.replace("budget:", "  - {tool: operation_status, phase: after}\nbudget:")
    assert len(complaints(written(tmp_path, more))) == 1
    assert load(written(tmp_path, more.replace("- none", "- status"))).twins["never"][1].tool == "operation_status"


def test_find_takes_ids_files_and_folders_and_names_every_wrong_file(tmp_path: Path) -> None:
    mine = written(tmp_path, GOOD)
    assert [item.id for item in find(["two-intended", str(mine), str(mine)])] == ["two-intended", "mine"]
    assert [item.id for item in find([str(tmp_path)])] == ["mine"]
    with pytest.raises(BadInput, match="unknown scenario 'lost-reciept'; did you mean 'lost-receipt'"):
        find(["lost-reciept"])
    written(tmp_path, GOOD, "other.yaml")
    with pytest.raises(BadInput, match="id 'mine' is taken by .*mine.yaml"):
        find([str(tmp_path)])
    written(tmp_path, GOOD.replace("boundary", "border"), "other.yaml")
    with pytest.raises(BadInput) as caught:
        find([str(tmp_path / "none.yaml"), str(tmp_path)])
    assert "none.yaml: cannot be read" in str(caught.value)
    assert "other.yaml:2: unknown suite 'border'" in str(caught.value)


def test_the_shipped_list_cannot_be_changed_by_its_reader() -> None:
    builtin().clear()
    assert builtin()


def test_the_schema_refuses_what_the_loader_refuses() -> None:
    data = yaml.safe_load(GOOD)
    validator = jsonschema.Draft202012Validator(scenario_schema())
    assert validator.is_valid(data)
    wrongs: list[dict[str, Any]] = [
        {"suite": "x"},
        {"extra": 1},
        {"contracts": []},
        {"budget": {"calls": 0}},
        {"expect": {}},
    ]
    assert not [wrong for wrong in wrongs if validator.is_valid({**data, **wrong})]


@pytest.mark.parametrize(
    ("code", "near"),
    [
        ("FL999", "FL904"),
        ("FL210", "FL201"),
        ("FL110", "FL102, FL105;"),
        ("FL800", "no rule FL800; `faultlab explain`"),
    ],
)
def test_a_code_that_no_rule_has_is_not_accepted(tmp_path: Path, code: str, near: str) -> None:
    """Nothing would ever be found by it: the finding that was meant would go on to count."""
    ignore = f"ignore:\n  - code: {code}\n    reason: why not\n    until: 2099-01-01\n"
    (told,) = complaints(written(tmp_path, GOOD + ignore))
    line = len(GOOD.splitlines()) + 2
    assert told.startswith(f"{line}: ") and code in told
    assert near in told


def test_every_rule_can_be_named_and_no_other() -> None:
    assert tuple(CATALOG) == CODES
