"""client: a write that a person must have approved is looked at again just before each time it leaves."""

from collections.abc import Generator, Mapping
from typing import Any

from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Sleep, Stop
from faultlab.core.canonical import digest
from faultlab.core.records import Outcome, Receipt
from faultlab.core.tools import APPROVAL


def look_at(recovery: Recovery) -> Generator[Invoke | Sleep, Receipt | None, Stop | None]:
    """Read the approval, unless that was the last thing done; ask for another where it does not hold. None: go on.

    Under another approval it is another request. While the outcome of the first is unknown there is none to be made.
    """
    approval = recovery.intent.approval
    if approval is None or recovery.approved_at == recovery.log.count:
        return None
    args = recovery.intent.args
    receipt = yield Invoke(approval.tool, {"approval_id": args[APPROVAL]})
    if not _holds(receipt, recovery):
        if recovery.knowledge is Outcome.UNKNOWN:
            return Stop("handed_over", (), recovery.record())
        wanted = {name: value for name, value in args.items() if name != APPROVAL}
        receipt = yield Invoke(approval.ask, {"tool_name": recovery.intent.tool, "arguments": wanted})
        if not _holds(receipt, recovery):
            return Stop("refused", text=f"{recovery.intent.tool} needs an approval that nobody has given.")
        assert receipt is not None
        recovery.decided({**args, APPROVAL: receipt.body["approval_id"]}, recovery.if_match)
    recovery.approved_at = recovery.log.count
    return None


def _holds(receipt: Receipt | None, recovery: Recovery) -> bool:
    """It was given, for these very arguments, and is neither withdrawn nor over."""
    if receipt is None or receipt.outcome is not Outcome.APPLIED:
        return False
    shown: Mapping[str, Any] = receipt.body
    wanted = {name: value for name, value in recovery.intent.args.items() if name != APPROVAL}
    if shown["by"] is None or shown["withdrawn_at_s"] is not None or shown["digest"] != digest(wanted):
        return False
    return shown["expires_s"] is None or recovery.env.now() < shown["expires_s"]
