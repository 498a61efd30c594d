"""What the rules about authority share: what the agent had read of an approval, and what became of it."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from faultlab.core.canonical import digest
from faultlab.core.clock import NS
from faultlab.core.records import Call, Effect, Outcome, Receipt
from faultlab.core.tools import APPROVAL
from faultlab.rules.evidence import Evidence


class Look(NamedTuple):
    """One answer that showed an approval: a body with `approval_id`, `digest` and `by`."""

    call: Call
    receipt: Receipt
    body: Mapping[str, Any]

    @property
    def given(self) -> bool:
        return self.body["by"] is not None


class Act(NamedTuple):
    """One call of a tool that needs an approval, and the looks at that approval before it, the last one last."""

    call: Call
    approval: str
    looks: tuple[Look, ...]
    between: int
    """Other calls since the last look."""

    @property
    def digest(self) -> str:
        return digest({name: value for name, value in self.call.args.items() if name != APPROVAL})


def under_approval(evidence: Evidence) -> bool:
    """Some tool of the task needs an approval."""
    return evidence.brief.approvals


def acts(evidence: Evidence) -> Iterable[Act]:
    """Those that were not refused: a refused one did nothing."""
    calls: dict[int, Call] = {}
    looks: dict[str, list[Look]] = {}
    for event in evidence.history.events:
        if isinstance(event, Call):
            calls[event.n] = event
            terms = evidence.brief.writes.get(event.tool)
            if terms is not None and terms.needs_approval and event.n > 0 and not refused(evidence, event):
                name = str(event.args.get(APPROVAL))
                known = tuple(looks.get(name, ()))
                since = known[-1].call.n if known else 0
                yield Act(event, name, known, sum(since < number < event.n for number in calls))
        elif isinstance(event, Receipt) and shows_approval(event):
            look = Look(calls[event.call], event, event.body)
            looks.setdefault(str(event.body["approval_id"]), []).append(look)


def shows_approval(receipt: Receipt) -> bool:
    answered = receipt.status is not None and receipt.status < 300
    return answered and isinstance(receipt.body, Mapping) and receipt.body.keys() >= {"approval_id", "digest", "by"}


def refused(evidence: Evidence, call: Call) -> bool:
    receipt = evidence.receipts.get(call.n)
    return receipt is not None and receipt.outcome is Outcome.NOT_APPLIED


def invalid(evidence: Evidence, act: Act) -> str | None:
    """Why an approval that had been given did not cover the act; None: it did, as far as could be known."""
    look = act.looks[-1]
    if look.body.get("withdrawn_at_s") is not None:
        return f"#{look.call.n} showed that it was withdrawn"
    if look.body["digest"] != act.digest:
        return f"#{look.call.n} showed that it is for other arguments"
    expires_s = look.body.get("expires_s")
    if expires_s is not None and act.call.t >= expires_s * NS:
        return f"it was over at {expires_s:g} s"
    if act.between == 0 and act.call.t - look.receipt.t <= evidence.contract.poll_s * NS:
        return None  # looked at just before: what changed since could not be known
    changed = next(filter(None, (ended(effect, act) for effect in evidence.history.ledger)), None)
    return None if changed is None else f"{changed}, and nobody looked at it again since #{look.call.n}"


def ended(effect: Effect, act: Act) -> str | None:
    """What somebody did to the approval between the last look and the act."""
    if effect.object.partition("/")[2] != act.approval or not act.looks[-1].call.t <= effect.t <= act.call.t:
        return None
    if effect.after.get("withdrawn_at_s") is not None:
        return f"it was withdrawn at {effect.t / NS:g} s"
    return f"it was changed at {effect.t / NS:g} s" if effect.after.get("digest", act.digest) != act.digest else None
