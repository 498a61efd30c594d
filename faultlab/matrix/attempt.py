"""One attempt: a fresh server, an agent, a clock, and the history that a judge will read."""

import asyncio
import inspect
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any

from faultlab.core.agent import Crash, Task
from faultlab.core.canonical import copy_json
from faultlab.core.clock import LoopClock, RealClock, VirtualClock, ns
from faultlab.core.errors import AttemptOver, Hung
from faultlab.core.history import End, History
from faultlab.core.records import Call, Claim, Event, Note
from faultlab.core.seed import derive, token
from faultlab.engine.engine import Engine
from faultlab.engine.session import Session
from faultlab.matrix import guard
from faultlab.matrix.claims import claim_of
from faultlab.matrix.command import Command
from faultlab.matrix.env import Copies, LabEnv
from faultlab.matrix.life import Absorbed, Agent, alive, live
from faultlab.matrix.loop import Deadlock, NeedsRealClock, run_virtual
from faultlab.matrix.patched import virtual_time
from faultlab.matrix.plain import plain, told, unfit
from faultlab.matrix.prior import happen
from faultlab.matrix.scenario import Group
from faultlab.matrix.watchdog import LIBRARY, limit

LATENCY_S = 0.05
WALL_LIMIT_S = 30.0
"""Real seconds after which an agent that does not return counts as hung."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What holds for every attempt of a run."""

    seed: int
    clock: str = "virtual"
    allow_hosts: tuple[str, ...] = ()
    wall_limit_s: float = WALL_LIMIT_S
    time_scale: float = 1.0
    """On the real clock: real seconds in which one second of an attempt passes."""


@dataclass(slots=True)
class Ended:
    """How an agent's function came to its end."""

    end: End
    claim: Claim | None = None
    error: str = ""


def session_for(group: Group, twin: str, index: int, conditions: Conditions) -> Session:
    """A fresh server for one attempt. What the caller can see depends on the seed, the group and the attempt's
    index, never on the twin or the agent."""
    scenario = group.scenario
    seed = derive(conditions.seed, scenario.id, group.contract.name, index)
    events: list[Event] = []
    engine = Engine(group.toolset, group.contract, group.world(twin), group.plan(twin), seed, events)
    latency_s = LATENCY_S * (0.8 + 0.4 * (derive(seed, "latency") % 1000) / 1000)
    return Session(engine, VirtualClock(), group.brief(twin), events, latency_s=latency_s)


def task_for(group: Group, session: Session) -> Task:
    """Exactly what an agent may know."""
    scenario = group.scenario
    return Task(
        "t_" + token(session.engine.server.seed, "task"),
        scenario.instruction,
        copy_json(scenario.inputs),
        scenario.budget,
        Copies(group.specs),
    )


def surroundings(group: Group, twin: str, index: int, conditions: Conditions) -> tuple[Session, Task, LabEnv]:
    """A fresh server, what happened on it before, and what the agent is given."""
    session = session_for(group, twin, index, conditions)
    task = task_for(group, session)
    prior = group.prior(twin)
    store = happen(session, prior)
    notes = group.scenario.notes
    session.events += [Note(0, "notes", name, text) for name, text in notes.items()]
    begun = any(item.by == "agent" for item in prior)
    return session, task, LabEnv(session, group.scenario.user, resumed=begun, store=store, notes=notes)


def run_attempt(
    agent: Agent, group: Group, twin: str, index: int, conditions: Conditions
) -> tuple[History, str | None]:
    """The history, and why the attempt had to run on the real clock (None: it did not)."""
    real = conditions.clock == "real" or isinstance(agent, Command)
    history, why = _run(agent, group, twin, index, conditions, real)
    if why is not None and not real:
        history, _ = _run(agent, group, twin, index, conditions, True)
    return history, None if real else why


