"""Correct agents written in four different styles: the judge must find nothing in any of them."""

from collections.abc import Callable, Mapping
from typing import Any

from faultlab.agents.correct.asks_first import asks_first
from faultlab.agents.correct.over_http import over_http
from faultlab.agents.correct.straight_line import straight_line
from faultlab.agents.correct.with_tenacity import with_tenacity

CORRECT: Mapping[str, Callable[[Any, Any], Any]] = {
    "straight_line": straight_line,
    "with_tenacity": with_tenacity,
    "asks_first": asks_first,
    "over_http": over_http,
}
