"""Inside its window a key has one effect at most, in whatever order requests, failures and waits come."""

from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

import pytest
from contracts.things import THINGS, WORLD
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from faultlab.core.actions import Meddle
from faultlab.core.clock import ns
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call
from faultlab.core.world import World
from faultlab.engine.server import Server

KEYED = sorted(name for name, contract in PROFILES.items() if contract.key is not None)
LONG_S = 3_000_000.0


class Made(NamedTuple):
    """One effect: when its request came, and when it was executed."""

    came_s: float
    done_s: float


class OneEffect(RuleBasedStateMachine):
    """Requests under two keys in two regions, some of which are slow, and some of which the server breaks down in."""

    profile = "strict"

    def __init__(self) -> None:
        super().__init__()
        contract = PROFILES[self.profile]
        assert contract.key is not None
        self.rules = contract.key
        self.server = Server(THINGS, contract, World(WORLD), 7)
        self.now_s = 0.0
        self.sent = 0
        self.slow: list[tuple[Call, float]] = []
        self.first_s: dict[str, float] = {}
        self.made: dict[tuple[str | None, str], list[Made]] = defaultdict(list)
        self.ended_s: dict[str, float] = {}

    keys = st.sampled_from(["k1", "k2"])
    regions = st.sampled_from(["r1", "r1", "r2"])

    def call(self, key: str, region: str, size: int = 1) -> Call:
        self.sent += 1
        args = {"name": key, "size": size, "region": region}
        first_ns = ns(self.first_s.setdefault(key, self.now_s)) if self.rules.first_sent_header else None
        made = Call(self.sent, ns(self.now_s), "make", "write", args, key, key, None, None, region, first_ns)
        self.server.number(made)
        return made

    def book(self, call: Call, came_s: float) -> None:
        """Write down the effect that the last step may have had."""
        if self.server.ledger and self.server.ledger[-1].call == call.n:
            where = call.scope if self.rules.scope == "region" else None
            self.made[where, call.key or ""].append(Made(came_s, self.now_s))

    @rule(wait_s=st.sampled_from([1.0, 299.0, 301.0, 590.0, 3_601.0, 86_400.0, LONG_S]))
    def wait(self, wait_s: float) -> None:
        if self.rules.lease_s is None or not self.slow:  # a lease promises nothing about requests that outlive it
            self.now_s += wait_s

    @rule(key=keys, region=regions, size=st.sampled_from([1, 1, 2, 0]))
    def send(self, key: str, region: str, size: int) -> None:
        call = self.call(key, region, size)
        self.server.forward(call, ns(self.now_s))
        self.book(call, self.now_s)

    @rule(key=keys, region=regions)
    def send_slowly(self, key: str, region: str) -> None:
        call = self.call(key, region)
        if self.server.admit(call, ns(self.now_s)) is None:
            self.slow.append((call, self.now_s))

    @rule(applied=st.sampled_from([None, None, False, True]))
    def end_slowly(self, applied: bool | None) -> None:
        if not self.slow:
            return
        call, came_s = self.slow.pop(0)
        if applied is None or (applied and self.rules.frees_on_5xx):  # there a failure promises nothing
            self.server.commit(call, ns(self.now_s))
        else:
            self.server.fail(call, ns(self.now_s), applied=applied)
        self.book(call, came_s)

    @rule(key=keys)
    def somebody_ends_it(self, key: str) -> None:
        self.server.meddle(Meddle("terminate", {"name": key}, "interference"), ns(self.now_s))
        self.ended_s.setdefault(key, self.now_s)

    def window_begins(self, key: str, made: Made) -> float:
        """As the documents of the profiles have it; a resource that is there for ever keeps its key for ever."""
        begins = {
            "receipt": made.came_s,
            "completion": made.done_s,
            "first_sent": self.first_s.get(key, made.came_s),
            "resource_end": max(made.done_s, self.ended_s.get(key, float("inf"))),
        }
        return begins[self.rules.window_from]

    @invariant()
    def one_effect_inside_a_window(self) -> None:
        assert self.rules.window_s is not None
        for (_, key), made in self.made.items():
            if self.rules.on_expired == "reject":
                assert len(made) <= 1
            # Where the end of the resource counts, later ones begin with other things of the same name.
            looked = made[:2] if self.rules.window_from == "resource_end" else made
            for first, second in pairwise(looked):
                assert second.came_s >= self.window_begins(key, first) + self.rules.window_s


@pytest.mark.parametrize("profile", KEYED)
def test_one_effect(profile: str) -> None:
    machine = type("OneEffectOf", (OneEffect,), {"profile": profile})
    machine.TestCase.settings = settings(max_examples=25, stateful_step_count=25)
    machine.TestCase().runTest()


@pytest.mark.parametrize("profile", KEYED)
def test_the_next_effect_is_possible_as_soon_as_the_window_is_over(profile: str) -> None:
    """Else the law above would hold of a server that executes nothing twice."""
    machine = type("OneEffectOf", (OneEffect,), {"profile": profile})()
    machine.send("k1", "r1", 1)
    machine.somebody_ends_it("k1")
    assert machine.rules.window_s is not None
    machine.now_s += machine.rules.window_s
    machine.send("k1", "r1", 1)
    machine.one_effect_inside_a_window()
    assert [len(made) for made in machine.made.values()] == [1 if machine.rules.on_expired == "reject" else 2]
