"""What a read proves in front of somebody's own app: nothing, but its own handle, unless it is declared."""

import json
import time
from typing import Any

import httpx
import pytest
from storefronts import ROUTE, TWINS, lost

from faultlab import Lab
from faultlab.core.errors import BadInput

LIST = "GET /v1/orders/{order_id}/refunds"


class Books:
    """Refunds with the client's own reference, listed by order."""

    def __init__(self) -> None:
        self.refunds: list[dict[str, Any]] = []
        self.transport = httpx.MockTransport(self.handle)

    def handle(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            order = request.url.path.split("/")[3]
            return httpx.Response(200, json={"refunds": [item for item in self.refunds if item["order_id"] == order]})
        self.refunds.append(json.loads(request.content))
        return httpx.Response(201, json={"id": "re"})


def look_then_resend(client: Any, wait_s: float = 1.0, **body: str) -> str:
    for _ in range(3):
        try:
            client.post("/v1/refunds", json={"order_id": "A17", **body}).raise_for_status()
        except httpx.TimeoutException:
            time.sleep(wait_s)
            if client.get("/v1/orders/A17/refunds").json()["refunds"]:
                return "found"
        else:
            return "sent"
    raise RuntimeError("gave up")


def shown(body: Any) -> list[str | None]:
    return [item.get("reference") for item in body["refunds"]]


def declared(lab: Lab, books: Books) -> Lab:
    return lab.in_front_of(books.transport, effects={ROUTE: ["order_id"]}, reveals={LIST: {ROUTE: shown}})


def test_a_read_that_shows_the_own_reference_proves_the_effect() -> None:
    """It can have come from nowhere else; without a reference the refund may be anybody's."""
    for body, codes in (({"reference": "r-1"}, ()), ({}, ("FL205", "FL505"))):
        lab = lost("committed").in_front_of(Books().transport)
        assert lab.run(look_then_resend, lab.client(), **body) == "found"
        assert lab.verdict().codes == codes


def test_the_member_that_is_the_reference_can_be_named() -> None:
    lab = lost("committed").in_front_of(Books().transport, reference="external_id")
    lab.run(look_then_resend, lab.client(), external_id="r-1")
    lab.assert_clean()


@pytest.mark.parametrize("twin", TWINS)
def test_a_negative_read_proves_nothing(twin: str) -> None:
    """Looked, saw nothing, sent again: in the late twins the first one lands right after the look."""
    books = Books()
    lab = declared(lost(twin), books)
    got = lab.run(look_then_resend, lab.client(), reference="r-1")
    assert got == ("found" if twin == "committed" else "sent")
    codes = set(lab.verdict().codes)
    expected = {"never": {"FL202"}, "committed": set()}.get(twin, {"FL101", "FL202"})
    assert codes == expected
    assert len(books.refunds) == len(lab.ledger)


@pytest.mark.parametrize("twin", TWINS)
def test_after_a_stated_settle_time_a_declared_read_is_proof(twin: str) -> None:
    terms = {"profile": "none", "settle_s": 30, "consistent_reads": True}
    lab = declared(lost(twin, terms), Books())
    lab.run(look_then_resend, lab.client(), wait_s=31.0, reference="r-1")
    lab.assert_clean()
    assert len(lab.ledger) == 1


@pytest.mark.parametrize("twin", TWINS)
def test_the_lab_answers_the_status_query_that_the_contract_offers(twin: str) -> None:
    def asking(client: Any) -> str:
        for _ in range(4):
            try:
                client.post("/v1/refunds", json={"order_id": "A17", "reference": "r-1"}).raise_for_status()
            except httpx.TimeoutException:
                state = "not_ready"
                while state == "not_ready":
                    time.sleep(10)
                    state = client.get("/v1/operations/r-1").json()["state"]
                if state == "applied":
                    return "asked"
            else:
                return "sent"
        raise RuntimeError("gave up")

    lab = lost(twin, "status").in_front_of(Books().transport)
    assert lab.run(asking, lab.client()) is not None
    lab.assert_clean()
    assert len(lab.ledger) == 1


def test_a_declaration_that_cannot_be_meant_is_refused() -> None:
    transport = Books().transport
    with pytest.raises(BadInput, match="not among the effects"):
        Lab().in_front_of(transport, reveals={LIST: {"GET /v1/refunds": shown}})
    with pytest.raises(BadInput, match="name the arguments"):
        Lab().in_front_of(transport, reveals={LIST: {ROUTE: shown}})


@pytest.mark.parametrize(
    ("path", "answer", "proved"),
    [
        ("/v1/refunds?reference=r-1", {"data": [{"reference": "r-1"}]}, True),
        ("/v1/refunds?reference=r-1", {"reference": "r-1", "found": False}, False),
        ("/v1/refunds?reference=r-1", {"filter": ["r-1"], "data": []}, False),
        ("/v1/refunds/r-1", {"id": "r-1", "state": "not_found"}, False),
        ("/v1/orders/A17", {"last_refund": {"reference": "r-1"}}, True),
        ("/v1/orders/A17", {"last_refund": {"reference": "r-10"}}, False),
    ],
)
def test_an_answer_that_repeats_the_question_proves_nothing(path: str, answer: Any, proved: bool) -> None:
    def app(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=answer if request.method == "GET" else {})

    def ask(client: Any) -> None:
        try:
            client.post("/v1/refunds", json={"order_id": "A17", "reference": "r-1"})
        except httpx.TimeoutException:
            client.get(path)

    lab = lost("committed").in_front_of(httpx.MockTransport(app))
    lab.run(ask, lab.client())
    assert ("FL205" not in lab.verdict().codes) is proved


def test_a_declared_read_by_reference_proves_what_it_shows() -> None:
    route = "GET /v1/refunds/{reference}"
    answer = {"reference": "r-1", "state": "succeeded"}

    def ask(client: Any) -> None:
        try:
            client.post("/v1/refunds", json={"order_id": "A17", "reference": "r-1"})
        except httpx.TimeoutException:
            client.get("/v1/refunds/r-1")

    lab = lost("committed").in_front_of(
        httpx.MockTransport(lambda request: httpx.Response(200, json=answer)),
        effects={ROUTE: ["order_id"]},
        reveals={route: {ROUTE: lambda body: [body["reference"]] if body["state"] == "succeeded" else []}},
    )
    lab.run(ask, lab.client())
    lab.assert_clean()
