"""Which versions an answer shows, how fresh it says it is, and what a write books about the thing that it changed."""

from typing import Any

import pytest

from faultlab.core.records import Call, Sight
from faultlab.core.tools import Tool, tool
from faultlab.core.world import World
from faultlab.engine.sights import is_fresh, sights


@tool(versioned="pages/page_id")
def tagged(world: World, page_id: str) -> dict[str, Any]:
    """A page with an entity tag."""
    return {}


@tool(revised="pages/page_id")
def revised(world: World, page_id: str) -> dict[str, Any]:
    """A page that names its own revision."""
    return {}


@tool()
def plain(world: World, page_id: str) -> dict[str, Any]:
    """Something without versions."""
    return {}


CALL = Call(1, 0, "read", "read", {"page_id": "p1"})


@pytest.mark.parametrize(
    ("reader", "status", "body", "headers", "shown"),
    [
        (tagged, 200, {}, {"etag": '"3"'}, (Sight("pages/p1", 3),)),
        (tagged, 200, {}, {"etag": 'W/"3"'}, (Sight("pages/p1", 3),)),
        (tagged, 200, {}, {"etag": '"abc"'}, (Sight("pages/p1", None),)),
        (tagged, 200, {"revision": 9}, {}, (Sight("pages/p1", None),)),
        (tagged, 200, {}, {"etag": '"3"', "age": "7"}, (Sight("pages/p1", 3, fresh=False),)),
        (revised, 200, {"revision": 2}, {"etag": '"5"'}, (Sight("pages/p1", 2),)),
        (revised, 200, {"revision": "two"}, {}, (Sight("pages/p1", None),)),
        (revised, 200, {"revision": True}, {}, (Sight("pages/p1", None),)),
        (revised, 200, {"revision": 2, "complete": False}, {}, (Sight("pages/p1", 2, fresh=False),)),
        (revised, 404, {"revision": 2}, {}, ()),
        (revised, None, {"revision": 2}, {}, ()),
        (revised, 200, '{"revision": 2', {}, ()),
        (plain, 200, {"revision": 2}, {"etag": '"3"'}, ()),
    ],
)
def test_a_sight_is_what_the_answer_itself_says(
    reader: Tool, status: int | None, body: Any, headers: dict[str, str], shown: tuple[Sight, ...]
) -> None:
    assert sights(reader, CALL, status, body, headers) == shown


@pytest.mark.parametrize(
    ("body", "headers", "fresh"),
    [
        ({}, {}, True),
        (None, {}, True),
        ({"complete": True, "next": None}, {"age": "0"}, True),
        ({"complete": False}, {}, False),
        ({"next": "2"}, {}, False),
        ({}, {"age": " 12 "}, False),
        ({}, {"age": "soon"}, False),
    ],
)
def test_an_answer_is_fresh_if_it_is_whole_and_has_no_age(body: Any, headers: dict[str, str], fresh: bool) -> None:
    assert is_fresh(body, headers) == fresh
