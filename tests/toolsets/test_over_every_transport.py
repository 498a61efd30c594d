"""The built-in toolsets over functions and over HTTP, by tool name and by route: the same histories."""

from typing import Any

import pytest
from labs import TRANSPORTS, Step, lab, play

from faultlab.core.records import Call, Receipt
from faultlab.core.tools import Toolset
from faultlab.core.world import FrozenWorld
from faultlab.toolsets.files import FILES
from faultlab.toolsets.inbox import INBOX
from faultlab.toolsets.instances import INSTANCES
from faultlab.toolsets.pages import PAGES
from faultlab.toolsets.signup import SIGNUP

WORLD = FrozenWorld(
    {
        "pages": {"p1": {"title": "Fair", "entrance": "north", "notice": ""}},
        "announcements": {"n1": {"entrance": "south", "revision": 2}},
        "lists": {"devices": {"rows": [{"id": "D001"}, {"id": "D002"}], "page_size": 1}},
        "images": {"base": {"regions": ["r1"]}},
        "events": {"E1": {"seats": 2}},
    }
)
SCRIPTS: list[tuple[Toolset, list[Step]]] = [
    (
        PAGES,
        [
            Step("get_announcement", {"name": "n1"}),
            Step("update_page", {"page_id": "p1", "entrance": "south", "notice": ""}, reference="r1"),
            Step("list_revisions", {"page_id": "p1"}),
            Step("request_approval", {"tool_name": "publish_notice", "arguments": {"page_id": "p1"}}),
        ],
    ),
    (INBOX, [Step("send", {"to": "a@x", "subject": "s", "text": "t"}, reference="r1")]),
    (FILES, [Step("read_list", {"name": "devices"}), Step("read_list", {"name": "devices", "cursor": "1"})]),
    (
        INSTANCES,
        [
            Step("run_instances", {"name": "web", "image": "base", "region": "r1"}, reference="r1"),
            Step("describe_instances", {"name": "web", "region": "r1"}),
        ],
    ),
    (
        SIGNUP,
        [
            Step("register_all", {"event": "E1", "people": [{"email": "a@x"}, {"email": "b"}]}, reference="r1"),
            Step("print_badge", {"event": "E1", "email": "a@x"}, reference="r2"),
            Step("list_badges", {"event": "E1", "email": "a@x"}),
        ],
    ),
]


def told(transport: str, toolset: Toolset, script: list[Step], *, rest: bool) -> list[Any]:
    session = lab(toolset=toolset, world=WORLD)
    play(transport, session, [Step(step.tool, step.args, step.key, step.reference, rest=rest) for step in script])
    return [event for event in session.events if isinstance(event, Call | Receipt)] + session.engine.ledger


@pytest.mark.parametrize(("toolset", "script"), SCRIPTS, ids=[toolset.name for toolset, _ in SCRIPTS])
def test_one_script_gives_one_history(toolset: Toolset, script: list[Step]) -> None:
    first = told("direct", toolset, script, rest=False)
    assert all(event.status < 300 for event in first if isinstance(event, Receipt))
    for transport in TRANSPORTS[1:]:
        assert told(transport, toolset, script, rest=False) == first, transport
    if all(toolset.tools[step.tool].route is not None for step in script):
        assert told("httpx", toolset, script, rest=True) == first
