"""What a caller sees of every fault, on every transport, and what the ledger holds when all has landed."""

import asyncio
import json
from dataclasses import replace

import pytest
from labs import HTTP, LATENCY_S, REFUND, TRANSPORTS, Seen, Step, drain, fault, lab, play, seconds, shows

from faultlab.core.agent import ToolError
from faultlab.core.clock import LoopClock, ns
from faultlab.core.errors import CannotPerform
from faultlab.core.records import Call, Fired, Receipt
from faultlab.faults.catalog import ALLOWED, PHASES
from faultlab.matrix.loop import run_virtual
from faultlab.transports.direct import async_tools

# By hand, from the meaning of each phase: refunds paid at the end for one call, and for a call and a resend
# under the same key ten minutes after everything has landed.
EFFECTS = {
    "connect": (0, 1),
    "before": (0, 1),
    "after": (1, 1),
    "late_network": (1, 1),
    "late_server": (1, 1),
    "torn": (1, 2),
}
WHOLE = ("slow", "dribble")

# Symptom -> the exception's name and whether a status arrives; over HTTP a broken body is the caller's to notice.
EXCEPTIONS = {
    "timeout": "ReadTimeout",
    "reset": "ReadError",
    "close": "RemoteProtocolError",
    "truncated": "RemoteProtocolError",
    "cancelled": "CancelledError",
    "crash_kept": "Crash",
    "crash_lost": "Crash",
}
# Symptom -> when the caller has it, in seconds after it sent the call; any other comes after the latency.
TIMES = {"timeout": 5.0, "cancelled": 1.0, "slow": 3.0 + LATENCY_S, "dribble": 7 * 0.5 + LATENCY_S}
CONNECT_EXCEPTIONS = {"timeout": "ConnectTimeout", "reset": "ConnectError"}

PAIRS = [(phase, symptom) for phase, symptoms in ALLOWED.items() for symptom in symptoms]


def whole_body() -> bytes:
    """The body that the first refund would have had."""
    seen = play("httpx", lab(), [REFUND])[0]
    assert isinstance(seen.body, bytes)
    return seen.body


def check_http(seen: Seen, phase: str, symptom: str) -> None:
    names = CONNECT_EXCEPTIONS if phase == "connect" else EXCEPTIONS
    assert seen.error == names.get(symptom)
    if seen.error is None:
        expected = 503 if symptom == "status" else 200
        assert seen.status == expected
        headers = dict(seen.headers)
        assert int(headers[b"content-length"]) == len(seen.body)
        if symptom == "status":
            assert headers[b"content-type"] == b"application/problem+json"
            assert json.loads(seen.body)["status"] == 503
            return
        if symptom in WHOLE:
            assert seen.body == whole_body()
            return
        with pytest.raises(ValueError, match="line 1"):
            json.loads(seen.body)
        whole = json.loads(whole_body())
        assert len(seen.body) == len(json.dumps(whole, separators=(",", ":"))) // (2 if symptom == "short" else 1)


def check_direct(seen: Seen, phase: str, symptom: str) -> None:
    names = CONNECT_EXCEPTIONS if phase == "connect" else EXCEPTIONS
    assert seen.error == names.get(symptom)
    statuses = {"status": 503, "truncated": 200, "garbled": 200, "short": 200, "slow": 200, "dribble": 200}
    assert seen.status == statuses.get(symptom)
    if symptom in WHOLE:
        assert seen.body["amount"] == "40.00"
    elif seen.error != "Crash":
        assert f"outcome {'not_applied' if phase == 'connect' else 'unknown'}" in seen.text


@pytest.mark.parametrize(
    ("transport", "phase", "symptom"),
    [(transport, *pair) for transport in TRANSPORTS for pair in PAIRS if shows(transport, pair[1])],
)
def test_what_the_caller_sees(transport: str, phase: str, symptom: str) -> None:
    session = lab("none", fault(phase, symptom))
    seen = play(transport, session, [REFUND])[0]
    (check_http if transport in HTTP else check_direct)(seen, phase, symptom)
    assert seconds(seen) == TIMES.get(symptom, LATENCY_S)
    fired = [event for event in session.events if type(event) is Fired]
    assert [(event.phase, event.symptom, event.call) for event in fired] == [(phase, symptom, 1)]


@pytest.mark.parametrize(("phase", "symptom"), PAIRS)
def test_what_the_ledger_holds_at_the_horizon(phase: str, symptom: str) -> None:
    keyed = replace(REFUND, key="k-1")
    for calls, expected in zip(([keyed], [keyed, replace(keyed, rest_s=700)]), EFFECTS[phase], strict=True):
        session = lab("strict", fault(phase, symptom))
        play("direct", session, calls)
        drain(session)
        assert len(session.engine.ledger) == expected


