"""A respx router with a lab in front of it works as one without: names, calls, assert_all_called."""

from contextlib import suppress
from typing import Any

import httpx
import pytest
import respx

from faultlab import Lab

URL = "https://pay.example/v1/refunds"


def refund(*, tries: int = 1) -> None:
    with httpx.Client() as client:
        for _ in range(tries):
            with suppress(httpx.TransportError):
                client.post(URL, json={"order_id": "A17"})


def lost(twin: str) -> Lab:
    return Lab(twin=twin).fault("lost_receipt", on="POST /v1/refunds")


def test_routes_are_found_by_name_before_and_after_the_mount() -> None:
    with respx.mock() as router:
        before = router.post(URL, name="refund").respond(201, json={"id": "re_1"})
        lab = Lab().in_front_of(router)
        after = router.get(URL, name="refunds").respond(200, json=[])
        lab.run(refund)
        httpx.get(URL)
        assert router["refund"] is before and router["refunds"] is after and list(router.routes) == [before, after]
        assert before.called and after.call_count == 1
        assert [call.request.method for call in router.calls] == ["POST", "GET"]
        assert router.calls[0].response.json() == {"id": "re_1"}
        router["refund"].respond(500)
        assert httpx.post(URL).status_code == 500
        assert router.pop("refunds") is after
        with pytest.raises(AssertionError, match="not mocked"):
            httpx.get(URL)


def test_calls_that_were_lost_have_no_response() -> None:
    with respx.mock(assert_all_called=False) as router:
        route = router.post(URL).respond(201)
        lost("never").in_front_of(router).run(refund, tries=2)
        assert [call.has_response for call in router.calls] == [False, True]
        assert route.call_count == 1
        router.reset()
        assert router.calls.call_count == route.call_count == 0


def test_a_route_that_nobody_called_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="some routes were not called"), respx.mock() as router:
        router.post(URL).respond(201)
        router.get(URL).respond(200)
        Lab().in_front_of(router).run(refund)


@pytest.mark.parametrize("twin", ["never", "late"])
def test_a_request_that_was_lost_on_its_way_was_a_call(twin: str) -> None:
    with respx.mock() as router:
        route = router.post(URL).respond(201)
        lab = lost(twin).in_front_of(router)
        lab.run(refund)
        assert not route.called
    assert "FL501" in lab.verdict().codes or twin == "late"
    assert route.called == (twin == "late")


def test_a_router_that_mocks_what_it_does_not_know() -> None:
    with respx.mock(assert_all_mocked=False) as router:
        Lab().in_front_of(router).run(refund)
        assert router.calls.last.response.status_code == 200


def test_the_end_of_the_mock_takes_the_lab_away() -> None:
    router = respx.mock(assert_all_called=False)
    own = dict(vars(router))
    with router:
        route = router.post(URL).respond(201)
        lab = Lab().in_front_of(router)
        router.snapshot()
        router.post(URL).respond(503)
        router.rollback()  # a test's own, inside
        lab.run(refund)
        assert len(lab.ledger) == 1 and route.called
    assert vars(router).keys() - own.keys() <= {"Mocker"} and len(router.routes) == 0
    with router:
        router.post(URL).respond(201)
        refund()
    assert len(lab.ledger) == 1


def test_a_catch_all_route_stands_behind_the_lab(respx_mock: Any) -> None:
    lab = Lab().in_front_of(respx_mock)
    respx_mock.route().respond(201, json={})
    lab.run(refund)
    assert len(lab.ledger) == 1
