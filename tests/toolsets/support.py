"""A call of a built-in toolset, and what it was refused with."""

from typing import Any

import pytest

from faultlab.core.agent import ToolError
from faultlab.core.records import Receipt
from faultlab.engine.session import Session
from faultlab.transports.direct import sync_tools


def call(session: Session, tool: str, /, **args: Any) -> Any:
    return sync_tools(session)[tool](**args)


def refused(session: Session, tool: str, /, **args: Any) -> tuple[int | None, str]:
    """Status and code; the refused call must have left no line in the ledger."""
    before = list(session.engine.ledger)
    with pytest.raises(ToolError) as raised:
        call(session, tool, **args)
    assert session.engine.ledger == before
    receipt = raised.value.receipt
    return receipt.status, receipt.body["code"]


def receipt(session: Session) -> Receipt:
    """The last."""
    return next(event for event in reversed(session.events) if type(event) is Receipt)
