"""docs/side-by-side.md: its tables as they are measured here, and what it says of each layer, from the records."""

import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from json import loads
from pathlib import Path
from typing import NamedTuple

import pytest
from sidebyside.catalog import SUBJECTS
from sidebyside.measure import Counts, Measured, counted, measure
from sidebyside.table import marks, tables
from sidebyside.work import SOLD

from faultlab.records.rows import AttemptRow

PROJECT = Path(__file__).parents[2]
AGENTS = {subject.name: subject.agent for subject in SUBJECTS}
KEYED = ("strict", "ietf", "stripe_v1")
CRASH = "crash-journal-kept"


class Send(NamedTuple):
    """One write as it reached the wire."""

    outcome: str
    key: str | None


@pytest.fixture(scope="module")
def found() -> Measured:
    return measure()


def rows(found: Measured, name: str, *scenarios: str, but: tuple[str, ...] = ()) -> Iterator[AttemptRow]:
    """The attempts of one subject: of some scenarios, or of all but some."""
    for row in found.rows[AGENTS[name]]:
        if (not scenarios or row.scenario in scenarios) and row.scenario not in but:
            yield row


def sends(row: AttemptRow) -> list[Send]:
    return [Send(outcome, key) for _, tool, outcome, _, key, *_ in loads(row.calls) if tool in SOLD]


def effects(row: AttemptRow) -> int:
    return sum(loads(row.outcome_truth).values())


def claimed(row: AttemptRow) -> str:
    return str(loads(row.outcome_claimed)[""])


def wanted(found: Measured, row: AttemptRow) -> int:
    return sum(found.wanted[row.scenario, operation] for operation in loads(row.outcome_truth))


def surplus(found: Measured, name: str) -> set[tuple[str, str]]:
    """Scenario and twin of each attempt with an effect too many."""
    return {(row.scenario, row.twin) for row in rows(found, name) if effects(row) > wanted(found, row)}


def landed(found: Measured, name: str) -> dict[tuple[str, str], str]:
    """Scenario and contract -> marks."""
    groups = {(group.scenario, group.contract): group for group in found.groups[AGENTS[name]]}
    return {(scenario, contract): marks(groups[scenario, contract], twins) for scenario, contract, twins in found.order}


def counts(found: Measured, name: str) -> Counts:
    return counted(found, AGENTS[name])


def test_the_page_has_the_tables_as_measured(found: Measured) -> None:
    page = (PROJECT / "docs" / "side-by-side.md").read_text(encoding="utf-8")
    for table in tables(found):
        assert table in page, f"run python tests/sidebyside/table.py; docs/side-by-side.md should have:\n{table}"


def test_the_versions_are_those_that_the_extra_pins() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = dict(item.split("==") for item in project["optional-dependencies"]["sidebyside"])
    assert {name: version(name) for name in pinned} == pinned
    assert {subject.package for subject in SUBJECTS} == {*pinned, "faultlab"}


def test_every_attempt_counts(found: Measured) -> None:
    """No subject crashed, and each planned fault struck."""
    for subject in SUBJECTS:
        verdicts = {row.verdict for row in found.rows[subject.agent]}
        assert verdicts <= {"pass", "fail"}, subject.name
        codes = {code for row in found.rows[subject.agent] for code in loads(row.failed_checks)}
        assert not codes & {"FL504", "FL901", "FL902", "FL903", "FL904"}, subject.name


@pytest.mark.parametrize("name", ["httpx alone", "httpx-retries", "exactly-once", "agent-once"])
def test_sends_nothing_again_in_one_life(found: Measured, name: str) -> None:
    for row in rows(found, name, but=(CRASH,)):
        assert len(sends(row)) <= wanted(found, row)


def test_httpx_retries_leaves_a_post_alone(found: Measured) -> None:
    assert landed(found, "httpx-retries") == landed(found, "httpx alone")
    assert counts(found, "httpx-retries") == counts(found, "httpx alone")


