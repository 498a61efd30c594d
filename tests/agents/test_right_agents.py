"""Agents that must be right: in every cell at most one effect, a true claim, and the stop that the contract leaves."""

from collections import Counter
from typing import Any

import pytest
from agents.support import EQUAL, ONE, TWO, Came, attempt, group, lost, twins

from faultlab.agents.careful import careful, careful_async
from faultlab.agents.correct import CORRECT
from faultlab.agents.oracle import oracle
from faultlab.core.contract import Contract
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Status
from faultlab.matrix.scenario import Group
from faultlab.rules.judge import judge

RIGHT: dict[str, Any] = {"careful": careful, "careful_async": careful_async, "oracle": oracle, **CORRECT}

UNPROVABLE = {"none", "cooperative", "precondition"}
"""Contracts under which nothing ever proves that a lost call did not happen; under all others something does."""


def rightly(contract: str, twin: str, symptom: str = "") -> Status:
    """A late call lands right after the first look, so that the second look finds it. Where a failure gives the key
    free, a key that was answered 5xx proves nothing either."""
    key = PROFILES[contract].key
    freed = key is not None and key.frees_on_5xx and symptom == "status"
    return "handed_over" if twin == "never" and (contract in UNPROVABLE or freed) else "done"


def check(came: Came, where: Group, statuses: dict[str, Status]) -> None:
    claimed = {name: came.claim.of(name) for name in statuses}
    assert claimed == statuses
    assert came.claim.status == ("handed_over" if "handed_over" in statuses.values() else "done")
    made = Counter(came.effects)
    for item in where.scenario.expectation.effects:
        labels = [f"{item.tool}({item.identity})" + ("" if n == 1 else f"#{n}") for n in range(1, item.exactly + 1)]
        done = sum(statuses[label] == "done" for label in labels)
        assert made[item.tool, item.identity] == done
    verdict = judge(came.history)
    assert (verdict.verdict, verdict.codes) == ("pass", ())


@pytest.mark.parametrize("contract", PROFILES)
@pytest.mark.parametrize("name", RIGHT)
def test_one_refund(name: str, contract: str) -> None:
    where = group(contract)
    for twin in where.twins:
        check(attempt(RIGHT[name], where, twin), where, {"refund_order(A17)": rightly(contract, twin)})


@pytest.mark.parametrize("contract", PROFILES)
@pytest.mark.parametrize("name", RIGHT)
def test_the_second_of_two_refunds(name: str, contract: str) -> None:
    where = group(contract, TWO, twins(TWO, occurrence=2))
    for twin in where.twins:
        statuses: dict[str, Status] = {"refund_order(A17)": "done", "refund_order(B92)": rightly(contract, twin)}
        check(attempt(RIGHT[name], where, twin), where, statuses)


@pytest.mark.parametrize("contract", PROFILES)
@pytest.mark.parametrize("name", RIGHT)
def test_the_first_of_two_equal_orders(name: str, contract: str) -> None:
    where = group(contract, EQUAL)
    for twin in where.twins:
        came = attempt(RIGHT[name], where, twin)
        statuses: dict[str, Status] = {
            "place_order(C5, mug)": rightly(contract, twin),
            "place_order(C5, mug)#2": "done",
        }
        check(came, where, statuses)


@pytest.mark.parametrize("symptom", ["reset", "close", "status", "truncated", "garbled", "short"])
@pytest.mark.parametrize("name", RIGHT)
def test_every_look_of_a_lost_receipt(name: str, symptom: str) -> None:
    for contract in PROFILES:
        where = group(
            contract,
            plans={"never": (lost("before", symptom=symptom),), "committed": (lost("after", symptom=symptom),)},
        )
        for twin in ("never", "committed"):
            check(attempt(RIGHT[name], where, twin), where, {"refund_order(A17)": rightly(contract, twin, symptom)})


@pytest.mark.parametrize("symptom", ["timeout", "reset"])
@pytest.mark.parametrize("name", RIGHT)
def test_a_connection_that_never_came_about_is_tried_again(name: str, symptom: str) -> None:
    for contract in PROFILES:
        where = group(contract, plans={"refused": (lost("connect", symptom=symptom),)})
        came = attempt(RIGHT[name], where, "refused")
        check(came, where, {"refund_order(A17)": "done"})
        assert came.tools == ["get_order", "refund_order", "refund_order"]


@pytest.mark.parametrize("contract", PROFILES)
def test_both_drivers_make_the_same_history(contract: str) -> None:
    for inputs in (ONE, TWO, EQUAL):
        where = group(contract, inputs)
        for twin in where.twins:
            sync, other = (attempt(agent, where, twin).history for agent in (careful, careful_async))
            assert sync.events == other.events
            assert sync.ledger == other.ledger


@pytest.mark.parametrize("name", RIGHT)
def test_the_user_is_asked_until_an_order_is_named(name: str) -> None:
    where = group("none", {}, {}, user=["I want my money back.", "It is order A17.", "Hurry."])
    came = attempt(RIGHT[name], where)
    assert came.tools == ["get_order", "refund_order"]
    assert came.effects == [("refund_order", "A17")]
    assert "40.00" in came.claim.text


@pytest.mark.parametrize("name", RIGHT)
def test_evidence_names_the_call_that_proves_it(name: str) -> None:
    came = attempt(RIGHT[name], group("none"), "committed")
    assert [came.calls[number - 1].tool for number in came.claim.evidence] == ["list_refunds"]


@pytest.mark.parametrize("agent", [careful, careful_async, oracle])
def test_nobody_waits_for_what_the_budget_does_not_allow(agent: Any) -> None:
    where = group(Contract(name="long", settle_s=600.0, consistent_reads=True))
    check(attempt(agent, where, "never"), where, {"refund_order(A17)": "handed_over"})
    check(attempt(agent, where, "committed"), where, {"refund_order(A17)": "done"})
