"""A served session whose plan closes a port has one of its own: what happens there happens to nobody else."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import plain_http
import pytest
from served import Serve, Served

READ = {"order_id": "A17"}
PAID = {"order_id": "A17", "amount": "40.00"}


def outage(begin_s: float, end_s: float) -> dict[str, Any]:
    """A scenario as JSON, with one."""
    return {
        "id": "away", "suite": "boundary", "task": "Refund A17.", "toolset": "shop", "contracts": ["strict"],
        "world": {"orders": {"A17": {"status": "paid", "total": "40.00"}}},
        "expect": {"effects": [{"tool": "refund_order", "identity": {"order_id": "A17"}}]},
        "plan": [{"tool": "*", "during": [begin_s, end_s], "fault": "outage"}],
    }  # fmt: skip


def opened(served: Served, begin_s: float, end_s: float) -> dict[str, str]:
    return served.open(scenario=outage(begin_s, end_s))


def read(url: str) -> int | str:
    try:
        return plain_http.post(f"{url}/tools/get_order", json=READ, trust_env=False, timeout=5).status_code
    except httpx.TransportError as error:
        return type(error).__name__


def address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 0)


def refuses(url: str) -> bool:
    try:
        socket.create_connection(address(url), 2).close()
    except ConnectionRefusedError:
        return True
    return False


def until(refused: bool, url: str) -> None:
    end = time.monotonic() + 15
    while refuses(url) is not refused:
        assert time.monotonic() < end, f"{url} has {'taken' if refused else 'refused'} connections for 15 s"
        time.sleep(0.02)


def events(served: Served, session: dict[str, str], kind: str) -> list[dict[str, Any]]:
    told = served.admin.get(f"/sessions/{session['id']}/history").json()["events"]
    return [event for event in told if event["kind"] == kind]


def test_an_outage_closes_the_port_of_its_session_and_no_other(shared: Served) -> None:
    one, two = opened(shared, 3, 5), opened(shared, 280, 281)
    assert len({address(url) for url in (one["url"], two["url"], shared.started["url"])}) == 3
    assert read(one["url"]) == 200
    until(True, one["url"])
    assert read(one["url"]) == "ConnectError"
    assert [read(url) for url in (two["url"], shared.started["url"])] == [200, 200]
    until(False, one["url"])
    assert read(one["url"]) == 200
    assert [event["n"] for event in events(shared, one, "call")] == [1, 2]
    assert [(event["call"], event["fault"]) for event in events(shared, one, "fault")] == [(0, "outage")]


def test_its_url_is_good_on_its_own_port_only(shared: Served) -> None:
    one, two = opened(shared, 280, 281), opened(shared, 280, 281)
    own, path = one["url"].split("/s/")
    at_data_port = plain_http.post(f"{shared.started['data_url']}/s/{path}/tools/get_order", json=READ, trust_env=False)
    assert (at_data_port.status_code, at_data_port.json()["title"]) == (421, "Misdirected Request")
    strange = two["url"].rpartition("/s/")[2]
    for url in (f"{own}/s/{strange}", own, f"{own}/s/{path}x", f"{own}/s/nobody"):
        assert read(url) == 404, url
    assert not events(shared, one, "call") and not events(shared, two, "call")


def test_the_session_that_is_opened_at_once_may_have_one_too(serve: Serve) -> None:
    served = serve("server-crash", "--contract", "strict")
    assert served.started["url"] != served.started["data_url"] + "/s/" + served.started["session"]
    bare = served.started["url"].partition("/s/")[0]
    assert read(served.started["url"]) == read(bare) == 200
    assert read(served.started["data_url"]) == 421


def test_a_server_that_crashed_refuses_until_it_is_back(shared: Served) -> None:
    scenario = outage(280, 281) | {
        "plan": [{"tool": "refund_order", "fault": "server_crash", "with": {"step": "after_record", "down_s": 1.5}}]
    }
    session = shared.open(scenario=scenario)
    url, key = f"{session['url']}/tools/refund_order", {"Idempotency-Key": "k-1"}
    with pytest.raises(httpx.ReadError):
        plain_http.post(url, json=PAID, headers=key, trust_env=False)
    with pytest.raises(httpx.ConnectError):
        plain_http.post(url, json=PAID, headers=key, trust_env=False)
    until(False, url)
    assert plain_http.post(url, json=PAID, headers=key, trust_env=False).status_code == 200
    assert len(shared.admin.get(f"/sessions/{session['id']}/ledger").json()["effects"]) == 1


@pytest.mark.parametrize("how", ["claim", "claim on the admin port", "delete"])
def test_the_port_closes_with_its_session(shared: Served, how: str) -> None:
    session = opened(shared, 280, 281)
    place = f"/sessions/{session['id']}"
    with plain_http.Client(trust_env=False) as kept:
        assert kept.post(f"{session['url']}/tools/get_order", json=READ).status_code == 200
        if how == "claim":
            assert kept.post(f"{session['url']}/claim", json={"status": "unknown"}).json() == {"taken": "unknown"}
        elif how == "delete":
            assert shared.admin.delete(place).status_code == 204
        else:
            assert shared.admin.post(f"{place}/claim", json={"status": "unknown"}).status_code == 200
        until(True, session["url"])
    if how != "delete":
        at_data_port = f"{shared.started['data_url']}/s/{session['id']}"
        assert read(at_data_port) == 410


def test_an_outage_can_be_added_and_cleared(shared: Served) -> None:
    session = opened(shared, 280, 281)
    place = f"/sessions/{session['id']}/faults"
    added = shared.admin.post(place, json={"tool": "*", "during": [0, 100], "fault": "outage"})
    assert added.status_code == 201, added.text
    until(True, session["url"])
    assert shared.admin.delete(place).status_code == 204
    until(False, session["url"])
    assert read(session["url"]) == 200


@pytest.mark.slow
def test_a_server_that_starts_again_gives_a_session_its_port_and_its_outage(serve: Serve, tmp_path: Path) -> None:
    store = str(tmp_path / "served.db")
    one = serve("--store", store)
    session = opened(one, 2, 9)
    assert read(session["url"]) == 200
    until(True, session["url"])
    assert len(events(one, session, "fault")) == 1
    one.process.kill()
    one.process.wait()
    two = serve("--store", store)
    assert two.admin.get(f"/sessions/{session['id']}").json()["url"] == session["url"]
    assert refuses(session["url"])
    until(False, session["url"])
    assert read(session["url"]) == 200
    assert len(events(two, session, "fault")) == 1
    assert [event["n"] for event in events(two, session, "call")] == [1, 2]


def test_a_port_that_somebody_else_has_taken_is_replaced(serve: Serve, tmp_path: Path) -> None:
    store = str(tmp_path / "served.db")
    one = serve("--store", store)
    session = opened(one, 280, 281)
    one.process.kill()
    one.process.wait()
    with socket.create_server(address(session["url"])):
        two = serve("--store", store)
        url = two.admin.get(f"/sessions/{session['id']}").json()["url"]
        assert url != session["url"] and read(url) == 200
    assert two.stop() == 0
    three = serve("--store", store)
    assert three.admin.get(f"/sessions/{session['id']}").json()["url"] == url


def test_a_session_that_can_have_no_port_is_not_lost(serve: Serve, tmp_path: Path) -> None:
    store = str(tmp_path / "served.db")
    one = serve("--store", store)
    session = opened(one, 280, 281)
    assert read(session["url"]) == 200
    one.process.kill()
    one.process.wait()
    # As `faultlab serve` does it, which would not try the host: RFC 5737 gives it to nobody.
    elsewhere = f"host='192.0.2.1', port=0, admin_port=0, token=None, store={store!r}, ready=print"
    code = f"from faultlab import app; app.serve({{'scenario': 'lost-receipt'}}, {elsewhere})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 1 and f"BadInput: session {session['id']} needs a port of its own" in ended.stderr, ended
    two = serve("--store", store)
    assert [event["n"] for event in events(two, session, "call")] == [1]
    assert read(session["url"]) == 200


@pytest.mark.parametrize("host", ["localhost", "::1"])
def test_its_url_is_that_of_the_address_it_listens_on(serve: Serve, host: str) -> None:
    served = serve("--host", host)
    url = opened(served, 280, 281)["url"]
    assert read(url) == 200
    assert read(served.started["url"]) == 200


def test_a_claim_is_answered_before_its_port_goes_with_a_store(serve: Serve, tmp_path: Path) -> None:
    """The answer waits for the disk; the port for the answer."""
    served = serve("--store", str(tmp_path / "served.db"))
    for _ in range(5):
        session = opened(served, 280, 281)
        told = plain_http.post(f"{session['url']}/claim", json={"status": "unknown"}, trust_env=False)
        assert told.json() == {"taken": "unknown"}
        until(True, session["url"])


def test_there_are_no_more_than_can_be_had(serve: Serve) -> None:
    served = serve()
    sessions = []
    for _ in range(201):
        answer = served.admin.post("/sessions", json={"scenario": outage(280, 281)})
        if answer.status_code == 503:
            break
        sessions.append(answer.json())
    assert len(sessions) == 200
    assert "200 open sessions have a port of their own" in answer.json()["detail"]
    assert served.open(scenario="lost-receipt")
    assert served.admin.delete(f"/sessions/{sessions[0]['id']}").status_code == 204
    assert opened(served, 280, 281)
    assert served.stop() == 0
