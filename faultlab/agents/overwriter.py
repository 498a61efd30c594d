"""Never sends If-Match and writes what it first read; where nothing is conditional it is careful."""

from typing import Any

from faultlab.agents.careful import careful
from faultlab.core.records import Claim


def overwriter(task: Any, env: Any) -> Claim:
    """The shop has no conditional writes: here it differs from `careful` in its name only."""
    return careful(task, env)
