"""Wrong in a crash and after it: the death is swallowed, or what was done before it is forgotten."""

from collections.abc import Mapping

from faultlab.agents.by_client import Tools
from faultlab.agents.clerk import Clerk
from faultlab.agents.mutants.mutant import Mutant, by, row, step
from faultlab.client.client import ToolClient
from faultlab.client.recovery import Intent, Recovery
from faultlab.client.steps import Steps, Stop
from faultlab.core.agent import Crash


def crash(recovery: Recovery) -> Steps:
    raise RuntimeError("the retry wrapper gave up")
    yield


class OutlivesACrash(Tools):
    """Catches whatever comes, its own death too."""

    def carry_out(self, client: ToolClient) -> Stop:
        try:
            stop: Stop = super().carry_out(client)
        except Crash:
            stop = Stop("done")
        return stop


class WithoutJournal(Clerk):
    """Begins anew, whatever was sent before."""

    def recovery(self, intent: Intent) -> Recovery:
        self.env.store.clear()
        return super().recovery(intent)


class TrustsAnEmptyJournal(Clerk):
    """An empty journal says that nothing was sent."""

    def recovery(self, intent: Intent) -> Recovery:
        self.log.whole = True
        return super().recovery(intent)


LIVES: Mapping[str, Mutant] = {
    "crash": row("protected_by_key", crash, "FL902"),
    "outlive_a_crash": by(OutlivesACrash, "FL902"),
    "without_journal": step(WithoutJournal, "FL201"),
    "trust_an_empty_journal": step(TrustsAnEmptyJournal, "FL201"),
}
