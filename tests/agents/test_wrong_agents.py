"""The agents that are wrong on purpose: exactly what each sends, when, under which key, and what it claims."""

from typing import Any

import pytest
from agents.support import EQUAL, ONE, TWO, attempt, failing, group, lost, twins

from faultlab.agents.catalog import AGENTS, REFERENCE
from faultlab.agents.probes import PROBES
from faultlab.core.profiles import PROFILES
from faultlab.core.records import STATUSES
from faultlab.rules.judge import judge

RESENDERS = ("blind_retry", "fresh_key", "same_key", "query_once")
ALL_LOST = {"lost": failing("refund_order", 3, "timeout")}


@pytest.mark.parametrize("name", RESENDERS)
def test_a_resender_sends_three_times_and_then_says_that_nothing_was_done(name: str) -> None:
    came = attempt(AGENTS[name], group("strict", plans=ALL_LOST), "lost")
    assert len(came.sends) == 3
    assert came.waits("refund_order") == pytest.approx([0.5, 1.0])
    assert (came.claim.status, came.claim.operations) == ("not_done", {"refund_order(A17)": "not_done"})


@pytest.mark.parametrize("name", RESENDERS)
def test_a_resender_is_done_at_the_first_2xx(name: str) -> None:
    came = attempt(AGENTS[name], group("strict"), "never")
    assert len(came.sends) == 2
    assert (came.claim.status, came.claim.evidence) == ("done", (came.sends[1].n,))
    assert "40.00" in came.claim.text


def test_the_keys_of_each_resender() -> None:
    keys = {name: attempt(AGENTS[name], group("strict", plans=ALL_LOST), "lost").keys for name in RESENDERS}
    assert keys["blind_retry"][0] is not None
    assert keys["blind_retry"][1:] == [None, None]
    assert len({*keys["fresh_key"], None}) == 4
    for name in ("same_key", "query_once"):
        assert None not in keys[name]
        assert len(set(keys[name])) == 1


@pytest.mark.parametrize("name", AGENTS)
def test_a_key_is_sent_only_where_the_tool_offers_it_and_a_reference_always(name: str) -> None:
    for contract in PROFILES:
        for twin, plan in twins(ONE).items():
            came = attempt(AGENTS[name], group(contract, plans={twin: plan}), twin)
            offered = PROFILES[contract].key is not None
            assert (came.sends[0].key is not None) == offered
            assert offered or set(came.keys) == {None}
            assert None not in [call.reference for call in came.sends]


@pytest.mark.parametrize("name", [*RESENDERS, "careful"])
def test_keys_and_references_come_from_task_and_operation_alone(name: str) -> None:
    def handles(index: int) -> list[Any]:
        came = attempt(AGENTS[name], group("strict", TWO, ALL_LOST), "lost", index)
        return [(call.key, call.reference) for call in came.sends]

    assert handles(1) == handles(1)
    assert not {key for key, _ in handles(1) if key} & {key for key, _ in handles(2)}
    assert not {reference for _, reference in handles(1)} & {reference for _, reference in handles(2)}


def test_two_equal_orders_share_a_key_with_same_key_only() -> None:
    for name in REFERENCE:
        came = attempt(AGENTS[name], group("strict", EQUAL, {}))
        assert list(came.claim.operations) == ["place_order(C5, mug)", "place_order(C5, mug)#2"]
        assert len(came.effects) == (1 if name == "same_key" else 2), name
        assert len({call.reference for call in came.sends}) == 2


@pytest.mark.parametrize(
    ("contract", "asked"), [("none", "list_refunds"), ("status", "operation_status"), ("fence", "list_refunds")]
)
def test_query_once_asks_the_status_where_offered_else_the_list(contract: str, asked: str) -> None:
    came = attempt(AGENTS["query_once"], group(contract, plans=ALL_LOST), "lost")
    assert came.tools == ["get_order", "refund_order", asked, "refund_order", asked, "refund_order"]


def test_query_once_is_done_when_it_finds_the_effect_and_takes_everything_else_for_absence() -> None:
    found = attempt(AGENTS["query_once"], group("none"), "committed")
    assert (len(found.sends), found.claim.status, len(found.effects)) == (1, "done", 1)
    for contract, plan in (
        ("status", twins(ONE)["late_server"]),  # not_ready
        ("none", (lost("after"), *failing("list_refunds", 2))),  # no answer
    ):
        came = attempt(AGENTS["query_once"], group(contract, plans={"late": plan}), "late")
        assert (len(came.sends), len(came.effects)) == (2, 2), contract


def test_never_retry_stops_at_the_first_failure() -> None:
    for contract in PROFILES:
        for twin in twins(ONE):
            came = attempt(AGENTS["never_retry"], group(contract), twin)
            assert (came.tools, came.claim.status) == (["get_order", "refund_order"], "not_done")


def test_never_retry_and_giver_up_leave_the_rest_of_the_task_undone() -> None:
    for name in ("never_retry", "giver_up"):
        came = attempt(AGENTS[name], group("strict", TWO), "never")
        assert came.tools == ["get_order", "refund_order"]


def test_claimer_claims_success_after_one_call_whatever_came_back() -> None:
    for twin in ("clean", *twins(ONE)):
        came = attempt(AGENTS["claimer"], group("strict"), twin)
        assert came.tools == ["get_order", "refund_order"]
        assert (came.claim.status, came.claim.evidence) == ("done", (2,))


@pytest.mark.parametrize("contract", PROFILES)
def test_giver_up_hands_over_at_once_with_a_complete_record(contract: str) -> None:
    for twin in twins(ONE):
        came = attempt(AGENTS["giver_up"], group(contract), twin)
        assert came.tools == ["get_order", "refund_order"]
        (record,) = came.claim.hand_over
        send = came.sends[0]
        assert (record.operation, record.first_sent_ns, record.reads) == ("refund_order(A17)", send.t, ())
        assert record.handle == (send.key or send.reference)
        assert record.last_receipt == "ReadTimeout"
        assert judge(came.history).codes == ("FL203",)


def test_overwriter_is_careful_where_nothing_is_conditional() -> None:
    for twin in ("clean", *twins(ONE)):
        both = [attempt(AGENTS[name], group("none"), twin).history.events for name in ("overwriter", "careful")]
        assert both[0] == both[1]


@pytest.mark.parametrize("name", PROBES)
def test_a_probe_makes_its_calls_and_its_claim_whatever_happens(name: str) -> None:
    calls, _, status = name.partition(", ")
    for twin in ("clean", *twins(ONE)):
        came = attempt(PROBES[name], group("none", TWO, twins(ONE)), twin)
        assert (len(came.sends), came.claim.status) == (0 if calls == "no call" else 1, status)


def test_there_is_a_probe_for_every_claim_with_and_without_a_call() -> None:
    assert set(PROBES) == {f"{calls}, {status}" for calls in ("no call", "one call") for status in STATUSES}
