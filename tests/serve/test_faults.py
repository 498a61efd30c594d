"""Faults that are added to an open session, and cleared."""

import socket
import time
from pathlib import Path

import httpx
import plain_http
import pytest
from served import Serve, Served

REFUND = {"order_id": "A17", "amount": "40.00"}
LOST = {"tool": "refund_order", "phase": "after", "symptom": "reset"}


def opened(served: Served, contract: str = "none") -> tuple[str, str]:
    """Its URL, and its place on the admin port."""
    told = served.open(scenario="lost-receipt", contract=contract, twin="clean")
    return told["url"], f"/sessions/{told['id']}"


def refund(url: str) -> int | str:
    try:
        return plain_http.post(f"{url}/tools/refund_order", json=REFUND, trust_env=False).status_code
    except httpx.TransportError as error:
        return type(error).__name__


def test_a_fault_strikes_from_when_it_was_added_until_it_is_cleared(shared: Served) -> None:
    url, place = opened(shared)
    assert refund(url) == 200
    told = shared.admin.post(f"{place}/faults", json={**LOST, "times": "always"})
    assert (told.status_code, told.json()) == (201, {"faults": [{**LOST, "times": "always"}]})
    assert [refund(url), refund(url)] == ["ReadError", "ReadError"]
    assert shared.admin.delete(f"{place}/faults").status_code == 204
    assert refund(url) == 200
    events = shared.admin.get(f"{place}/history").json()["events"]
    assert [event["call"] for event in events if event["kind"] == "fault"] == [2, 3]


def test_an_added_fault_counts_in_the_verdict_only_if_it_is_required(shared: Served) -> None:
    for required, verdict in ((True, "infra_error"), (False, "pass")):
        url, place = opened(shared)
        shared.admin.post(f"{place}/faults", json={**LOST, "occurrence": 5, "required": required})
        assert refund(url) == 200
        claim = {"status": "done", "text": "Refunded 40.00.", "evidence": [1]}
        told = shared.admin.post(f"{place}/claim", json=claim).json()
        assert told["mark"] == ("inconclusive" if required else "pass"), (told, verdict)


@pytest.mark.parametrize(
    ("item", "place", "said"),
    [
        ([], "", "must be a mapping"),
        ({}, "tool", "lacks 'tool'"),
        ({"tool": "refund"}, "", "exactly one of"),
        ({"tool": "refnd_order", "phase": "after"}, "tool", "refund_order"),
        ({"tool": "refund_order", "phase": "afer"}, "phase", "connect, before, after"),
        ({"tool": "refund_order", "fault": "throtled"}, "fault", "throttled, unavailable"),
        ({**LOST, "symptom": "rest"}, "symptom", "timeout, reset, close"),
        ({**LOST, "occurrence": 0}, "occurrence", "1 or more"),
        ({**LOST, "during": [9000, 9001]}, "during", "the budget ends at"),
        ({**LOST, "match": {"colour": "red"}}, "match/colour", "order_id"),
        ({"tool": "refund_order", "twins": ["committed"]}, "twins", "this session is the twin 'clean'"),
        ({"tool": "refund_order", "phase": "connect"}, "phase", "take before"),
        ({**LOST, "symptom": "cancelled"}, "symptom", "take timeout"),
        ({"tool": "*", "fault": "outage"}, "fault", "a port cannot refuse one call"),
        ({"tool": "*", "fault": "outage", "during": [1, 60]}, "fault", "several sessions share"),
    ],
)
def test_what_cannot_strike_is_422_with_what_can(shared: Served, item: object, place: str, said: str) -> None:
    _, session = opened(shared)
    answer = shared.admin.post(f"{session}/faults", json=item)
    assert answer.status_code == 422 and answer.headers["content-type"] == "application/problem+json"
    errors = answer.json()["errors"]
    assert any(error["place"] == place and said in error["detail"] for error in errors), errors


def test_a_session_that_has_ended_takes_no_faults(shared: Served) -> None:
    _, place = opened(shared)
    shared.admin.post(f"{place}/claim", json={"status": "unknown"})
    assert shared.admin.post(f"{place}/faults", json=LOST).status_code == 409
    assert shared.admin.delete(f"{place}/faults").status_code == 409
    assert shared.admin.post("/sessions/nobody/faults", json=LOST).status_code == 404


def test_added_faults_outlive_the_server(serve: Serve, tmp_path: Path) -> None:
    store = str(tmp_path / "served.db")
    one = serve("--store", store)
    url, place = opened(one)
    assert refund(url) == 200
    one.admin.post(f"{place}/faults", json={**LOST, "occurrence": 2})
    assert [refund(url), refund(url), refund(url)] == [200, "ReadError", 200]
    one.admin.delete(f"{place}/faults")
    one.admin.post(f"{place}/faults", json={**LOST, "occurrence": 2})
    assert refund(url) == 200
    before = one.admin.get(f"{place}/history").json()
    one.process.kill()
    two = serve("--store", store)
    assert two.admin.get(f"{place}/history").json() == before
    again = f"{two.started['data_url']}/s/{place.rpartition('/')[2]}"
    assert [refund(again), refund(again)] == ["ReadError", 200]


def test_a_plan_that_no_port_can_show_opens_no_session(shared: Served) -> None:
    answer = shared.admin.post("/sessions", json={"scenario": "no-connection"})
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["place"] == "twin" and "a port cannot refuse one call" in error["detail"]
    assert shared.open(scenario="no-connection", twin="clean")


def started(served: Served, path: str, body: bytes) -> tuple[socket.socket, bytes]:
    """A request to the admin port that lacks the last byte of its body."""
    host, _, port = served.started["admin_url"].removeprefix("http://").rpartition(":")
    connection = socket.create_connection((host, int(port)), timeout=5)
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body[:-1])
    served.admin.get("/health")  # the server has read what is there
    time.sleep(0.1)
    return connection, body[-1:]


@pytest.mark.parametrize(
    ("path", "body", "meanwhile", "status"),
    [
        ("faults", b'{"tool": "*", "fault": "unavailable"}', "claim", 409),
        ("faults", b'{"tool": "*", "fault": "unavailable"}', "delete", 404),
        ("claim", b'{"status": "not_done"}', "claim", 409),
        ("claim", b'{"status": "not_done"}', "delete", 404),
    ],
)
def test_a_session_that_went_while_a_body_came_is_not_touched(
    shared: Served, path: str, body: bytes, meanwhile: str, status: int
) -> None:
    place = f"/sessions/{shared.open()['id']}"
    connection, last = started(shared, f"{place}/{path}", body)
    with connection:
        if meanwhile == "claim":
            assert shared.admin.post(f"{place}/claim", json={"status": "done"}).status_code == 200
        else:
            assert shared.admin.delete(place).status_code == 204
        connection.sendall(last)
        assert connection.recv(12) == f"HTTP/1.1 {status}".encode()
