"""What stands where in the matrix, before it is drawn."""

import pytest
from report.samples import DUPLICATE, GAVE_UP, NO_KEY, RESENT, result

from faultlab.core.result import Result, cells_of
from faultlab.core.verdict import Finding
from faultlab.report.matrix import MatrixTable, Row, matrix_of, worst_cell


def only_row(*results: Result) -> Row:
    (section,) = matrix_of(cells_of(results)).sections
    (row,) = section.rows
    return row


def test_both_kinds_of_late_share_a_column_and_the_worse_mark_shows() -> None:
    row = only_row(
        result(1, "late_server"),
        result(2, "never"),
        result(3, "committed", GAVE_UP),
        result(4, "late_network", DUPLICATE),
    )
    assert row.twins == ("never", "committed", "late")
    assert row.entries["one"].marks == ("pass", "wrong", "harm")


@pytest.mark.parametrize(("twins", "count"), [(["clean"], 1), (["clean", "never"], 1), (["own_412", "foreign_412"], 2)])
def test_a_row_has_one_mark_for_each_twin_that_is_not_clean(twins: list[str], count: int) -> None:
    row = only_row(*[result(number, twin) for number, twin in enumerate(twins, 1)])
    assert len(row.entries["one"].marks) == count


def test_a_failing_clean_run_is_seen_though_every_twin_passes() -> None:
    row = only_row(result(1, "clean", RESENT), result(2, "never"), result(3, "committed"))
    entry = row.entries["one"]
    assert (entry.marks, entry.clean, entry.passed) == (("pass", "pass"), "harm", False)


def test_only_the_first_row_of_a_scenario_bears_its_name() -> None:
    (section,) = matrix_of(
        cells_of([result(1, "never", contract="strict"), result(2, "never"), result(3, "never", contract="status")])
    ).sections
    assert [row.name for row in section.rows] == ["lost-receipt", "  + status", "  + strict"]


def test_a_scenario_without_the_plain_contract_still_says_its_name() -> None:
    assert only_row(result(1, "never", contract="strict")).name == "lost-receipt + strict"


def test_suites_stand_apart_and_groups_are_counted_not_cells() -> None:
    table = matrix_of(cells_of([
        result(1, "never"), result(2, "committed"), result(3, "never", RESENT, contract="status"),
        result(4, "committed", contract="status"), result(5, "clean", scenario="device", suite="natural"),
    ]))  # fmt: skip
    boundary, natural = table.sections
    assert (boundary.suite, boundary.passed["one"], boundary.total) == ("boundary", 1, 2)
    assert (natural.suite, natural.passed["one"], natural.total) == ("natural", 1, 1)


def test_agents_keep_the_order_they_were_asked_in() -> None:
    results = [result(1, "never", agent="zoe"), result(2, "never", agent="amy")]
    assert matrix_of(cells_of(results), ["zoe", "amy"]).sections[0].agents == ("zoe", "amy")


def findings(*results: Result) -> MatrixTable:
    return matrix_of(cells_of(results))


def test_findings_count_cells_and_the_worst_stands_first() -> None:
    table = findings(
        result(1, "never", GAVE_UP), result(2, "never", GAVE_UP, attempt=2), result(3, "committed", GAVE_UP),
        result(4, "late_server", RESENT, DUPLICATE), result(5, "clean", NO_KEY),
    )  # fmt: skip
    assert [(row.code, row.cells) for row in table.findings] == [("FL101", 1), ("FL201", 1), ("FL203", 2)]
    assert [row.code for row in table.notes] == ["FL305"]


def test_the_example_is_the_attempt_in_which_least_else_went_wrong() -> None:
    table = findings(result(1, "never", RESENT, DUPLICATE), result(2, "committed", RESENT))
    example = {row.code: row.example.number for row in table.findings}
    assert example == {"FL101": 1, "FL201": 2}


def test_what_the_server_caused_is_no_finding_of_the_agent() -> None:
    table = findings(result(1, "never", Finding("FL101", "veto", "torn record", cause="server")))
    assert not table.findings


def test_the_worst_cell_is_one_with_a_veto() -> None:
    cells = cells_of([result(1, "never", RESENT, GAVE_UP), result(2, "committed", DUPLICATE)])
    worst = worst_cell(cells)
    assert worst is not None and worst.twin == "committed"
    assert worst_cell(cells_of([result(1, "never")])) is None


def many(*odd: Result) -> MatrixTable:
    """20 scenarios with a second variant each; `odd` comes on top."""
    names = [f"s{number:02}{tail}" for number in range(20) for tail in ("", "-second")]
    plain = [result(number, "never", scenario=name) for number, name in enumerate(names, 1)]
    return matrix_of(cells_of([*plain, *odd]))


def test_second_variants_that_come_out_alike_are_only_counted_in_a_long_table() -> None:
    (section,) = many(result(99, "committed", RESENT, scenario="s03-second")).sections
    assert len(section.folded) == 19 and "s03-second" not in section.folded
    assert len(section.rows) == 21 and section.total == 40
    short = matrix_of(cells_of([result(1, "never"), result(2, "never", scenario="lost-receipt-second")]))
    assert [row.scenario for row in short.sections[0].rows] == ["lost-receipt", "lost-receipt-second"]
