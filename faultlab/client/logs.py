"""client: what it does, as structured log records: one logger, the facts as members of each record.

Bodies, headers and all arguments but the identity never stand there: they may hold secrets.
"""

import logging
import re
from typing import TYPE_CHECKING, Any

from faultlab.core.records import Call, Receipt

if TYPE_CHECKING:
    from faultlab.client.work import Work

LOGGER = logging.getLogger("faultlab.client")
LOGGER.addHandler(logging.NullHandler())  # where records go is for the application to say

LEVELS = {"settled": logging.INFO, "lease_lost": logging.WARNING, "stored": logging.INFO}
"""All other events are for debugging."""

_URL_SECRETS = re.compile(r'(?<=://)[^/?#\s"]+(?=@)|(?<=[?])[^\s"]+?(?=[,)]*(?:[\s"]|#\d+$|$))')
"""Of a URL in an identity: user and password, and whatever follows the question mark."""


def shown(operation: str) -> str:
    """The name of an operation, as logs and spans may have it."""
    return _URL_SECRETS.sub("...", operation) if "://" in operation else operation


def note(event: str, work: "Work", call: Call | None = None, receipt: Receipt | None = None, **facts: Any) -> None:
    """One record: `event`, `operation`, `tool`, `run`, and what else is known."""
    level = LEVELS.get(event, logging.DEBUG)
    if event == "settled" and facts.get("state") not in ("done", "not_done"):
        level = logging.WARNING
    if not LOGGER.isEnabledFor(level):
        return
    operation = shown(work.operation.label)
    extra: dict[str, Any] = {
        "event": event,
        "operation": operation,
        "tool": work.spec.name,
        "run": work.row.run,
        **facts,
    }
    if call is not None:
        extra |= {"call": call.n, "called": call.tool, "key": call.key, "reference": call.reference}
    if receipt is not None:
        extra |= {"outcome": receipt.outcome.value, "status": receipt.status, "error": receipt.error}
    said = " ".join(f"{name}={value}" for name, value in extra.items() if value is not None and name != "event")
    LOGGER.log(level, "%s %s", event, said, extra=extra)
