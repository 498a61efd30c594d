"""Conditional writes over functions and over HTTP: 412, 428, and the order key look-up before precondition."""

from dataclasses import replace
from typing import Any

import pytest

from faultlab.core.agent import Budget, ToolError
from faultlab.core.clock import NS, VirtualClock
from faultlab.core.contract import Contract
from faultlab.core.history import Brief, Expectation
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Event
from faultlab.core.tools import Refused, Toolset, tool
from faultlab.core.world import FrozenWorld, World
from faultlab.engine.engine import Engine
from faultlab.engine.session import Session
from faultlab.faults.plan import Plan, Planned
from faultlab.transports.direct import sync_tools
from faultlab.transports.httpx_transport import client


@tool(versioned="pages/page_id", route="GET /pages/{page_id}")
def get_page(world: World, page_id: str) -> dict[str, Any]:
    """Read a page."""
    row = world.get("pages", page_id)
    if row is None:
        raise Refused(404, "not_found", f"there is no page {page_id}")
    return row


@tool(writes=True, identity=["page_id"], versioned="pages/page_id", route="PUT /pages/{page_id}")
def put_page(world: World, page_id: str, text: str) -> dict[str, Any]:
    """Write a page."""
    if world.get("pages", page_id) is None:
        raise Refused(404, "not_found", f"there is no page {page_id}")
    world.put("pages", page_id, {"text": text})
    return {"text": text}


PAGES = Toolset.of("pages", get_page, put_page)
START = FrozenWorld({"pages": {"p1": {"text": "old"}}})
REQUIRED = PROFILES["precondition"]
KEYED = replace(PROFILES["strict"], precondition="required")


def session(contract: Contract, plan: Plan = ()) -> Session:
    events: list[Event] = []
    engine = Engine(PAGES, contract, START, plan, 1, events)
    return Session(engine, VirtualClock(), Brief(contract, Budget(), Expectation(), {}), events)


def refused(call: Any, **arguments: Any) -> int | None:
    with pytest.raises(ToolError) as error:
        call(**arguments)
    return error.value.receipt.status


def test_a_lost_conditional_write_repeated_is_412_and_the_page_shows_it() -> None:
    """GET "1"; PUT If-Match "1", its receipt lost; the same again: 412; the page has one's own text."""
    lab = session(REQUIRED, (Planned("put_page", "after", late_ns=NS),))
    tools = sync_tools(lab)
    assert tools["get_page"](page_id="p1") == {"text": "old", "etag": '"1"'}
    with pytest.raises(ToolError, match="ReadTimeout"):
        tools["put_page"](page_id="p1", text="new", if_match='"1"')
    assert refused(tools["put_page"], page_id="p1", text="new", if_match='"1"') == 412
    assert tools["get_page"](page_id="p1") == {"text": "new", "etag": '"2"'}
    assert refused(tools["put_page"], page_id="p1", text="more", if_match='W/"2"') == 412
    assert refused(tools["put_page"], page_id="p1", text="more") == 428
    assert tools["put_page"](page_id="p1", text="more", if_match='"2"')["etag"] == '"3"'
    assert len(lab.engine.ledger) == 2


def test_a_key_is_looked_up_before_the_condition() -> None:
    """A retried conditional write gets its own first result, not the conflict that it made itself."""
    tools = sync_tools(lab := session(KEYED, (Planned("put_page", "after"),)))
    write = {"page_id": "p1", "text": "new", "if_match": '"1"', "idempotency_key": "k"}
    with pytest.raises(ToolError, match="ReadTimeout"):
        tools["put_page"](**write)
    assert tools["put_page"](**write) == {"text": "new", "etag": '"2"'}
    assert len(lab.engine.ledger) == 1


def test_a_failed_condition_leaves_the_key_free() -> None:
    tools = sync_tools(session(KEYED))
    assert refused(tools["put_page"], page_id="p1", text="new", if_match='"9"', idempotency_key="k") == 412
    assert tools["put_page"](page_id="p1", text="new", if_match='"1"', idempotency_key="k")["etag"] == '"2"'


def test_what_is_not_there_is_not_found_whatever_the_condition() -> None:
    assert refused(sync_tools(session(REQUIRED))["put_page"], page_id="p9", text="new", if_match='"1"') == 404


def test_the_condition_is_asked_just_before_the_effect() -> None:
    """A write admitted before another one and landing after it must not undo it."""
    lab = session(REQUIRED, (Planned("put_page", "late_server", late_ns=60 * NS, wake=False),))
    tools = sync_tools(lab)
    with pytest.raises(ToolError, match="ReadTimeout"):
        tools["put_page"](page_id="p1", text="late", if_match='"1"')
    assert tools["put_page"](page_id="p1", text="early", if_match='"1"')["etag"] == '"2"'
    lab.engine.catch_up(100 * NS)
    assert [effect.args["text"] for effect in lab.engine.ledger] == ["early"]
    assert tools["get_page"](page_id="p1")["text"] == "early"


def test_over_http_the_tag_is_a_header() -> None:
    http = client(session(REQUIRED))
    read = http.get("/pages/p1")
    assert read.headers["etag"] == '"1"'
    stale = http.put("/pages/p1", json={"text": "new"}, headers={"If-Match": '"0"'})
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    assert http.put("/pages/p1", json={"text": "new"}).status_code == 428
    written = http.put("/pages/p1", json={"text": "new"}, headers={"If-Match": read.headers["etag"]})
    assert (written.status_code, written.headers["etag"]) == (200, '"2"')


def test_the_specification_offers_the_condition_where_it_is_promised() -> None:
    assert "if_match" in put_page.spec(REQUIRED)["parameters"]["required"]
    assert "if_match" in put_page.spec(replace(REQUIRED, precondition="honoured"))["parameters"]["properties"]
    assert "if_match" not in put_page.spec(PROFILES["none"])["parameters"]["properties"]
    assert "if_match" not in get_page.spec(REQUIRED)["parameters"]["properties"]
