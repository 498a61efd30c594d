"""Where patience, budgets and windows end, and what an answer carries whatever became of its call."""

from dataclasses import replace
from typing import Any

import pytest
from wires import THINGS, Wire

from faultlab.core.actions import PIECES, AsOf, Dribble, Hide, Reply
from faultlab.core.agent import Budget
from faultlab.core.clock import VirtualClock, ns
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.errors import AttemptOver
from faultlab.core.history import Brief, Expectation
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Event
from faultlab.core.tools import Toolset, tool
from faultlab.core.world import FrozenWorld, World
from faultlab.engine.arrival import Patience, arrival_of
from faultlab.engine.engine import Engine
from faultlab.engine.errors import failure
from faultlab.engine.past import Past
from faultlab.engine.perform import perform
from faultlab.engine.session import Session

MARKED = [name for name, terms in PROFILES.items() if terms.key and (terms.key.result_header or terms.key.echoes_key)]


def test_a_gap_as_long_as_the_patience_is_in_time() -> None:
    patience = Patience(sent_ns=0, at_ns=1, wait_ns=100, connect_ns=100)
    whole, cut = arrival_of(Dribble(Reply(200, {}), 100), patience), arrival_of(Dribble(Reply(200, {}), 101), patience)
    assert whole is not None and (whole.status, whole.error, whole.t) == (200, None, 1 + (PIECES - 1) * 100)
    assert cut is not None and (cut.status, cut.error) == (None, "ReadTimeout")


def test_the_lab_refuses_from_the_very_moment_of_three_times_the_time() -> None:
    events: list[Event] = []
    engine = Engine(THINGS, PROFILES["none"], FrozenWorld({"things": {}}), (), 7, events)
    brief = Brief(PROFILES["none"], Budget(seconds=10), Expectation(), {})
    session = Session(engine, VirtualClock(), brief, events)
    session.check(ns(30) - 1)
    with pytest.raises(AttemptOver):
        session.check(ns(30))


@pytest.mark.parametrize("contract", MARKED)
def test_the_servers_own_500_is_marked_like_every_answer_and_tells_not_what_was_done(contract: str) -> None:
    rules = PROFILES[contract].key
    assert rules is not None
    place, _, name = rules.carrier.partition(" ")
    answers = []
    for applied in (True, False):
        wire = Wire(contract)
        call = wire.call(0, "make", "k1", name="a")
        assert wire.server.admit(call, 0) is None
        reply = wire.server.fail(call, 0, applied=applied)
        assert reply.status == 500
        if rules.result_header is not None:
            assert rules.result_header.lower() in reply.headers
        if rules.echoes_key:
            assert (reply.headers[name.lower()] if place == "header" else reply.body[name]) == "k1"
        answers.append(reply)
    assert answers[0] == answers[1]


@pytest.mark.parametrize("kept", [True, False])
def test_only_a_500_that_is_kept_advises(kept: bool) -> None:
    """Where it is not kept another try is another execution, of which the server can promise nothing."""
    assert ("advice" in failure(KeyRules(advice_header="Advice", save_5xx=kept)).headers) == kept


# What was made under a key.


@tool(writes=True, identity=["name"], versioned="jobs/name")
def start(world: World, name: str, state: str = "running") -> dict[str, Any]:
    """Start a job: first its log is opened, then the job itself is written, which the answer names."""
    world.put("logs", "log1", {"state": "open"})
    made = {"id": name, "state": state}
    world.put("jobs", name, made)
    return made


@tool(writes=True, identity=["name"])
def end(world: World, name: str, state: str | None = None) -> dict[str, Any]:
    """End a job; without a state it is gone."""
    if state is None:
        world.drop("jobs", name)
    else:
        world.update("jobs", name, state=state)
    return {"id": name}


JOBS = Toolset.of("jobs", start, end)


def jobs(contract: str, **changes: Any) -> Wire:
    rules = PROFILES[contract].key
    assert rules is not None
    return Wire(replace(PROFILES[contract], key=replace(rules, **changes)), JOBS)


def sent(wire: Wire, at_s: float, what: str, key: str | None = None, **args: Any) -> Reply:
    return wire.server.forward(wire.call(at_s, what, key, name="a", **args), ns(at_s))


@pytest.mark.parametrize("state", ["terminated", "deleted", "cancelled", None])
def test_the_window_of_a_key_runs_from_the_end_of_what_was_made(state: str | None) -> None:
    """EC2: a token holds for the life of the resource and an interval after it."""
    wire = jobs("ec2", window_s=100.0, on_expired="execute")
    sent(wire, 0, "start", "k1")
    sent(wire, 500, "start", "k1")
    assert wire.effects == 1
    sent(wire, 1000, "end", **({} if state is None else {"state": state}))
    sent(wire, 1099, "start", "k1")
    assert wire.effects == 2
    sent(wire, 1100, "start", "k1")
    assert wire.effects == 3


def test_a_replay_shows_the_present_state_of_the_row_that_the_answer_names() -> None:
    """Not of another row that the call has written before it."""
    wire = jobs("ec2")
    assert sent(wire, 0, "start", "k1").body["state"] == "running"
    sent(wire, 1, "end", state="paused")
    assert sent(wire, 2, "start", "k1").body["state"] == "paused"


def test_a_failed_condition_was_looked_at_under_the_key_and_an_old_key_was_not() -> None:
    """Both are a 412; Repeatability-Result tells them apart (OASIS section 5)."""
    contract: Contract = replace(PROFILES["oasis"], precondition="required")
    wire = Wire(contract, JOBS)
    sent(wire, 0, "start", "k0", state="running")
    failed = wire.server.forward(wire.call(1, "start", "k1", name="a")._replace(if_match='"9"'), ns(1))
    late = wire.call(1000, "start", "k2", name="a")._replace(first_sent_ns=0, if_match='"1"')
    expired = wire.server.forward(late, ns(1000))
    assert (failed.status, failed.headers["repeatability-result"]) == (412, "accepted")
    assert (expired.status, expired.headers["repeatability-result"]) == (412, "rejected")


# What reads are shown of the past.


def test_what_is_hidden_is_seen_from_the_moment_on_at_which_the_lag_ends() -> None:
    wire = Wire("none")
    past = Past(wire.server)
    made = wire.call(0, "make", name="a")
    past.forward(made, 0)
    perform(wire.server, past, Hide(made, ns(10)), 0)
    assert past.forward(wire.call(10, "things"), ns(10) - 1).body["things"] == []
    assert len(past.forward(wire.call(10, "things"), ns(10)).body["things"]) == 1


def test_a_page_that_is_less_than_a_nanosecond_old_is_the_present_one() -> None:
    wire = Wire("none")
    past = Past(wire.server)
    past.forward(wire.call(0, "make", name="a"), 0)
    shown = perform(wire.server, past, AsOf(wire.call(1, "things"), ns(1)), ns(1))
    assert len(shown.body["things"]) == 1
