"""`scenarios/expected.yaml` covers every cell, contradicts neither itself nor the catalog, and is really compared."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from faultlab.agents.catalog import REFERENCE
from faultlab.core.errors import HarnessFault
from faultlab.core.result import Cell, Result, cells_of
from faultlab.core.verdict import GLYPHS, Finding
from faultlab.matrix.expected import expected, shown, surprises, wanted
from faultlab.matrix.loader import builtin
from faultlab.matrix.scenario import Group
from faultlab.rules.catalog import CATALOG

GROUPS = [group for scenario in builtin() for group in scenario.groups()]
CELLS = [(agent, group, twin) for group in GROUPS for agent in REFERENCE for twin in group.twins]
FORM = re.compile(r"[✓✗!]( FL\d{3})*")


def file() -> Path:
    place = GROUPS[0].scenario.file
    assert place is not None
    return place.parent / "expected.yaml"


def entry(agent: str, group: Group, twin: str) -> str | None:
    return wanted(expected(file()).get((group.scenario.id, group.contract.name), {}), agent, twin)


def test_every_cell_has_an_entry_and_every_entry_a_cell() -> None:
    lacking = [(agent, group.scenario.id, group.contract.name, twin) for agent, group, twin in CELLS
               if entry(agent, group, twin) is None]  # fmt: skip
    assert not lacking
    there = {(group.scenario.id, group.contract.name): {*group.twins, "late"} for group in GROUPS}
    table = expected(file())
    assert set(table) == set(there)
    for group, agents in table.items():
        assert set(agents) == set(REFERENCE), group
        assert not [twin for twins in agents.values() for twin in twins if twin not in there[group]], group


def test_a_mark_agrees_with_its_codes() -> None:
    """Notes are not listed; ✗ stands exactly where one of the codes does harm; codes are in order."""
    for agent, group, twin in CELLS:
        text = entry(agent, group, twin)
        where = (agent, group.scenario.id, group.contract.name, twin, text)
        assert text is not None and FORM.fullmatch(text), where
        mark, *codes = text.split()
        assert codes == sorted(set(codes)), where
        rules = [CATALOG[code] for code in codes]
        assert not [rule.code for rule in rules if rule.severity == "note"], where
        assert mark == ("✗" if any(rule.harm for rule in rules) else "!" if rules else "✓"), where


def test_only_false_deduplication_fails_where_nothing_goes_wrong() -> None:
    failing = {(agent, group.scenario.id) for agent, group, twin in CELLS
               if twin == "clean" and entry(agent, group, twin) != "✓"}  # fmt: skip
    assert failing == {("same_key", "two-intended")}


def test_no_wrong_agent_passes_a_group_without_the_contract_that_makes_it_right() -> None:
    passing: dict[str, set[str]] = {}
    for group in GROUPS:
        if len(group.twins) > 1 and group.scenario.id != "no-connection":  # there everybody may resend
            for agent in REFERENCE:
                if all(entry(agent, group, twin) == "✓" for twin in group.twins):
                    passing.setdefault(agent, set()).add(group.contract.name)
    keyed = {"strict", "ietf", "stripe_v1"}
    everything = {group.contract.name for group in GROUPS}
    assert passing == {"careful": everything, "overwriter": everything, "same_key": keyed, "query_once": keyed}


def cell_of(group: Group, text: str) -> Cell:
    """A cell of careful's that shows `text`."""
    mark, *codes = text.split()
    scenario, contract = group.scenario, group.contract.name
    result = Result(
        number=1, agent="careful", suite=scenario.suite, scenario=scenario.id, contract=contract, twin="late_server",
        attempt=1, verdict="fail" if codes else "pass",
        mark=next(name for name, glyph in GLYPHS.items() if glyph == mark),
        findings=tuple(Finding(code, "fail", "") for code in codes), end="claimed", error="", excluded_reason="",
        shape="", calls=2, cost=2.0, elapsed_s=5.0,
    )  # fmt: skip
    return cells_of([result])[0]


def test_a_cell_elsewhere_is_told_with_both_sides() -> None:
    group = next(group for group in GROUPS if "late_server" in group.twins)
    assert surprises([cell_of(group, "✓")], [group]) == []
    (told,) = surprises([cell_of(group, "! FL203")], [group])
    assert "careful" in told and "late_server" in told and "expected ✓, got ! FL203" in told


def test_a_cell_that_the_file_does_not_know_is_told(tmp_path: Path) -> None:
    group = next(group for group in GROUPS if "late_server" in group.twins)
    moved = replace(group.scenario, file=tmp_path / "here.yaml")
    (told,) = surprises([cell_of(group, "✓")], [Group(moved, group.contract)])
    assert "no expected.yaml" in told
    (tmp_path / "expected.yaml").write_text("groups: {}\n", encoding="utf-8")
    (told,) = surprises([cell_of(group, "✓")], [Group(moved, group.contract)])
    assert "does not say where it must land" in told


@pytest.mark.parametrize("text", ["", "- a", "tables: {}", "groups: [a]", "groups: {a: [b]}", "a: [", "groups: *no"])
def test_a_file_of_another_form_is_the_harness_fault(tmp_path: Path, text: str) -> None:
    wrong = tmp_path / "expected.yaml"
    wrong.write_text(text, encoding="utf-8")
    with pytest.raises(HarnessFault, match="expected.yaml: not a table of expected cells"):
        expected(wrong)


def test_late_is_found_by_either_of_its_kinds_and_an_own_entry_wins() -> None:
    table = {"x": {"late": "✓", "late_server": "! FL203"}}
    assert [wanted(table, "x", twin) for twin in ("late_network", "late_server", "never")] == ["✓", "! FL203", None]
    assert shown(cell_of(GROUPS[0], "✗ FL101 FL201")) == "✗ FL101 FL201"
