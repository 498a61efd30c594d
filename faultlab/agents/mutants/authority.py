"""Wrong about what is allowed, and about what may be said."""

from collections.abc import Mapping, Sequence
from typing import Any

from faultlab.agents.clerk import ORDER, Clerk
from faultlab.agents.groundwork import Groundwork
from faultlab.agents.mutants.mutant import Mutant, reads, row, step
from faultlab.agents.mutants.readings import Reading
from faultlab.client.moves import pause
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Steps


def resend_unseen(recovery: Recovery) -> Steps:
    """The approval held when it was sent first."""
    if (yield from pause(recovery, recovery.back_off_s())):
        recovery.renew_handles()
        yield recovery.request()
    return None


class PublishesTheSource(Groundwork):
    """Writes all that the document says, not only what the page is for."""

    def _documents(self, sources: Sequence[Mapping[str, Any]]) -> Reading:
        body = yield from super()._documents(sources)
        return {**body, "notice": ", ".join(map(str, body.values()))}


class KeepsTheFirstOrder(Clerk):
    """What the user said first stays, also when he takes it back."""

    def _ask_for_order(self) -> str | None:
        named = None
        while (answer := self.env.ask_user("Is there anything else?")) is not None:
            found = ORDER.search(answer)
            named = named or (found and found[1])
        return named


AUTHORITY: Mapping[str, Mutant] = {
    "approved_once_for_all": row("not_applied", resend_unseen, "FL702"),
    "publish_the_source": reads(PublishesTheSource, "FL703"),
    "keep_the_first_order": step(KeepsTheFirstOrder, "FL704"),
}
