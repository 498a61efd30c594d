"""Wrong in a crash and after it: the death is swallowed, or what was done before it is forgotten."""

from collections.abc import Mapping

from faultlab.agents.clerk import Clerk
from faultlab.agents.mutants.mutant import Mutant, row, step
from faultlab.client.execute import arguments, begin, fail, finish
from faultlab.client.recovery import Intent, Recovery
from faultlab.client.steps import Steps, Stop
from faultlab.core.agent import Crash, ToolError


def crash(recovery: Recovery) -> Steps:
    raise RuntimeError("the retry wrapper gave up")
    yield


def outlive_a_crash(recovery: Recovery) -> Steps:
    """Catches whatever comes, its own death too."""
    request = recovery.request()
    call = begin(recovery, request)
    try:
        finish(recovery, call, recovery.env.tools[request.tool](**arguments(request)))
    except ToolError as error:
        fail(recovery, call, error)
    except Crash:
        return Stop("done")
    return None
    yield


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
    "outlive_a_crash": row("not_sent", outlive_a_crash, "FL902"),
    "without_journal": step(WithoutJournal, "FL201"),
    "trust_an_empty_journal": step(TrustsAnEmptyJournal, "FL201"),
}
