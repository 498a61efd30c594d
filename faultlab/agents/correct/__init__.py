"""Correct agents written in different styles: the judge must find nothing in any of them."""

from collections.abc import Callable, Mapping
from typing import Any

from faultlab.agents.correct.asks_first import asks_first
from faultlab.agents.correct.on_tool_client import on_tool_client
from faultlab.agents.correct.over_ahttp import over_ahttp
from faultlab.agents.correct.over_http import over_http
from faultlab.agents.correct.own_table import own_table
from faultlab.agents.correct.plans_first import plans_first
from faultlab.agents.correct.state_machine import state_machine
from faultlab.agents.correct.straight_line import straight_line
from faultlab.agents.correct.thinks_aloud import thinks_aloud
from faultlab.agents.correct.with_tenacity import with_tenacity

CORRECT: Mapping[str, Callable[[Any, Any], Any]] = {
    "straight_line": straight_line,
    "state_machine": state_machine,
    "with_tenacity": with_tenacity,
    "own_table": own_table,
    "plans_first": plans_first,
    "thinks_aloud": thinks_aloud,
    "asks_first": asks_first,
    "over_http": over_http,
    "over_ahttp": over_ahttp,
    "on_tool_client": on_tool_client,
}
