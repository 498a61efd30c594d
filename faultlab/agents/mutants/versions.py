"""Wrong with versions: none named, a fresh one under an old decision, or the own write taken for another's."""

from collections.abc import Mapping

from faultlab.agents.mutants.mutant import Mutant, last, row
from faultlab.client.moves import look, read_and_decide, send, stop
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Steps


def name_no_version(recovery: Recovery) -> Steps:
    yield recovery.request()._replace(if_match=None)
    return None


def name_any_version(recovery: Recovery) -> Steps:
    """If-Match: * holds whatever is there."""
    step = recovery.request()
    yield step._replace(if_match=step.if_match and "*")
    return None


def refresh_the_version(recovery: Recovery) -> Steps:
    """Names the version that is there now, and writes what was decided on the one before."""
    source = recovery.intent.source
    assert source is not None
    receipt = yield Invoke(source.tool, source.args)
    if receipt is None or receipt.body is None:
        return (yield from stop("handed_over")(recovery))
    recovery.decided(recovery.intent.args, receipt.body["etag"])
    return None


def force(recovery: Recovery) -> Steps:
    """412: then without a condition."""
    recovery.decided(recovery.intent.args, None)
    return send(recovery)


def met_another_version(recovery: Recovery) -> bool:
    """A repeated write got 412."""
    answer = last(recovery)
    return answer is not None and answer.status == 412


def leave_it_to_the_other(recovery: Recovery) -> Steps:
    """412: somebody else was first."""
    return (stop("not_done") if met_another_version(recovery) else look)(recovery)


def decide_on_the_own_write(recovery: Recovery) -> Steps:
    """412: somebody else was first, so decide on what they wrote."""
    if not met_another_version(recovery) or recovery.intent.source is None:
        return (yield from look(recovery))
    if (ended := (yield from read_and_decide(recovery))) is not None:
        return ended
    return (yield from send(recovery))


VERSIONS: Mapping[str, Mutant] = {
    "name_any_version": row("not_sent", name_any_version, "FL104"),
    "name_no_version": row("not_sent", name_no_version, "FL602"),
    "force_after_412": row("version_undecided", force, "FL602"),
    "412_is_anothers": row("worth_a_look", leave_it_to_the_other, "FL603"),
    "decide_on_the_own_write": row("worth_a_look", decide_on_the_own_write, "FL603"),
    "refresh_the_version": row("version_undecided", refresh_the_version, "FL604"),
}
