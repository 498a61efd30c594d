"""The page about one attempt."""

import pytest
from report.samples import DUPLICATE, RESENT, made, result

from faultlab.core.verdict import Finding, Verdict
from faultlab.report.attempt import AttemptView, attempt_lines


def page(width: int, *findings: Finding, **changes: object) -> list[str]:
    verdict = Verdict("fail", "harm", findings)
    view = AttemptView(3, 7, result(12, "committed", *findings), made("resender", "committed"), verdict, 5)
    return [line.plain for line in attempt_lines(view._replace(**changes), width)]  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [50, 60, 80, 120])
def test_it_fits_and_says_who_where_and_what(width: int) -> None:
    lines = page(width, DUPLICATE, RESENT)
    assert all(len(line.rstrip()) <= width for line in lines if "faultlab " not in line)
    text = " ".join(" ".join(lines).split())
    for part in (
        "attempt 3:12",
        "lost-receipt / committed",
        "1 of 5",
        "seed 7",
        "said: done",
        "took effect twice (1 wanted)",
    ):
        assert part in text, part
    for finding in (DUPLICATE, RESENT):
        assert finding.code in text and finding.text in text and finding.severity in text


def test_effects_bear_the_names_of_the_timeline() -> None:
    history = made("resender", "committed")
    second = history.ledger[1].id
    text = "\n".join(page(120, DUPLICATE._replace(text=f"{second} is one too many"), history=history))
    assert "e2 is one too many" in text and f" {second}" not in text


def test_the_id_of_a_refund_is_not_taken_for_the_effect_it_ends_like() -> None:
    history = made("resender", "committed")
    refund = "r" + history.ledger[0].id
    assert f"{refund} is fine" in "\n".join(page(120, DUPLICATE._replace(text=f"{refund} is fine"), history=history))


def test_what_is_not_charged_is_said_to_be_so() -> None:
    text = "\n".join(page(200, DUPLICATE._replace(cause="server")))
    assert "caused by the server: not charged" in text


def test_neighbours_are_named_by_address() -> None:
    sibling, better = result(40, "never"), result(99, "committed", agent="careful")
    text = "\n".join(page(80, DUPLICATE, siblings=(sibling,), better=better))
    assert "never ✓ 3:40" in text
    assert "faultlab show --diff 3:12 careful" in text


def test_why_an_attempt_does_not_count_is_said() -> None:
    verdict = Verdict("infra_error", "inconclusive", (), "fault_not_fired")
    text = "\n".join(page(80, verdict=verdict))
    assert "INCONCLUSIVE" in text and "fault_not_fired" in text
