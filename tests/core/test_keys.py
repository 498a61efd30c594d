"""Keys as a state table, on the real server: against published vectors and against a plain dict."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from wires import Wire

from faultlab.core.actions import Reply
from faultlab.core.clock import ns
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.records import Call

DAY_S = 86_400.0
KEYED = ("strict", "ietf", "stripe_v1")


def replayed(reply: Reply) -> bool:
    return "idempotent-replayed" in reply.headers


# Vectors: draft-ietf-httpapi-idempotency-key-header-07 section 2.6 and 2.7, Stripe's idempotent requests.


def test_a_required_key_that_is_missing_is_refused_with_400() -> None:
    wire = Wire(contract_of("must", {"profile": "ietf", "key": {"required": True}}))
    reply = wire.send(0)
    assert (reply.status, reply.body["status"], wire.effects) == (400, 400, 0)


@pytest.mark.parametrize("contract", KEYED)
def test_the_same_key_gives_the_first_result_and_no_second_effect(contract: str) -> None:
    wire = Wire(contract)
    first, second = wire.send(0, "k1"), wire.send(1, "k1")
    assert (second.status, second.body, wire.effects) == (first.status, first.body, 1)
    # The draft defines no marker; Stripe names it.
    assert (replayed(first), replayed(second)) == (False, contract != "ietf")


@pytest.mark.parametrize(("contract", "marks"), [("strict", "1"), ("ietf", None), ("stripe_v1", None)])
def test_a_key_in_flight_is_refused_until_its_first_request_has_ended(contract: str, marks: str | None) -> None:
    wire = Wire(contract)
    slow = wire.call(0, "make", "k1", name="a")
    assert wire.server.admit(slow, 0) is None
    busy = wire.send(1, "k1")
    assert (busy.status, busy.headers.get("retry-after"), wire.effects) == (409, marks, 0)
    other = wire.send(1, "k1", name="b")
    assert other.status == PROFILES[contract].key.mismatch_status  # type: ignore[union-attr]  # all three are keyed
    first = wire.server.commit(slow, ns(2))
    assert wire.send(3, "k1").body == first.body
    assert wire.effects == 1


@pytest.mark.parametrize(("contract", "status"), [("strict", 422), ("ietf", 422), ("stripe_v1", 400)])
def test_other_parameters_are_refused_and_do_not_poison_the_key(contract: str, status: int) -> None:
    wire = Wire(contract)
    first = wire.send(0, "k1")
    refused = wire.send(1, "k1", size=2)
    assert refused.status == status
    if contract == "stripe_v1":
        assert refused.body["error"]["type"] == "idempotency_error"
    again = wire.send(2, "k1")
    assert (again.status, again.body, wire.effects) == (200, first.body, 1)


@pytest.mark.parametrize("contract", ["none", *KEYED])
def test_without_a_key_each_request_is_an_effect(contract: str) -> None:
    wire = Wire(contract)
    assert wire.send(0).body["id"] != wire.send(1).body["id"]
    assert wire.effects == 2


def test_a_key_has_no_meaning_where_keys_are_not_honoured() -> None:
    wire = Wire("none")
    wire.send(0, "k1"), wire.send(1, "k1")
    assert wire.effects == 2


@pytest.mark.parametrize("contract", KEYED)
def test_a_request_refused_before_execution_leaves_the_key_free(contract: str) -> None:
    wire = Wire(contract)
    assert wire.send(0, "k1", size="big").status == 400
    assert wire.send(1, "k1").status == 200
    assert wire.effects == 1


@pytest.mark.parametrize("saved", [True, False])
def test_a_refusal_of_the_tool_is_replayed_only_where_it_is_saved(saved: bool) -> None:
    wire = Wire(contract_of("x", {"profile": "stripe_v1", "key": {"save_4xx": saved}}))
    assert wire.send(0, "k1", size=0).status == 402
    again = wire.send(1, "k1", size=0)
    assert (again.status, replayed(again), wire.effects) == (402, saved, 0)
    assert wire.send(2, "k1", size=5).status == (400 if saved else 200)


@pytest.mark.parametrize("contract", KEYED)
def test_a_5xx_after_execution_began_is_kept_where_the_contract_says_so(contract: str) -> None:
    wire = Wire(contract)
    first, again = wire.send(0, "k1", size=13), wire.send(1, "k1", size=13)
    assert (first.status, again.status, wire.effects) == (500, 500, 0)
    assert wire.send(2, "k1", size=1).status == {"strict": 200, "ietf": 422, "stripe_v1": 400}[contract]


@pytest.mark.parametrize("contract", ["ietf", "stripe_v1"])
def test_a_key_counts_as_new_from_the_very_end_of_its_window(contract: str) -> None:
    wire = Wire(contract)
    wire.send(100, "k1")
    wire.server.forward(wire.call(0, "make", "k1", name="a"), ns(100 + DAY_S) - 1)
    assert wire.effects == 1
    wire.server.forward(wire.call(0, "make", "k1", name="a"), ns(100 + DAY_S))
    assert wire.effects == 2
    # The window begins anew with the second execution.
    wire.send(100 + DAY_S + DAY_S - 1, "k1")
    assert wire.effects == 2


def test_strict_refuses_an_old_key_whatever_its_parameters() -> None:
    wire = Wire("strict")
    wire.send(0, "k1")
    assert wire.send(DAY_S, "k1").status == 412
    assert wire.send(2 * DAY_S, "k1", size=9).status == 412
    assert wire.effects == 1


def test_parameters_are_compared_as_json_values() -> None:
    wire = Wire("strict")
    first = wire.server.forward(wire.call(0, "make", "k1", name="a", size=2), 0)
    again = wire.server.forward(wire.call(1, "make", "k1", size=2, name="a"), ns(1))
    assert (again.body, wire.effects) == (first.body, 1)


@pytest.mark.parametrize("key", ["", "k" * 256])
def test_a_key_of_no_length_or_too_much_is_refused(key: str) -> None:
    assert Wire("stripe_v1").send(0, key).status == 400


class KeysAgainstADict(RuleBasedStateMachine):
    """Any order of sends, slow sends and waits: the server does what a dict of first answers says."""

    contract = "strict"

    def __init__(self) -> None:
        super().__init__()
        self.wire = Wire(self.contract)
        self.now_s = 0.0
        self.kept: dict[str, tuple[float, int, Any]] = {}
        """Key -> when it was first received, its size, its first body."""
        self.slow: dict[str, tuple[Call, float]] = {}
        self.allowed: Counter[str] = Counter()

    keys = st.sampled_from(["k1", "k2", "k3"])
    sizes = st.sampled_from([1, 1, 1, 2, 0])

    @rule(wait_s=st.sampled_from([0.0, 1.0, DAY_S - 1, DAY_S]))
    def wait(self, wait_s: float) -> None:
        self.now_s += wait_s

    @rule(key=keys)
    def start_slowly(self, key: str) -> None:
        call = self.wire.call(self.now_s, "make", key, name=key, size=1)
        if self.wire.server.admit(call, ns(self.now_s)) is None:
            assert key not in self.slow
            assert key not in self.kept or self.expired(key)
            self.slow[key] = call, self.now_s

    @rule(key=keys)
    def end_slowly(self, key: str) -> None:
        if key in self.slow:
            call, since_s = self.slow.pop(key)
            reply = self.wire.server.commit(call, ns(self.now_s))
            self.kept[key] = since_s, 1, reply.body
            self.allowed[key] += 1

    @rule(key=keys, size=sizes)
    def send(self, key: str, size: int) -> None:
        reply = self.wire.server.forward(self.wire.call(self.now_s, "make", key, name=key, size=size), ns(self.now_s))
        rules = self.wire.server.contract.key
        assert rules is not None
        if key in self.slow:
            assert reply.status == (409 if size == 1 else rules.mismatch_status)
        elif key in self.kept and not self.expired(key):
            _, first_size, body = self.kept[key]
            if size == first_size:
                assert reply.body == body
            else:
                assert reply.status == rules.mismatch_status
        elif key in self.kept and rules.on_expired == "reject":
            assert reply.status == 412
        else:
            assert reply.status == (200 if size else 402)
            self.kept[key] = self.now_s, size, reply.body
            self.allowed[key] += bool(size)

    def expired(self, key: str) -> bool:
        return self.now_s >= self.kept[key][0] + DAY_S

    @invariant()
    def one_effect_for_each_window_of_a_key(self) -> None:
        made = Counter(effect.key for effect in self.wire.server.ledger)
        assert made == +self.allowed
        assert len(self.wire.server.world.rows("things")) == made.total()


@pytest.mark.parametrize("contract", KEYED)
def test_keys_against_a_dict(contract: str) -> None:
    machine = type("Keys", (KeysAgainstADict,), {"contract": contract})
    machine.TestCase.settings = settings(max_examples=40, stateful_step_count=25)
    machine.TestCase().runTest()
