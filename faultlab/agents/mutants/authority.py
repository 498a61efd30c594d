"""Wrong about what is allowed, and about what may be said."""

from collections.abc import Mapping

from faultlab.agents.mutants.mutant import Mutant, row
from faultlab.client.moves import pause
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Steps


def resend_unseen(recovery: Recovery) -> Steps:
    """The approval held when it was sent first."""
    if (yield from pause(recovery, recovery.back_off_s())):
        recovery.renew_handles()
        yield recovery.request()
    return None


AUTHORITY: Mapping[str, Mutant] = {
    "approved_once_for_all": row("not_applied", resend_unseen, "FL702"),
}