def _run(
    agent: Agent, group: Group, twin: str, index: int, conditions: Conditions, real: bool
) -> tuple[History, str | None]:
    session, task, env = surroundings(group, twin, index, conditions)
    with guard.attempt(conditions.allow_hosts) as report:
        if real:
            session.clock = RealClock(1 / conditions.time_scale)
            ended = _guarded(lambda: _real(agent, task, env, session), conditions)
        elif _is_async(agent):
            ended = _guarded(lambda: run_virtual(_on_loop(agent, task, env, session)), conditions)
        else:
            assert isinstance(session.clock, VirtualClock)
            with virtual_time(session.clock):
                ended = _guarded(lambda: live(agent, task, env, session), conditions)
    if report.ended:  # also where the agent caught that, or did it in a thread
        ended = Ended("crashed", error=report.ended)
    if not real and report.why_real is not None:
        return close_attempt(session, ended, ()), report.why_real
    return close_attempt(session, ended, (*report.refused, *session.refused_hosts)), None


def _is_async(agent: Agent) -> bool:
    """`inspect.iscoroutinefunction` looks behind partials and markers, and costs 2 us: for plain functions it is asked
    once."""
    return _asked(agent) if type(agent) is FunctionType else inspect.iscoroutinefunction(agent)


_asked = lru_cache(maxsize=1024)(inspect.iscoroutinefunction)


def _real(agent: Agent, task: Task, env: LabEnv, session: Session) -> Any:
    if not _is_async(agent):
        return live(agent, task, env, session)
    return asyncio.run(alive(agent, task, env, session))


async def _on_loop(agent: Agent, task: Task, env: LabEnv, session: Session) -> Any:
    session.clock = LoopClock(asyncio.get_running_loop())
    try:
        return await alive(agent, task, env, session)
    finally:
        session.clock = VirtualClock(session.clock.now())


def _guarded(call: Callable[[], Any], conditions: Conditions) -> Ended:
    """Run the agent; whatever comes out of it becomes an end with a reason."""
    try:
        with limit(conditions.wall_limit_s):
            value = call()
    except AttemptOver as over:
        return Ended("over_budget", error=str(over))
    except Hung as hung:
        return Ended("hung", error=str(hung))
    except Deadlock as deadlock:
        return Ended("deadlock", error=str(deadlock))
    except Absorbed as absorbed:
        return Ended("crashed", error=str(absorbed))
    except Crash:
        return Ended("crashed", error="Crash was raised although no crash is planned")
    except NeedsRealClock as needs:
        return Ended("crashed", error=str(needs))
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - an agent may raise anything
        return Ended("crashed", error=_blame(error))
    try:
        return Ended("claimed", claim_of(value))
    except (TypeError, ValueError) as wrong:
        return Ended("crashed", error=str(wrong))


def _blame(error: BaseException) -> str:
    """The exception and the line it came from: the user's own, where one is on the way."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(LIBRARY)]
    place = (own or frames)[-1] if frames else None
    at = f" at {place.filename}:{place.lineno}" if place is not None else ""
    return f"{type(error).__name__}: {told(error)}{at}"


def close_attempt(session: Session, ended: Ended, refused: tuple[str, ...]) -> History:
    """Take the claim, let everything land that still can, and freeze the history."""
    now_ns = session.clock.now()
    session.limits = (0, 0, 0)  # the toolset is shut: what an agent left running calls nothing more
    engine, brief, events = session.engine, session.brief, session.events
    horizon_ns = horizon(session, now_ns)
    engine.catch_up(horizon_ns)
    ledger, facts = list(engine.ledger), engine.facts(brief.expectation.state)
    claims = () if ended.claim is None else (ended.claim._replace(t=now_ns),)
    end, error = ended.end, ended.error
    if why := unfit([*events, *claims]):
        end, error = "crashed", why
        events, ledger, facts = plain(events), plain(ledger), plain(facts)
    else:
        events += claims
        if engine.server.broken is not None:
            end, error = "toolset_failed", _blame(engine.server.broken)
    return History(
        brief,
        events,
        ledger,
        end,
        facts,
        error,
        refused,
        horizon_ns,
    )


def horizon(session: Session, now_ns: int) -> int:
    """When nothing that was sent can still take effect: max(claim, last send + the longest landing) + 1 s."""
    sent = [event.t for event in session.events if type(event) is Call]
    landing = [planned.last_ns for planned in session.engine.plan]
    settle_s = session.brief.contract.settle_s or 0.0
    due = [moment for moment, _, _ in session.engine.agenda]
    return max(now_ns, (sent[-1] if sent else 0) + max([ns(settle_s), *landing]), *due) + ns(1)
