"""client: the life of one call of the tool client, as one generator for synchronous and asynchronous callers.

claim -> (sending -> the request -> received)* -> settled. Each name in that line but the request is a write to the
journal that is there before the next step begins; between any two of them a process may die.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from faultlab.client.execute import begin, fail, finish, recover, reveal_of
from faultlab.client.leaving import Departure, HeaderMissing, Leaving, NotLeft
from faultlab.client.logs import note
from faultlab.client.moves import stop_spent
from faultlab.client.policy import Policy
from faultlab.client.result import Result, held, stored, told
from faultlab.client.steps import Invoke, Sleep, Step, Stop, Write
from faultlab.client.tool_spec import ToolSpec
from faultlab.client.work import Times, Work, handle_of
from faultlab.core.agent import Budget, Crash, ToolError
from faultlab.core.canonical import digest, identity_of
from faultlab.core.clock import NS, ns
from faultlab.core.errors import BadInput, StoreError
from faultlab.core.protection import safe_again
from faultlab.core.records import Call
from faultlab.records.journal_rows import CallRow, Claimed, Journal, OperationRow, ReceiptRow, State

Machine = Generator[Step, Any, Result]
LOOK_S = (0.02, 1.0)
"""How soon, and at the latest how often, to look whether somebody else has finished the operation."""


class Desk(NamedTuple):
    """What all operations of a client share."""

    journal: Journal
    times: Times
    budget: Budget
    table: Policy
    lease_s: float
    lost: bool = False
    """The journal before this one is gone, and with it what was sent then."""

    def new(self, spec: ToolSpec, args: Mapping[str, Any], run: str, name: str) -> OperationRow:
        """The row of an operation that was not seen before."""
        identity = identity_of(spec.identity, args)
        number = handle_of(run, spec.name, identity, name)
        return OperationRow(number, run, spec.name, identity, name, args, digest(args), self.times.now_ns())


def operate(desk: Desk, spec: ToolSpec, new: OperationRow) -> Machine:
    """Do it, or go on with it, or learn how it ended: whatever the journal says is the case."""
    deadline_ns, look_s = desk.times.now_ns() + ns(desk.budget.seconds), LOOK_S[0]
    lease_ns = ns(desk.lease_s)
    while True:
        now_ns = desk.times.now_ns()
        claimed: Claimed = yield Write("claim", partial(desk.journal.claim, new, now_ns, lease_ns))
        args = claimed.row.args if spec.identity_is_all else new.args
        work = Work(spec, args, claimed, desk.budget, desk.times, lease_ns, lost=desk.lost)
        if not work.same_parameters and not (claimed.row.state != "done" and work.correctable):
            if claimed.mine:
                yield Write("release", partial(desk.journal.release, claimed.row))
            raise _changed(work)
        if claimed.row.state == "done":
            return stored(work)
        if claimed.mine:
            try:
                stop = yield from journaled(desk, work)
            except BaseException as error:
                if not isinstance(error, GeneratorExit | Crash):  # cancelled or interrupted, not dead: others may go on
                    yield from _at_last(work, "release", partial(desk.journal.release, work.row))
                raise
            if stop is not None:
                return told(work, stop)
            note("lease_lost", work)
            continue
        left_ns = deadline_ns - desk.times.now_ns()
        if left_ns <= 0:
            return held(work)
        note("waiting", work)
        free_s = max(0, claimed.row.lease_until_ns - desk.times.now_ns()) / NS
        yield Sleep(max(LOOK_S[0], min(look_s, free_s, left_ns / NS)))
        look_s = min(2 * look_s, LOOK_S[1])


def _changed(work: Work) -> BadInput:
    row = work.row
    return BadInput(
        f"{work.spec.name}({row.identity}) was called before in run {row.run!r} with other parameters: then "
        f"{dict(row.args)}, now {dict(work.given)}. What became of that call is {row.state.replace('_', ' ')}, "
        "so these were not sent. If a second effect is meant, name it: operation='...'; if not, call with the first "
        "parameters"
    )


def journaled(desk: Desk, work: Work) -> Generator[Step, Any, Stop | None]:
    """Follow the policy. Every write request is in the journal before it leaves, every receipt before the next step.
    None: somebody else took the operation over."""
    steps = recover(work, desk.table)
    value: Any = None
    cannot = False
    asked: list[CallRow] = []
    answers: list[ReceiptRow] = []
    while True:
        try:
            step = steps.send(value)
        except StopIteration as end:
            stop = end.value
            break
        if answers:
            yield Write("received", partial(desk.journal.received, asked, answers))
            asked, answers = [], []
        if isinstance(step, Sleep):
            note("sleeping", work, wait_s=step.wait_s)
            yield step
            value = None
            continue
        call = begin(work, step)
        last = work.operation.calls[-1]
        row = work.call_row(call, (last.key, last.reference))
        if call.kind == "write":
            step = _leaving(work, step, call)
            if not (yield Write("sending", partial(desk.journal.sending, row, work.given))):
                return None
        else:
            step = step._replace(args=work.spec.asked(step, work.given), key=last.key, reference=last.reference)
            asked.append(row)
        note("sending", work, call=call)
        try:
            answer = yield step
            work.departed(call)
        except BaseException as error:
            if not isinstance(error, GeneratorExit | Crash):
                cut = partial(_cut_short, desk, work, call, asked, type(error).__name__)
                yield from _at_last(work, "received", cut)
            raise
        if isinstance(answer, ToolError):
            body, given = None, answer.receipt._replace(call=call.n, t=work.now_ns)
            value = fail(work, call, ToolError(answer.tool, answer.outcome, given))
        else:
            body = answer
            value = finish(work, call, body)
            if call.kind == "write":
                work.bodies[call.n] = spec_value(work, body)
        reveal = None if call.kind == "write" else reveal_of(work, call, body, value.headers)
        answers.append(work.receipt_row(value, reveal))
        note("received", work, call=call, receipt=value)
        if isinstance(answer, NotLeft) and desk.times.now_ns() >= row.lease_until_ns:
            yield Write("received", partial(desk.journal.received, asked, answers))
            return None
        if cannot := isinstance(answer, HeaderMissing):
            stop = yield from stop_spent(work)  # here it would be missing each time; elsewhere it may be there
            break
    return (yield from _settle(desk, work, stop, asked, answers, cannot=cannot))


def _settle(
    desk: Desk, work: Work, stop: Stop | None, asked: list[CallRow], answers: list[ReceiptRow], *, cannot: bool
) -> Generator[Step, Any, Stop]:
    """Write how it ended. `cannot`: only for the client at hand; another one may go on."""
    assert stop is not None, "a recovery ends with a Stop"
    left_open = cannot or stop.status == "handed_over"
    state: State = "open" if left_open and work.resumable else state_of(stop)
    now_ns = desk.times.now_ns()
    yield Write("settled", partial(desk.journal.settle, work.row, state, work.value(), now_ns, asked, answers))
    note("settled", work, state=state)
    return stop


def _at_last(work: Work, name: str, action: Callable[[], None]) -> Generator[Step, Any, None]:
    """What is written where nobody waits any more: now, or by the thread that may still send, at its end. Where it
    cannot be written the lease runs out; what came first is what the caller is told."""
    if not work.leaves_to_thread(action):
        with suppress(StoreError):
            yield Write(name, action)


def _leaving(work: Work, step: Invoke, call: Call) -> Leaving:
    """The step with its departure: asked in the last moment, when the journal has been written and a thread is free,
    whether the lease still holds, and what made it safe to send again."""
    operation, contract, until_ns = work.operation, work.contract, work.calls[call.n].lease_until_ns
    was_safe = safe_again(operation, call, contract)

    def too_late() -> str | None:
        if work.times.now_ns() >= until_ns:
            return "its lease was over before it could leave"
        if was_safe and not safe_again(operation, call._replace(t=work.now_ns), contract):
            return "the window of its key was over before it could leave"
        return None

    sent_before = not operation.open <= {call.n}
    work.departure = Departure(step.tool, too_late, work.times.now_ns, sent_before=sent_before)
    return Leaving.of(step, work.departure)


def _cut_short(desk: Desk, work: Work, call: Call, asked: list[CallRow], error: str) -> None:
    desk.journal.received(asked, [work.cut_short(call, error)])


def spec_value(work: Work, body: Any) -> Any:
    """What a function returned, in its own type."""
    return work.spec.value(body, ())


def state_of(stop: Stop) -> State:
    """A policy of one's own that ends with `unknown` has handed over, only badly."""
    return "handed_over" if stop.status == "unknown" else stop.status