def test_httpx_retries_with_post_sends_again_without_a_key_below_the_caller(found: Measured) -> None:
    for row in rows(found, "httpx-retries, POST", "lost-receipt", "resend-lost-too"):
        hidden = any(code == "FL406" for code, *_ in loads(row.findings))
        assert hidden == (row.twin != "clean") == (len(sends(row)) > 1)
        assert {send.key for send in sends(row)} == {None}


def test_httpx_retries_does_not_see_half_a_body(found: Measured) -> None:
    for row in rows(found, "httpx-retries, POST", "receipt-truncated"):
        assert len(sends(row)) == 1 and claimed(row) == ("done" if row.twin == "clean" else "handed_over")


def test_httpx_retries_obeys_retry_after(found: Measured) -> None:
    passed = {row.twin for row in rows(found, "httpx-retries, POST", "throttled") if row.verdict == "pass"}
    assert {"seconds", "date"} <= passed
    beyond = [row for row in rows(found, "httpx-retries, POST", "throttled") if row.twin == "beyond"]
    assert all("FL404" in loads(row.failed_checks) for row in beyond)


@pytest.mark.parametrize("name", ["stamina", "latch-idempotent"])
def test_lands_where_tenacity_lands(found: Measured, name: str) -> None:
    assert landed(found, name) == landed(found, "tenacity")
    assert counts(found, name) == counts(found, "tenacity")


def test_durastep_lands_where_tenacity_lands_but_for_equal_orders(found: Measured) -> None:
    ours, theirs = landed(found, "durastep"), landed(found, "tenacity")
    assert {scenario for scenario, contract in ours if ours[scenario, contract] != theirs[scenario, contract]} == {
        "two-intended"
    }


@pytest.mark.parametrize("name", ["tenacity", "stamina", "latch-idempotent", "durastep"])
def test_sends_up_to_three_times_and_without_a_key(found: Measured, name: str) -> None:
    for row in rows(found, name, "resend-lost-too"):
        assert len(sends(row)) == (1 if row.twin == "clean" else 3)
        assert {send.key for send in sends(row)} == {None}
    assert all(claimed(row) == "done" for row in rows(found, name))


@pytest.mark.parametrize("name", ["agentraas", "durastep, own key"])
def test_sends_again_under_one_key(found: Measured, name: str) -> None:
    for row in rows(found, name, "lost-receipt"):
        assert (len(sends(row)) > 1) == (row.twin != "clean")
        assert len({send.key for send in sends(row)}) == 1 and sends(row)[0].key is not None
        assert (row.verdict == "pass") == (row.twin == "clean" or row.contract in KEYED)


def test_exactly_once_hands_over_whatever_raised(found: Measured) -> None:
    for row in rows(found, "exactly-once"):
        assert claimed(row) == ("done" if row.twin == "clean" else "handed_over")
    assert surplus(found, "exactly-once") == set()


@pytest.mark.parametrize("name", ["exactly-once, prober", "agent-once, verify"])
def test_a_look_takes_absence_for_proof(found: Measured, name: str) -> None:
    """It sends again after one look that found nothing; only what lands late is doubled."""
    for row in rows(found, name, "lost-receipt", "resend-lost-too"):
        if row.twin != "clean":
            assert (row.queries_before_resend > 0) == (len(sends(row)) > 1)
        if row.twin == "committed":
            assert effects(row) == 1 and claimed(row) == "done"
    assert {twin for _, twin in surplus(found, name)} == {"late_network", "late_server"}
    for row in rows(found, name, "query-stale"):
        assert effects(row) <= 1
    for (scenario, contract), mark in landed(found, name).items():
        if scenario in ("lost-receipt", "resend-lost-too", "receipt-truncated") and contract in KEYED:
            assert mark == "✓✓✓✓"


