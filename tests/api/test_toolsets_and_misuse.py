"""A lab around a Toolset; and what is told to whoever uses a lab in a way that cannot work."""

import time
from typing import Any

import httpx
import pytest
from labs import WORLD
from storefronts import TWINS, Shop

from faultlab import Lab, ToolError
from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.toolsets.shop import SHOP


def refund(tool: Any) -> str:
    for _ in range(2):
        try:
            return str(tool(order_id="A17", amount="40.00")["id"])
        except ToolError:
            time.sleep(1)
    raise RuntimeError("gave up")


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("address", [{"tool": "refund_order"}, {"on": "POST /v1/refunds"}])
def test_a_toolset_by_function_and_by_route(twin: str, address: dict[str, str]) -> None:
    lab = Lab(twin=twin).fault("lost_receipt", **address).in_front_of(SHOP, world=WORLD.tables)
    assert lab.run(refund, lab.tools["refund_order"]).startswith("re_")
    assert ("FL101" in lab.verdict().codes) is (twin != "never")


def test_a_toolset_through_clients() -> None:
    lab = Lab(toolset=SHOP)
    for client in (lab.client(), lab.client2()):
        assert client.get("/v1/orders/A17").status_code == 404
    assert {"get_order", "refund_order"} <= set(lab.tools)


def app(*_: Any) -> None:
    """Not an ASGI app."""


@pytest.mark.parametrize(
    ("misuse", "told"),
    [
        (lambda: Lab(contract="strickt"), "unknown contract 'strickt'; known: none, "),
        (lambda: Lab(clock="fast"), "unknown clock 'fast'; known: virtual, real"),
        (lambda: Lab(twin="comitted"),
         "unknown twin 'comitted'; known: clean, never, committed, late_network, late_server, late"),
        (lambda: Lab().fault("lost_reciept", on="POST /x"), "unknown fault 'lost_reciept'; known: "),
        (lambda: Lab().fault("lost_receipt", on="POST /x", symptom="tiemout"), "has no symptom 'tiemout'"),
        (lambda: Lab().fault("lost_receipt", on="POST /x", occurrence=0), "occurrence counts from 1, not 0"),
        (lambda: Lab().fault("lost_receipt", on="POST /x", occurrence="2"), "occurrence counts from 1, not '2'"),
        (lambda: Lab().fault("lost_receipt"), 'lost_receipt: say which call it strikes, with either on="POST '),
        (lambda: Lab().fault("lost_receipt", on="POST /x", tool="x"),
         "on='POST /x' and tool='x' are two calls; plan one fault for each"),
        (lambda: Lab().fault("lost_receipt", on="POST /x", symptm="reset"),
         r"unknown option 'symptm' \(did you mean 'symptom'\?\); known: symptom, occurrence, match, required, example"),
        (lambda: Lab().fault("lost_receipt", on=["POST /x"]), r"\['POST /x'\] names no call; say which"),
        (lambda: Lab().fault("lost_receipt", on="post /x"), "'post /x' is no route: write METHOD /path"),
        (lambda: Lab().fault("lost_receipt", tool="x", match={"a": b"1"}), r"match=\{'a': b'1'\} matches no call"),
        (lambda: Lab().fault("lost_receipt", on="POST /x", raises=OSError), "raises= is for a wrapped Python function"),
        (lambda: Lab(toolset=SHOP).fault("lost_receipt", tool="refund_order", raises=OSError).tools,
         "raises= is for a wrapped function, not for shop"),
        (lambda: Lab().in_front_of(app), "is no ASGI app, no transport"),
        (lambda: Lab().in_front_of(42), "got int, which is no ASGI app"),
        (lambda: Lab().client(), "call lab.in_front_of"),
        (lambda: Lab(toolset=SHOP).wrap(print), "its functions are lab.tools"),
        (lambda: Lab().in_front_of(Shop().transport).in_front_of(Shop().transport), "make a second Lab"),
        (lambda: Lab().in_front_of(Shop().transport, effects=["refunds"]).client().get("/"), "write METHOD /path"),
        (lambda: Lab(toolset=SHOP).fault("lost_receipt", tool="refund").tools, "'refund' is no tool of shop"),
    ],
)  # fmt: skip
def test_misuse_is_told(misuse: Any, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        misuse()


def test_a_symptom_that_shows_an_answer_needs_one_to_show() -> None:
    """In the twin `never` the app must not be asked, so it cannot give the body that is cut off."""
    with pytest.raises(BadInput, match="Give a usual answer, example="):
        Lab(twin="never").in_front_of(Shop().transport).fault("lost_receipt", on="POST /a", symptom="truncated")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("POST /v1/refunds", "one in front of an app cannot; take one of: timeout, reset, close, status, truncated"),
        ("refund", "one around a Python function cannot; take one of: timeout, reset, close$"),
    ],
)
def test_a_symptom_that_only_a_toolset_can_show_is_told_with_those_that_can_be_shown(address: str, told: str) -> None:
    lab = Lab().fault("torn_record", on=address, symptom="slow")
    with pytest.raises(BadInput, match=told):
        lab.in_front_of(Shop().transport)


def test_what_is_settled_is_settled() -> None:
    lab = Lab().in_front_of(Shop().transport)
    lab.client().get("/")
    with pytest.raises(BadInput, match="settled before anything is called"):
        lab.fault("lost_receipt", on="POST /v1/refunds")
    with pytest.raises(BadInput, match="settled before anything is called or wrapped"):
        wrapping = Lab()
        wrapping.wrap(print)
        wrapping.in_front_of(Shop().transport)


def test_a_contract_by_name_by_parameters_and_as_it_is() -> None:
    mine = Contract(name="mine", settle_s=5.0)
    assert Lab(contract=mine).contract is mine
    assert Lab(contract={"profile": "strict", "settle_s": 9}).contract.settle_s == 9
    assert Lab().in_front_of(Shop().transport, contract="ietf").contract.name == "ietf"


def test_bad_input_inside_a_run_is_not_taken_for_the_codes_answer() -> None:
    lab = Lab()
    with pytest.raises(BadInput):
        lab.run(lambda: lab.client().get("/"))


def test_what_a_virtual_loop_cannot_wait_for_is_told() -> None:
    import asyncio

    async def outside() -> None:
        async with httpx.AsyncClient() as client:
            await client.get("http://127.0.0.1:9")

    lab = Lab()
    with pytest.raises(BadInput, match=r'Lab\(clock="real"\)'):
        lab.run(outside)

    async def waits() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(AssertionError, match="would wait for ever"):
        Lab().run(waits)
