"""Every code and every fault can be explained, at every width."""

import pytest
from rich.text import Text

from faultlab.core.errors import BadInput
from faultlab.faults.catalog import FAULT_NAMES, TWINS
from faultlab.report.drawings import DRAWINGS
from faultlab.report.explain import explain_json, explain_lines, list_lines
from faultlab.report.faults import FAULTS
from faultlab.rules.catalog import CATALOG

WIDTHS = (60, 80, 120)


def text_of(lines: list[Text]) -> str:
    return " ".join(" ".join(line.plain.split()) for line in lines)


@pytest.mark.parametrize("code", list(CATALOG))
@pytest.mark.parametrize("width", WIDTHS)
def test_a_code_is_explained_whole_within_the_width(code: str, width: int) -> None:
    lines = list(explain_lines(code, width))
    assert all(len(line.plain.rstrip()) <= width for line in lines)
    text, rule = text_of(lines), CATALOG[code]
    for part in (rule.code, rule.title, rule.severity, rule.group, rule.what, rule.why, rule.not_flagged, rule.source):
        assert " ".join(str(part).split()) in text


def test_every_code_has_an_example_and_no_example_is_left_over() -> None:
    assert set(DRAWINGS) == set(CATALOG)


@pytest.mark.parametrize("code", list(DRAWINGS))
def test_examples_fit_an_ordinary_terminal(code: str) -> None:
    assert all(len(line) <= 76 for line in DRAWINGS[code].splitlines())


def test_every_fault_of_the_catalog_is_explained_with_its_twin() -> None:
    assert set(FAULTS) == set(FAULT_NAMES)
    assert {FAULT_NAMES[item.name]: item.twin for item in FAULTS.values() if item.twin} == {
        phase: twin for twin, phase in TWINS.items()
    }


@pytest.mark.parametrize("name", list(FAULTS))
@pytest.mark.parametrize("width", WIDTHS)
def test_a_fault_is_explained_within_the_width(name: str, width: int) -> None:
    lines = list(explain_lines(name, width))
    assert all(len(line.plain.rstrip()) <= width for line in lines)
    assert FAULTS[name].what in text_of(lines)


def test_a_code_may_be_typed_in_lower_case() -> None:
    assert explain_json("fl201")["code"] == "FL201"


@pytest.mark.parametrize(("typed", "near"), [("FL210", "FL201"), ("lost_reciept", "lost_receipt")])
def test_an_unknown_name_is_answered_with_the_nearest(typed: str, near: str) -> None:
    with pytest.raises(BadInput, match=near):
        list(explain_lines(typed, 80))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_list_names_every_code_once_with_its_severity(width: int) -> None:
    lines = [line.plain for line in list_lines(width)]
    assert all(len(line.rstrip()) <= width for line in lines)
    for code, rule in CATALOG.items():
        (line,) = [item for item in lines if item.startswith(f"{code} ")]
        assert rule.severity in line
