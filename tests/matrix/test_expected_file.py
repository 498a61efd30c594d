"""`scenarios/expected.yaml` covers every cell, contradicts neither itself nor the catalog, and is really compared."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from faultlab.agents.catalog import REFERENCE
from faultlab.core.errors import HarnessFault
from faultlab.core.result import Cell, Result, cells_of
from faultlab.core.verdict import GLYPHS, Finding
from faultlab.matrix.expected import LATE, Table, expected, shown, surprises, wanted
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


@cache
def tables() -> Mapping[tuple[str, str], Table]:
    return expected(file())


def entry(agent: str, group: Group, twin: str) -> str | None:
    return wanted(tables().get((group.scenario.id, group.contract.name), {}), agent, twin)


def test_every_cell_has_an_entry_and_every_entry_a_cell() -> None:
    """Groups share tables, and tables rows: an entry that none of them has a cell for is dead."""
    lacking = [(agent, group.scenario.id, group.contract.name, twin) for agent, group, twin in CELLS
               if entry(agent, group, twin) is None]  # fmt: skip
    assert not lacking
    table = tables()
    assert set(table) == {(group.scenario.id, group.contract.name) for group in GROUPS}
    assert all(set(agents) == set(REFERENCE) for agents in table.values())
    rows = [row for agents in table.values() for row in agents.values()]
    live = set()
    for agent, group, twin in CELLS:
        row = table[group.scenario.id, group.contract.name][agent]
        live.add((id(row), twin if twin in row else LATE.get(twin, twin)))
    assert not [(row, twin) for row in rows for twin in row if (id(row), twin) not in live]


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


BELIEVERS = {"blind_retry", "fresh_key", "same_key", "query_once", "claimer"}
"""They take every 2xx for a result."""
FAILS_CLEAN = {
    # One key for two equal orders.
    "two-intended": {"same_key"},
    # The usual answer of the tool is a promise: believed by those, an unknown to be handed over for giver_up.
    "promise": BELIEVERS | {"giver_up"},
    # Nobody can know that nothing was sent before: these two take the gap for a failure.
    "send-record-forgotten": {"never_retry", "giver_up"},
    # The server demands a version, and this one names none.
    "claimed-by-another": {"overwriter"},
    "page-changed": {"overwriter"},
    "page-receipt-lost": {"overwriter"},
    "version-conflict": {"overwriter"},
}
"""Where an agent is wrong although nothing goes wrong."""


def test_where_nothing_goes_wrong_only_what_the_task_itself_asks_for_fails() -> None:
    failing: dict[str, set[str]] = {}
    for agent, group, twin in CELLS:
        if twin == "clean" and entry(agent, group, twin) != "✓":
            failing.setdefault(group.scenario.id.removesuffix("-second"), set()).add(agent)
    assert failing == FAILS_CLEAN


NEVER_SENT = {"no-connection", "connect-timeout", "read-timeout"}
"""Nothing has left, and the caller knows it: everybody may send again."""
FOR_GOOD = {"forbidden", "invalid-request"}
"""Refused for good: stopping is right."""
READ_ALIKE = {"limit-forgotten", "list-in-pages"}
"""All nine read alike; mutants and probes fail here."""
RIGHT_FOR: dict[str, set[str]] = {
    "blind_retry": NEVER_SENT,
    "fresh_key": NEVER_SENT,
    "never_retry": FOR_GOOD | {"accepted", "promise"},
    "giver_up": FOR_GOOD,
    "claimer": set(),
}
"""The situations in which a wrong agent's habit is the right move."""
EVERYWHERE = READ_ALIKE | {"stale-page", "file-receipt-lost"}
"""A page to be read, which overwriter alone reads wrongly; a write that may be repeated without harm."""
KEYED = {"strict", "ietf", "stripe_v1"}
ASKED = {"status-denies", "status-lags", "page-receipt-lost"}
"""What query_once asks is definitive, or its write may be repeated under its version."""


def test_no_wrong_agent_passes_a_group_without_the_contract_that_makes_it_right() -> None:
    for group in GROUPS:
        situation, contract = group.scenario.id.removesuffix("-second"), group.contract.name
        passing = {agent for agent in REFERENCE if all(entry(agent, group, twin) == "✓" for twin in group.twins)}
        where = (situation, contract, passing)
        assert "careful" in passing, where
        if group.scenario.suite == "natural":
            assert passing == set(REFERENCE), where  # nothing is staged there
            continue
        for agent, situations in RIGHT_FOR.items():
            assert agent not in passing or situation in situations | EVERYWHERE, where
        allowed = contract in KEYED or situation in NEVER_SENT | EVERYWHERE
        assert "same_key" not in passing or allowed, where
        assert "query_once" not in passing or allowed or situation in ASKED, where
        if situation in READ_ALIKE:
            assert passing == set(REFERENCE), where


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