def test_every_phase_and_pair_is_tested_above() -> None:
    assert set(EFFECTS) == set(PHASES) == set(ALLOWED)
    losing = {"timeout", "reset", "close", "status", "truncated", "garbled", "short", "cancelled"}
    losing |= {"crash_kept", "crash_lost"}
    assert {phase: set(symptoms) for phase, symptoms in ALLOWED.items()} == {
        "connect": {"timeout", "reset"},
        **dict.fromkeys(("before", "late_network", "late_server"), losing),
        **dict.fromkeys(("after", "torn"), losing | set(WHOLE)),
    }


@pytest.mark.parametrize("transport", HTTP)
def test_a_transport_that_cannot_perform_a_symptom_says_so(transport: str) -> None:
    session = lab("none", fault("after", "cancelled"))
    with pytest.raises(CannotPerform, match="'cancelled' strikes a tool called as a function"):
        play(transport, session, [REFUND])
    assert isinstance(session.engine.server.broken, CannotPerform)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("timeout_s", [0.4, 2.0])
def test_what_comes_late_but_whole_is_held_to_the_callers_patience(transport: str, timeout_s: float) -> None:
    # A read timeout holds for the whole of a slow answer, and for each gap of a dribbled one.
    for symptom, in_time in (("slow", False), ("dribble", timeout_s > 0.5)):
        session = lab("none", fault("after", symptom))
        seen = play(transport, session, [replace(REFUND, timeout_s=timeout_s)])[0]
        assert (seen.status, seen.error) == ((200, None) if in_time else (None, "ReadTimeout"))
        assert len(session.engine.ledger) == 1


def test_a_read_that_comes_too_late_tells_nothing() -> None:
    session = lab("none", fault("after", "slow", tool="list_refunds"))
    play("direct", session, [replace(REFUND, reference="r"), Step("list_refunds", {"order_id": "A17"}, timeout_s=1)])
    receipt = session.events[-1]
    assert type(receipt) is Receipt
    assert [(item.answer, item.shown) for item in receipt.reveals] == [("absent", ())]


@pytest.mark.parametrize("phase", ["late_network", "late_server"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_late_one_lands_right_after_the_first_negative_read(transport: str, phase: str) -> None:
    session = lab("none", fault(phase))
    reads = [Step("list_refunds", {"order_id": "A17"}, rest_s=wait_s) for wait_s in (0, 5)]
    elsewhere = [Step("list_refunds", {"order_id": "B92"}), Step("get_balance", {"account": "C2"})]
    play(transport, session, [REFUND, *elsewhere])
    assert session.engine.ledger == []
    play(transport, session, reads)
    bodies = [event.body["refunds"] for event in session.events if type(event) is Receipt and event.call in (4, 5)]
    assert [len(body) for body in bodies] == [0, 1]
    negative = next(event for event in session.events if type(event) is Call and event.n == 4)
    assert [effect.t for effect in session.engine.ledger] == [negative.t]


@pytest.mark.parametrize("phase", ["late_network", "late_server"])
def test_a_read_begun_before_the_loss_wakes_nothing(phase: str) -> None:
    session = lab("none", fault(phase))

    async def caller() -> None:
        session.clock = LoopClock(asyncio.get_running_loop())
        tools = async_tools(session)
        refund = asyncio.create_task(tools["refund_order"](**REFUND.args))
        await asyncio.sleep(1)
        assert (await tools["list_refunds"]("A17"))["refunds"] == []
        await asyncio.sleep(1)
        assert (await tools["list_refunds"]("A17"))["refunds"] == []
        with pytest.raises(ToolError, match="ReadTimeout"):
            await refund
        assert session.engine.ledger == []
        assert (await tools["list_refunds"]("A17"))["refunds"] == []
        assert len(session.engine.ledger) == 1

    run_virtual(caller())


@pytest.mark.parametrize("phase", ["late_network", "late_server"])
def test_without_a_read_a_late_one_lands_when_it_is_due(phase: str) -> None:
    session = lab("none", fault(phase))
    play("direct", session, [REFUND])
    session.engine.catch_up(ns(600) - 1)
    assert session.engine.ledger == []
    session.engine.catch_up(ns(600))
    assert [effect.t for effect in session.engine.ledger] == [ns(600)]


def test_an_in_flight_answer_wakes_too() -> None:
    session = lab("strict", fault("late_server"))
    keyed = replace(REFUND, key="k-1")
    _, busy, replay = play("direct", session, [keyed, keyed, keyed])
    assert busy.status == 409
    assert replay.status == 200
    assert len(session.engine.ledger) == 1


def test_a_fault_waits_for_a_call_that_would_have_been_answered() -> None:
    session = lab("none", fault("after"))
    refused = replace(REFUND, args={"order_id": "A17", "amount": "999.00"})
    first, second = play("direct", session, [refused, REFUND])
    assert (first.status, second.error) == (422, "ReadTimeout")
