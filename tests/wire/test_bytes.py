"""Every fault on a raw socket: which bytes come, and how the connection ends."""

import json
import re

import pytest
from labs import fault
from sockets import READ, REFUND, Got, exchange, request, wire_session, wired

from faultlab.core.records import Receipt

LOSING = ("timeout", "reset", "close", "status", "truncated", "garbled", "short")
TWINS = ("before", "after", "late_network", "late_server")
DATE = re.compile(rb"\r\ndate: [^\r]*")


def strike(phase: str, symptom: str, sent: bytes = REFUND) -> tuple[Got, int, Receipt]:
    """The raw client's view of one struck refund, the effects so far, and the receipt that was written down."""
    session = wire_session("strict", fault(phase, symptom))
    with wired(session) as server:
        got = exchange(server, sent, wait_s=0.3)
    receipt = next(event for event in session.events if type(event) is Receipt)
    return Got(DATE.sub(b"", got.data), got.end), len(session.engine.ledger), receipt


@pytest.mark.parametrize("phase", TWINS)
@pytest.mark.parametrize("symptom", LOSING)
def test_bytes_of_a_fault(phase: str, symptom: str) -> None:
    got, effects, receipt = strike(phase, symptom)
    assert effects == (1 if phase == "after" else 0)
    head, _, body = got.data.partition(b"\r\n\r\n")
    length = int(dict(re.findall(rb"([a-z-]+): ([^\r]*)", head)).get(b"content-length", b"-1"))
    if symptom == "timeout":
        assert got == Got(b"", "open")
        assert receipt.error == "ReadTimeout"
    elif symptom == "reset":
        assert got == Got(b"", "RST")
        assert receipt.error == "ReadError"
    elif symptom == "close":
        assert got == Got(b"", "FIN")
        assert receipt.error == "RemoteProtocolError"
    elif symptom == "status":
        assert head.startswith(b"HTTP/1.1 503 ") and len(body) == length and got.end == "open"
    elif symptom == "truncated":
        assert head.startswith(b"HTTP/1.1 200 ") and 0 < len(body) < length and got.end == "FIN"
        with pytest.raises(ValueError, match="Unterminated|Expecting"):
            json.loads(body)
    else:
        assert head.startswith(b"HTTP/1.1 200 ") and len(body) == length and got.end == "open"
        with pytest.raises(ValueError, match="Unterminated|Expecting|control"):
            json.loads(body)


@pytest.mark.parametrize("symptom", LOSING)
def test_twins_send_the_same_bytes(symptom: str) -> None:
    seen = {strike(phase, symptom)[0] for phase in TWINS}
    assert len(seen) == 1


@pytest.mark.parametrize("symptom", ["garbled", "short", "truncated", "status", "dribble", "slow"])
def test_no_fault_gives_content_to_a_head(symptom: str) -> None:
    session = wire_session("none", fault("after", symptom, tool="get_order"), speed=50)
    with wired(session) as server:
        got = exchange(server, request("HEAD", "/v1/orders/A17"), READ, wait_s=0.5)
    whole, _, rest = got.data.partition(b"\r\n\r\n")
    assert whole.startswith(b"HTTP/1.1 ")
    if symptom == "truncated":  # there is nothing to cut off but the head
        assert got.data == whole and got.end == "FIN"
    else:
        assert b"content-length: 0" not in whole
        assert rest.startswith(b"HTTP/1.1 200 ") and got.end == "open"


@pytest.mark.slow
@pytest.mark.parametrize("symptom", [item for item in LOSING if item != "timeout"])
def test_twins_stay_the_same_over_200_repetitions(symptom: str) -> None:
    """A reset that raced with unread bytes would now and then show as an end of file."""
    sent = REFUND.replace(b"Host:", b"Connection: close\r\nHost:")  # the end of it need not be waited for
    seen = {strike(phase, symptom, sent)[0] for _ in range(50) for phase in TWINS}
    assert len(seen) == 1
