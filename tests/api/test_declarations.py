"""What is declared about an app or a function: identities that requests have, what may be repeated, routes in any
order."""

import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from labs import WORLD
from storefronts import TWINS, Shop

from faultlab import Lab
from faultlab.core.errors import BadInput
from faultlab.toolsets.shop import SHOP

PAGE = "PUT /v1/pages/{id}"
ONE_WRITER = {"profile": "none", "writers": "one"}


def app() -> Any:
    return httpx.MockTransport(lambda request: httpx.Response(200, json={"id": "x"}))


def pay(order: str, amount: str = "1") -> str:
    return "paid"


# Identities.


def test_an_identity_that_a_request_does_not_have_is_told_with_what_it_has() -> None:
    lab = Lab().in_front_of(app(), identity=["order_id"])
    with pytest.raises(BadInput, match=r"POST /pay: identity names 'order_id', which .* it had order, amount\. Name"):
        lab.client().post("/pay", json={"order": "A17", "amount": 1})
    with pytest.raises(BadInput, match="it had none"):
        lab.client().post("/pay")


def test_a_member_that_is_null_is_there() -> None:
    lab = Lab().in_front_of(app(), identity=["order"])
    assert lab.client().post("/pay", json={"order": None}).status_code == 200
    assert lab.client().get("/orders").status_code == 200
    assert [effect.identity for effect in lab.ledger] == ["null"]


def test_a_route_of_its_own_identity_or_a_function_is_the_way_out() -> None:
    effects = {"POST /pay": ["order"], "POST /login": lambda args: args.get("user", "nobody")}
    lab = Lab().in_front_of(app(), identity=["order_id"], effects=effects)
    lab.client().post("/pay", json={"order": "A17"})
    lab.client().post("/login", json={})
    assert [effect.identity for effect in lab.ledger] == ["A17", "nobody"]


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Lab().in_front_of(app(), identity="order"),
        lambda: Lab().in_front_of(app(), effects={"POST /pay": "order"}),
        lambda: Lab().wrap(pay, identity="order"),
        lambda: Lab().in_front_of(app(), identity="order", effects={"POST /pay": ["id"]}),
    ],
)
def test_a_text_is_no_list_of_names(declare: Callable[[], Any]) -> None:
    with pytest.raises(BadInput, match=r"identity='order': write a list of names, \['order'\]"):
        declare()


def test_an_identity_function_that_fails_is_told_with_what_it_was_given() -> None:
    lab = Lab().in_front_of(app(), identity=lambda args: args["order_id"])
    told = r"POST /pay: the function identity= raised KeyError\('order_id'\); the arguments were order\. It must"
    with pytest.raises(BadInput, match=told):
        lab.client().post("/pay", json={"order": "A17"})
    with pytest.raises(BadInput, match="pay: the function identity= raised KeyError"):
        Lab().wrap(pay, identity=lambda args: args["order_id"])("A17")


# What may be repeated.


def save(client: Any) -> str:
    for _ in range(3):
        try:
            return str(client.put("/v1/pages/p1", json={"text": "Hello"}).raise_for_status().json()["id"])
        except httpx.TransportError:
            time.sleep(1)
    raise RuntimeError("gave up")


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("effects", [None, [PAGE]])
def test_an_idempotent_route_may_be_sent_again(twin: str, effects: Any) -> None:
    for idempotent, clean in ((), False), ([PAGE], True):
        lab = Lab(twin=twin, contract=ONE_WRITER).fault("lost_receipt", on=PAGE)
        lab.in_front_of(app(), effects=effects, idempotent=idempotent)
        assert lab.run(save, lab.client()) == "x"
        assert (lab.verdict().codes == ()) is clean


@pytest.mark.parametrize("twin", TWINS)
def test_and_so_may_an_idempotent_function(twin: str) -> None:
    def twice(tool: Callable[..., str]) -> str:
        try:
            return tool("A17")
        except TimeoutError:
            return tool("A17")

    for idempotent in (False, True):
        lab = Lab(twin=twin, contract=ONE_WRITER).fault("lost_receipt", tool="pay")
        lab.run(twice, lab.wrap(pay, idempotent=idempotent))
        assert (lab.verdict().codes == ()) is idempotent


# Routes in any order.


def struck(lab: Lab) -> int:
    count = 0
    for order in ("A17", "B92"):
        try:
            lab.client().post(f"/o/{order}/r", json={})
        except httpx.ReadTimeout:
            count += 1
    return count


STEPS: dict[str, Callable[[Lab], Any]] = {
    "app": lambda lab: lab.in_front_of(app()),
    "fault": lambda lab: lab.fault("lost_receipt", on="POST /o/{id}/r", occurrence=2),
    "function": lambda lab: lab.wrap(pay),
}


@pytest.mark.parametrize("order", ["app fault function", "app function fault", "fault app function"])
def test_a_fault_strikes_whenever_it_was_planned(order: str) -> None:
    lab = Lab()
    for step in order.split():
        STEPS[step](lab)
    assert struck(lab) == 1
    assert {effect.tool for effect in lab.ledger} == {"POST /o/{id}/r"}


# What nothing would heed.


@pytest.mark.parametrize(
    ("misuse", "told"),
    [
        (lambda: Lab().in_front_of(app(), world=WORLD.tables), "world= is the tables of a Toolset; MockTransport has"),
        (lambda: Lab().in_front_of(app(), at_most={"POST/x": 2}), "'POST/x' is no route: write METHOD /path"),
        (lambda: Lab().in_front_of(SHOP, at_most={"refund": 2}), "at_most names 'refund', which is no tool of shop"),
        (lambda: Lab().in_front_of(SHOP, identity=["order_id"]), "identity= is for an app; the tools of the Toolset"),
        (lambda: Lab().in_front_of(SHOP, idempotent=["PUT /x"]), "idempotent= is for an app"),
        (lambda: Lab().in_front_of(app(), idempotent=["GET /x"]), "idempotent names 'GET /x', which is not among"),
        (lambda: Lab().in_front_of(app(), effects=["POST /x"], idempotent=["PUT /x"]), "idempotent names 'PUT /x'"),
        (lambda: Lab().in_front_of(app(), idempotent="PUT /x"), r"idempotent='PUT /x': write a list of names"),
        (lambda: Lab().in_front_of(app(), effects="PUT /x"), r"effects='PUT /x': write a list of names"),
        (lambda: Lab().in_front_of(app()).fault("lost_receipt", on="post /x"), "'post /x' is no route"),
        (lambda: Lab().wrap(pay, idempotent=True, writes=False), "wrap pay: a function that only reads"),
    ],
)
def test_misuse_is_told(misuse: Callable[[], Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        misuse()


def test_after_a_refused_declaration_the_place_is_free() -> None:
    lab, shop = Lab(), Shop()
    with pytest.raises(BadInput):
        lab.in_front_of(shop.transport, idempotent=["GET /x"])
    assert lab.in_front_of(shop.transport, at_most={"POST /v1/refunds": 2}).client().get("/v1/refunds").status_code