def test_verify_lands_where_the_prober_does_but_for_equal_orders_and_a_crash(found: Measured) -> None:
    ours, theirs = landed(found, "agent-once, verify"), landed(found, "exactly-once, prober")
    differing = {scenario for scenario, contract in ours if ours[scenario, contract] != theirs[scenario, contract]}
    assert differing == {"two-intended", CRASH}


FAILED = ("agent-once", "deduplex", "deduplex, webhook", "agent-outbox", "agent-ledger")


def test_the_rows_that_the_page_names() -> None:
    numbers = {name: number for number, name in enumerate(AGENTS, 1)}
    assert [numbers[name] for name in FAILED] == [9, 12, 13, 14, 17]
    assert [numbers[name] for name in ONE_KEY] == [6, 9, 10, 12, 14, 15, 16, 17]
    assert numbers["tenacity"] == 2


@pytest.mark.parametrize("name", FAILED)
def test_a_lost_receipt_is_recorded_as_failed(found: Measured, name: str) -> None:
    for row in rows(found, name, "lost-receipt"):
        assert claimed(row) == ("done" if row.twin == "clean" else "not_done")
        assert len(sends(row)) == 1
        if row.twin not in ("clean", "never"):
            assert "FL502" in loads(row.failed_checks)


@pytest.mark.parametrize("name", ["deduplex", "deduplex, webhook", "agent-outbox", "agent-ledger"])
def test_duplicates_come_from_a_crash_only(found: Measured, name: str) -> None:
    assert {scenario for scenario, _ in surplus(found, name)} == {CRASH}


@pytest.mark.parametrize("name", ["deduplex, webhook", "agent-outbox", "agent-ledger"])
def test_after_a_crash_the_same_key_goes_out(found: Measured, name: str) -> None:
    for row in rows(found, name, CRASH):
        if row.twin != "clean":
            assert len(sends(row)) >= 2 and len({send.key for send in sends(row)}) == 1
            assert sends(row)[0].key is not None
    assert all(effects(row) <= 1 for row in rows(found, name, CRASH) if row.contract in KEYED)


@pytest.mark.parametrize("name", ["agentraas", "exactly-once", "agent-once", "agent-once, verify"])
def test_after_a_crash_nothing_is_sent(found: Measured, name: str) -> None:
    for row in rows(found, name, CRASH):
        assert len(sends(row)) == 1


def test_agentraas_waits_for_the_call_that_died(found: Measured) -> None:
    for row in rows(found, "agentraas", CRASH):
        if row.twin != "clean":
            assert row.elapsed_seconds > 30 and claimed(row) == "handed_over"


def test_agent_outbox_takes_a_call_over_when_its_lease_has_ended(found: Measured) -> None:
    for row in rows(found, "agent-outbox", CRASH):
        assert (row.elapsed_seconds > 30) == (len(sends(row)) > 1) == (row.twin != "clean")


def test_webhook_keeps_a_429_and_a_500_as_a_result(found: Measured) -> None:
    for row in rows(found, "deduplex, webhook", "server-error", "throttled"):
        assert len(sends(row)) == 1
        assert (claimed(row) == "done") == (row.twin == "clean")


ONE_KEY = (
    "agentraas",
    "agent-once",
    "agent-once, verify",
    "deduplex",
    "agent-outbox",
    "durastep",
    "durastep, own key",
    "agent-ledger",
)


@pytest.mark.parametrize("name", AGENTS)
def test_two_equal_orders(found: Measured, name: str) -> None:
    for row in rows(found, name, "two-intended"):
        if row.twin == "clean":
            assert effects(row) == (1 if name in ONE_KEY else 2) and claimed(row) == "done"


@pytest.mark.parametrize("name", ["ToolClient", "careful"])
def test_passes_all(found: Measured, name: str) -> None:
    passed, groups, duplicates, _, untrue, early, *_ = counts(found, name)
    assert passed == groups and not duplicates and not untrue and not early
    short = {(row.scenario, row.twin) for row in rows(found, name) if claimed(row) == "not_done"}
    assert short == {("throttled", "beyond")} and counts(found, name).missing == 2
