"""What a plain function claims by returning or raising, and what is charged for it."""

import asyncio
from contextlib import suppress
from typing import Any

import httpx
import pytest
from storefronts import ROUTE, TWINS, Shop, lost, once, retrying

from faultlab import Claim, Lab
from faultlab.core.agent import Budget


class NeedsAPerson(Exception):
    """Somebody has to look."""


def handing_over(client: Any) -> str:
    try:
        return once(client)
    except httpx.TimeoutException as error:
        raise NeedsAPerson("the refund may have been made") from error


def swallowing(client: Any) -> None:
    with suppress(httpx.TransportError):
        once(client)


def wrong_after_success(client: Any) -> None:
    once(client)
    raise KeyError("total")


@pytest.mark.parametrize("twin", TWINS)
def test_handing_over_is_clean_in_every_twin(twin: str) -> None:
    lab = lost(twin).in_front_of(Shop().transport)
    assert lab.run(handing_over, lab.client(), hands_over=NeedsAPerson) is None
    assert type(lab.raised) is NeedsAPerson
    lab.assert_clean()
    claim = lab.history.claim
    assert claim is not None and claim.status == "handed_over"
    assert [(record.last_receipt, record.handle) for record in claim.hand_over] == [("ReadTimeout", None)]


@pytest.mark.parametrize(
    ("function", "twin", "status", "codes"),
    [
        (once, "clean", "done", set()),
        (once, "never", "unknown", {"FL204"}),
        (once, "committed", "unknown", {"FL204"}),
        (handing_over, "committed", "unknown", {"FL204"}),
        (swallowing, "never", "done", {"FL102", "FL501", "FL505"}),
        (swallowing, "committed", "done", {"FL205", "FL505"}),
        (wrong_after_success, "clean", "not_done", {"FL502"}),
    ],
)
def test_the_claim_follows_from_what_the_function_does(function: Any, twin: str, status: str, codes: set[str]) -> None:
    lab = lost(twin).in_front_of(Shop().transport)
    lab.run(function, lab.client())
    claim = lab.history.claim
    assert claim is not None and claim.status == status
    assert set(lab.verdict().codes) == codes


def test_a_refusal_is_not_done_and_clean() -> None:
    lab = Lab().in_front_of(Shop().transport)
    lab.run(once, lab.client(), order="refused")
    claim = lab.history.claim
    assert claim is not None and claim.status == "not_done"
    lab.assert_clean()


def test_a_claim_that_is_returned_speaks_for_itself() -> None:
    lab = Lab().in_front_of(Shop().transport)
    lab.run(lambda: Claim.refused("no authority"))
    assert lab.history.claim is not None and lab.history.claim.status == "refused"


def test_two_operations_are_claimed_each_by_itself() -> None:
    """One is done, one is unknown: the person is told of the second only."""

    def two(client: Any) -> None:
        once(client, order="B92")
        handing_over(client)

    lab = Lab(twin="committed").fault("lost_receipt", on=ROUTE, match={"order_id": "A17"})
    lab.in_front_of(Shop().transport, identity=["order_id"])
    lab.run(two, lab.client(), hands_over=(NeedsAPerson,))
    claim = lab.history.claim
    assert claim is not None
    assert dict(claim.operations) == {f"{ROUTE}(B92)": "done"}
    assert [record.operation for record in claim.hand_over] == [f"{ROUTE}(A17)"]
    lab.assert_clean()


def test_without_a_budget_nobody_gives_up_too_early_with_one_they_do() -> None:
    for budget, codes in ((None, ()), (Budget(), ("FL203",))):
        lab = Lab(twin="committed", contract="strict", budget=budget).fault("lost_receipt", on=ROUTE)
        lab.in_front_of(Shop().transport)

        def keyed(client: Any) -> str:
            try:
                return once(client, **{"Idempotency-Key": "k"})
            except httpx.TimeoutException as error:
                raise NeedsAPerson from error

        lab.run(keyed, lab.client(), hands_over=NeedsAPerson)
        assert lab.verdict().codes == codes


def test_the_last_run_counts_and_the_operation_goes_on() -> None:
    """An outer layer that calls again after an exception is still one caller with one intention."""
    shop = Shop()
    lab = lost("committed").in_front_of(shop.transport)
    lab.run(once, lab.client())
    lab.run(once, lab.client())
    assert len(shop.refunds) == 2
    assert set(lab.verdict().codes) == {"FL101", "FL201"}


def test_an_assertion_in_the_function_is_the_tests_own() -> None:
    lab = Lab().in_front_of(Shop().transport)

    def asserting() -> None:
        raise AssertionError("mine")

    with pytest.raises(AssertionError, match=r"^mine$"):
        lab.run(asserting)


def test_without_a_run_effects_and_resends_are_judged_alone() -> None:
    lab = lost("committed").in_front_of(Shop().transport)
    retrying(lab.client())
    assert set(lab.verdict().codes) == {"FL101", "FL201"}


def test_nothing_called_is_no_test() -> None:
    lab = lost("committed").in_front_of(Shop().transport)
    lab.run(int)
    with pytest.raises(AssertionError, match="says nothing"):
        lab.assert_clean()


def test_async_functions_run_in_virtual_time() -> None:
    lab = Lab()

    async def patient() -> float:
        before = asyncio.get_running_loop().time()
        await asyncio.sleep(3600)
        return asyncio.get_running_loop().time() - before

    assert lab.run(patient) == 3600


def test_two_equal_orders_can_be_intended_under_two_keys() -> None:
    def both(client: Any, *keys: str) -> None:
        for key in keys:
            retrying(client, **{"Idempotency-Key": key})

    for keys, codes in ((("k1", "k2"), ()), (("k1", "k2", "k3"), ("FL101", "FL301"))):
        lab = lost("committed", "strict").in_front_of(Shop().transport, at_most={ROUTE: 2})
        lab.run(both, lab.client(), *keys)
        assert lab.verdict().codes == codes
    unmarked = lost("committed").in_front_of(Shop().transport, at_most={ROUTE: 2})
    unmarked.run(retrying, unmarked.client())
    assert "FL101" in unmarked.verdict().codes
