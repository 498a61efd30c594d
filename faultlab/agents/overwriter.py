"""Never sends If-Match and writes what it first read; where nothing is conditional it is careful."""

from functools import partial
from typing import Any

from faultlab.agents.careful import careful
from faultlab.agents.clerk import Clerk
from faultlab.core.records import Claim


def overwriter(task: Any, env: Any) -> Claim:
    """Of two documents it takes the one that came first."""
    return careful(task, env, clerk=partial(Clerk, first=True))
