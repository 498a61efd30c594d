"""What a server has acknowledged survives its death: kill -9 at every named step, restarts, several processes."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import httpx
import plain_http
import pytest
from client import postgres

WIDE = {
    "id": "wide", "suite": "boundary", "task": "Order.", "toolset": "shop", "contracts": ["strict"],
    "budget": {"calls": 1000, "cost": 1000},
    "expect": {"effects": [{"tool": "place_order", "identity": {"customer": "C5", "item": "one"}}]},
}  # fmt: skip
"""A session that takes many calls."""
STEPS = ("effect", "writing", "committed", "answered")


class Running(NamedTuple):
    process: subprocess.Popen[str]
    data: str
    admin: str
    session: str


def start(store: str, tests: Path, step: str = "never", count: int = 1) -> Running:
    command = [sys.executable, str(tests / "killed_server.py"), store, "0", step, str(count)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    return Running(process, *json.loads(line))


def end(running: Running) -> None:
    running.process.kill()
    running.process.communicate()


def refund(url: str, key: str) -> httpx.Response | None:
    """None: the server died before it answered."""
    try:
        body = {"customer": "C5", "item": key, "quantity": 1, "reference": f"r-{key}"}
        return plain_http.post(f"{url}/tools/place_order", json=body, headers={"Idempotency-Key": key}, timeout=10)
    except httpx.TransportError:
        return None


@pytest.fixture
def tests(project: Path) -> Path:
    return project / "tests"


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("count", [1, *(pytest.param(count, marks=pytest.mark.slow) for count in (2, 5))])
def test_a_killed_server_has_lost_nothing_that_it_acknowledged(
    tmp_path: Path, tests: Path, step: str, count: int
) -> None:
    store = str(tmp_path / "served.db")
    one = start(store, tests, step, count)
    url = f"{one.data}/s/{one.session}"
    acknowledged = {}
    for number in range(10):
        answer = refund(url, f"k{number}")
        if answer is None:
            break
        acknowledged[f"k{number}"] = answer.json()["id"]
    assert one.process.wait(20) == -signal.SIGKILL
    one.process.communicate()
    two = start(store, tests)
    try:
        again = f"{two.data}/s/{one.session}"
        for key, effect in acknowledged.items():
            replayed = refund(again, key)
            assert replayed is not None and replayed.json()["id"] == effect
            assert replayed.headers["idempotent-replayed"] == "true"
        last = f"k{len(acknowledged)}"
        resent = refund(again, last)
        assert resent is not None and resent.status_code == 200
        # Committed but not answered: the resend finds the first one's record. Not yet committed: it is the first.
        assert ("idempotent-replayed" in resent.headers) == (step == "committed")
        effects = plain_http.get(f"{two.admin}/sessions/{one.session}/ledger").json()["effects"]
        assert len(effects) == len(acknowledged) + 1
        assert len({effect["key"] for effect in effects}) == len(effects)
    finally:
        end(two)


def test_secrets_of_callers_are_never_stored_and_their_keys_are_known_after_a_restart(
    tmp_path: Path, tests: Path
) -> None:
    store = str(tmp_path / "served.db")
    one = start(store, tests)
    url = plain_http.post(f"{one.admin}/sessions", json={"scenario": WIDE, "twin": "clean"}).json()["url"]
    body = {"customer": "C5", "item": "card password=hunter2", "quantity": 1}
    headers = {"idempotency-key": "k-1", "authorization": "Bearer abcdefgh12345678"}
    first = plain_http.post(f"{url}/tools/place_order", json=body, headers=headers)
    assert first.status_code == 200
    escaped = r'{"customer": "C5", "item": "\u0073k_live_escaped", "quantity": 1}'
    form = {"content-type": "application/x-www-form-urlencoded", "idempotency-key": "sk_live_askey"}
    for content, kind in ((escaped, {}), ("customer=C5&item=sk%5Flive_inform&quantity=1", form)):
        assert plain_http.post(f"{url}/tools/place_order", content=content, headers=kind).status_code == 200
    fault = {"tool": "place_order", "fault": "unavailable", "match": {"item": "sk_live_infault"}}
    added = plain_http.post(f"{one.admin}/sessions/{url.rpartition('/')[2]}/faults", json=fault)
    assert added.status_code == 201
    os.kill(one.process.pid, signal.SIGKILL)
    one.process.communicate()
    two = start(store, tests)
    try:
        url = f"{two.data}/s/{url.rpartition('/')[2]}"
        again = plain_http.post(f"{url}/tools/place_order", json=body, headers=headers)
        assert again.json() == first.json() and again.headers["idempotent-replayed"] == "true"
        claim = plain_http.post(f"{url}/claim", json={"status": "done", "text": "api_key=sk_live_abcdef"})
        assert claim.status_code == 200
    finally:
        end(two)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"[redacted]" in kept
    secrets = (b"hunter2", b"abcdefgh12345678", b"sk_live_abcdef", b"escaped", b"askey", b"inform", b"infault")
    assert not [secret for secret in secrets if secret in kept]


def test_restarts_keep_scripts_that_wait_and_verdicts(tmp_path: Path, tests: Path) -> None:
    store = str(tmp_path / "served.db")
    one = start(store, tests)
    order = {"scenario": "lost-receipt", "contract": "none", "twin": "late_network", "time_scale": 0.001}
    opened = plain_http.post(f"{one.admin}/sessions", json=order).json()
    body = {"order_id": "A17", "amount": "40.00", "reference": "r-1"}
    with pytest.raises(httpx.ReadTimeout):
        plain_http.post(f"{opened['url']}/tools/refund_order", json=body, timeout=0.2)
    os.kill(one.process.pid, signal.SIGKILL)
    one.process.communicate()
    two = start(store, tests)
    place = f"{two.admin}/sessions/{opened['id']}"
    effects: list[object] = []
    for _ in range(50):
        effects = plain_http.get(f"{place}/ledger").json()["effects"]
        if effects:
            break
    assert len(effects) == 1  # it landed although the process that held it back is dead
    claim = {"status": "done", "text": "Refunded 40.00."}
    verdict = plain_http.post(f"{place}/claim", json=claim).json()
    end(two)
    three = start(store, tests)
    place = f"{three.admin}/sessions/{opened['id']}"
    again = plain_http.get(f"{place}/verdict").json()
    assert again["findings"][0] == verdict["findings"][0]
    assert again["findings"][1] == verdict["findings"][1]
    assert again == verdict
    assert plain_http.post(f"{three.data}/s/{opened['id']}/tools/refund_order", json=body).status_code == 410
    end(three)


def test_a_store_that_fails_acknowledges_nothing_more(tmp_path: Path, tests: Path) -> None:
    store = tmp_path / "served.db"
    one = start(str(store), tests)
    url = f"{one.data}/s/{one.session}"
    assert refund(url, "k0") is not None
    with closing(sqlite3.connect(store)) as other, other:
        other.execute(
            "CREATE TRIGGER full BEFORE INSERT ON served_effects BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )
    assert refund(url, "k1") is None
    _, told = one.process.communicate(timeout=30)
    assert one.process.returncode != 0 and "the disk is full" in told
    with closing(sqlite3.connect(store)) as other, other:
        other.execute("DROP TRIGGER full")
    two = start(str(store), tests)
    effects = plain_http.get(f"{two.admin}/sessions/{one.session}/ledger").json()["effects"]
    end(two)
    assert [effect["key"] for effect in effects] == ["k0"]


@pytest.fixture
def two_servers(tests: Path) -> Iterator[tuple[Running, Running]]:
    """Two processes on one PostgreSQL database."""
    if (reason := postgres.why_not()) is not None:
        pytest.skip(reason)
    with postgres.server(postgres.folder()) as url:
        database = postgres.new_database(url, "served")
        pair = start(database, tests), start(database, tests)
        yield pair
        for running in pair:
            end(running)


def test_of_200_requests_with_one_key_to_two_processes_one_takes_effect(two_servers: tuple[Running, Running]) -> None:
    one, two = two_servers
    opened = plain_http.post(f"{one.admin}/sessions", json={"scenario": WIDE}).json()["id"]
    urls = [f"{running.data}/s/{opened}" for running in (one, two)]

    def send(number: int) -> httpx.Response | None:
        return refund(urls[number % 2], "one")

    with ThreadPoolExecutor(16) as pool:
        answers = [answer for answer in pool.map(send, range(200)) if answer is not None]
    assert len(answers) == 200
    assert {answer.status_code for answer in answers} <= {200, 409}
    bodies = {answer.json()["id"] for answer in answers if answer.status_code == 200}
    assert len(bodies) == 1
    for running in (one, two):
        effects = plain_http.get(f"{running.admin}/sessions/{opened}/ledger").json()["effects"]
        assert len(effects) == 1
    history = plain_http.get(f"{two.admin}/sessions/{opened}/history").json()["events"]
    assert sum(event["kind"] == "call" for event in history) == 200


def test_several_servers_have_no_port_that_could_be_closed_for_one_session(
    two_servers: tuple[Running, Running],
) -> None:
    answer = plain_http.post(f"{two_servers[0].admin}/sessions", json={"scenario": "outage-heals"})
    assert answer.status_code == 422
    assert "a port that several sessions share cannot be closed for one of them" in answer.json()["detail"]
    assert plain_http.post(f"{two_servers[0].admin}/sessions", json={"scenario": "server-crash"}).status_code == 201


def test_an_id_that_a_database_cannot_hold_is_one_of_no_session(two_servers: tuple[Running, Running]) -> None:
    for path in ("", "/history", "/verdict"):
        assert plain_http.get(f"{two_servers[0].admin}/sessions/%00{path}").status_code == 404
