"""Laws of the judge over random attempts on the real engine, ended by random claims."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from attempts import Attempt, contracts, moves, plans
from hypothesis import event, given, settings
from hypothesis import strategies as st

from faultlab.core.clock import NS
from faultlab.core.contract import Contract
from faultlab.core.handover import record_of
from faultlab.core.history import History
from faultlab.core.records import STATUSES, Call, Claim, Effect, Fired, Outcome
from faultlab.core.trace import dump, load
from faultlab.core.verdict import Finding
from faultlab.faults.catalog import TWINS
from faultlab.faults.plan import Planned
from faultlab.faults.symptoms import LOSING
from faultlab.rules.catalog import CATALOG, RULES
from faultlab.rules.evidence import Evidence
from faultlab.rules.judge import exercised, judge

LABELS = ("refund_order(A17)", "refund_order(A17)#2", "refund_order(B92)")
statuses = st.sampled_from(STATUSES)
claims = st.fixed_dictionaries(
    {
        "status": statuses,
        "evidence": st.lists(st.integers(1, 9), max_size=3, unique=True).map(tuple),
        "operations": st.dictionaries(st.sampled_from(LABELS), statuses, max_size=2),
        "recorded": st.booleans(),
    }
)
effects = st.builds(
    Effect,
    id=st.sampled_from(["e1", "e2", "e3", "e4"]),
    t=st.integers(0, 700 * NS),
    call=st.integers(0, 9),
    tool=st.sampled_from(["refund_order", "reverse_refund"]),
    identity=st.sampled_from(["A17", "B92"]),
    args=st.just({}),
    cause=st.sampled_from(["agent", "server", "interference"]),
    reverses=st.sampled_from([None, None, "e1"]),
    before=st.just({}),
    after=st.just({}),
)
ledgers = st.lists(effects, max_size=4, unique_by=lambda effect: effect.id)
RECOVERY = [rule for rule in RULES if rule.code.startswith(("FL2", "FL3"))]


def told(attempt: Attempt, drawn: dict[str, Any] | None) -> History:
    """The attempt with its claim; None: it crashed."""
    if drawn is None:
        return attempt.history()
    attempt.fold()
    unknown = [item for item in attempt.knowledge.operations if item.knowledge is Outcome.UNKNOWN]
    records = tuple(map(record_of, unknown)) if drawn["recorded"] else ()
    return attempt.history(Claim(drawn["status"], "", drawn["evidence"], drawn["operations"], records))


def played(contract: Contract, plan: Sequence[Planned], script: Any, claim: Any, intended: int = 1) -> History:
    attempt = Attempt(contract, tuple(plan), intended)
    for move in script:
        attempt.play(move, lambda attempt, call: True)
    return told(attempt, claim)


def recovery_findings(history: History) -> list[Finding]:
    """What FL2xx and FL3xx find, before any of it gives way."""
    evidence = Evidence(history)
    return [finding for rule in RECOVERY for finding in rule.check(evidence)]


def judged_recovery(history: History) -> list[Finding]:
    """The same as it comes out of the judge, apart from FL205, which gives way to FL501 and FL502."""
    found = [item for item in judge(history).findings if item.code.startswith(("FL2", "FL3"))]
    return sorted(item for item in found if item.code != "FL205")


def seen(history: History) -> list[Any]:
    """What the caller could see: everything but the faults."""
    return [item for item in history.events if type(item) is not Fired]


histories = st.builds(played, contracts, plans, moves, st.none() | claims, st.integers(1, 2))


@given(histories, ledgers)
@settings(max_examples=200)
def test_how_a_recovery_is_judged_does_not_depend_on_what_the_server_did(history: History, ledger: Any) -> None:
    other = replace(history, ledger=ledger, events=seen(history), facts={"orders/A17/status": "paid"})
    assert recovery_findings(other) == recovery_findings(history)
    assert judged_recovery(other) == judged_recovery(history)


@given(
    contract=contracts,
    symptom=st.sampled_from(sorted(LOSING)),
    script=moves,
    claim=st.none() | claims,
    intended=st.integers(1, 2),
)
@settings(max_examples=150)
def test_twins_that_look_alike_are_judged_alike(
    contract: Contract, symptom: str, script: Any, claim: Any, intended: int
) -> None:
    twins = [
        played(contract, [Planned("refund_order", phase, symptom, late_ns=600 * NS)], script, claim, intended)
        for phase in TWINS.values()
    ]
    first = twins[0]
    alike = [twin for twin in twins if seen(twin) == seen(first)]
    event(f"{len(alike)} alike, {len({len(twin.ledger) for twin in alike})} truths")
    for twin in alike[1:]:
        assert recovery_findings(twin) == recovery_findings(first)
        assert judged_recovery(twin) == judged_recovery(first)


@given(histories)
@settings(max_examples=200)
def test_a_judge_is_steady_and_changes_nothing(history: History) -> None:
    before = dump(history)
    verdict = judge(history)
    assert judge(history) == verdict
    assert dump(history) == before
    assert judge(load(before)) == verdict


@given(histories)
@settings(max_examples=200)
def test_a_rule_that_finds_something_was_exercised(history: History) -> None:
    found = {item.code for item in judge(history).findings}
    for code in found:
        event(code)
    assert found <= exercised(history)


@given(histories, ledgers)
@settings(max_examples=200)
def test_the_judge_leaves_out_no_rule_that_would_find_something(history: History, ledger: Any) -> None:
    for told_of in (history, replace(history, ledger=ledger)):
        evidence = Evidence(told_of)
        every = {(item.code, item.operation) for rule in RULES for item in rule.check(evidence)}
        found = {(item.code, item.operation) for item in judge(told_of).findings}
        contradicted = {name for code, name in every if code in ("FL501", "FL502")}
        gives_way = {(code, name) for code, name in every if code == "FL205" and name in contradicted}
        assert found == every - gives_way


@given(histories)
@settings(max_examples=200)
def test_a_finding_is_no_more_severe_than_its_rule_and_names_what_was_there(history: History) -> None:
    numbers = {item.n for item in history.events if isinstance(item, Call)}
    for item in judge(history).findings:
        rule = CATALOG[item.code]
        assert item.severity in (rule.severity, "note")
        assert set(item.effects) <= {effect.id for effect in history.ledger}
        if item.code != "FL505":  # which names calls that are not there
            assert set(item.calls) <= numbers
