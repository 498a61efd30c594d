"""A server that is killed and started again has the histories and ledgers that it had, whatever they hold."""

import json
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import plain_http
import pytest
from client import postgres
from serve.test_durable import Running, end, refund, start

KEY = {"Idempotency-Key": "fresh"}
REFUND = {"order_id": "A17", "amount": "40.00", "reference": "r-1"}


@pytest.fixture
def tests(project: Path) -> Path:
    return project / "tests"


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "served.db")


def opened(server: Running, **order: Any) -> str:
    answer = plain_http.post(f"{server.admin}/sessions", json={"time_scale": 0.01, **order}, timeout=30)
    return str(answer.raise_for_status().json()["id"])


def told(server: Running, session: str, what: str) -> Any:
    return plain_http.get(f"{server.admin}/sessions/{session}/{what}", timeout=30).raise_for_status().json()


def send(server: Running, session: str, tool: str, body: Any, patience_s: float = 0.3) -> httpx.Response | None:
    """None: no receipt."""
    try:
        return plain_http.post(f"{server.data}/s/{session}/tools/{tool}", json=body, headers=KEY, timeout=patience_s)
    except httpx.TransportError:
        return None


def again(running: Running, store: str, tests: Path) -> Running:
    end(running)
    return start(store, tests)


def test_what_was_before_the_session_is_not_taken_for_what_came_later(tests: Path, store: str) -> None:
    one = start(store, tests)
    session = opened(one, scenario="key-expired", contract="strict", twin="committed", time_scale=1)
    order = {"customer": "C5", "item": "mug", "quantity": 1, "reference": "new"}
    first = send(one, session, "place_order", order)
    ledger, events = told(one, session, "ledger"), told(one, session, "history")
    assert first is not None and first.status_code == 200
    two = again(one, store, tests)
    assert (told(two, session, "ledger"), told(two, session, "history")) == (ledger, events)
    resent = send(two, session, "place_order", order)
    assert resent is not None and resent.json() == first.json()
    assert told(two, session, "ledger") == ledger
    end(two)


def test_an_effect_that_landed_by_itself_lands_once(tests: Path, store: str) -> None:
    one = start(store, tests)
    session = opened(one, scenario="lost-receipt", contract="none", twin="late_network", time_scale=0.001)
    assert send(one, session, "refund_order", REFUND) is None
    until = time.monotonic() + 20
    while not (ledger := told(one, session, "ledger"))["effects"]:
        assert time.monotonic() < until
        time.sleep(0.05)
    two = again(one, store, tests)
    assert told(two, session, "ledger") == ledger
    three = again(two, store, tests)
    assert told(three, session, "ledger") == ledger
    end(three)


def test_a_fault_that_struck_by_itself_strikes_once(tests: Path, store: str) -> None:
    one = start(store, tests)
    session = opened(one, scenario="middlebox", contract="none", twin="both_arrived")
    send(one, session, "refund_order", REFUND, 1.6)
    events = told(one, session, "history")
    assert [event["kind"] for event in events["events"]].count("fault") == 1
    two = again(one, store, tests)
    assert told(two, session, "history") == events
    end(two)


@pytest.mark.slow
def test_every_scenario_is_after_a_restart_what_it_was(tests: Path, store: str, project: Path) -> None:
    one = start(store, tests)
    scenarios = [path.stem for path in sorted((project / "scenarios").glob("*.yaml"))]
    sessions: list[str] = []

    def used(order: tuple[str, str]) -> None:
        scenario, twin = order
        asked = {"scenario": scenario, "twin": twin, "time_scale": 0.001}
        answer = plain_http.post(f"{one.admin}/sessions", json=asked, timeout=60)
        if answer.status_code != 201 or f"{one.data}/" not in answer.json()["url"]:
            return
        session = answer.json()["id"]
        for tool in answer.json()["task"]["tools"].values():
            send(one, session, tool["name"], example(tool), 0.1)
        sessions.append(session)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(used, product(scenarios, ("committed", "late_network"))))
    assert len(sessions) > 50
    before = {session: (told(one, session, "history"), told(one, session, "ledger")) for session in sessions}
    two = again(one, store, tests)
    for session, (history, ledger) in before.items():
        events, effects = told(two, session, "history")["events"], told(two, session, "ledger")["effects"]
        assert events[: len(history["events"])] == history["events"]
        assert effects[: len(ledger["effects"])] == ledger["effects"]
    end(two)


def example(tool: dict[str, Any]) -> dict[str, Any]:
    """Arguments that fit its schema, whatever they mean."""
    made: dict[str, Any] = {}
    for name, schema in tool["parameters"]["properties"].items():
        kind = schema.get("type", "string")
        known = {"order_id": "A17", "customer": "C5", "amount": "40.00", "item": "mug", "reference": "r-1"}
        plain = {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}
        if name not in ("idempotency_key", "if_match"):
            made[name] = known.get(name, plain.get(kind, "x"))
    return made


def loaded(server: Running, session: str) -> None:
    """Calls upon calls, until the session is gone."""
    with plain_http.Client() as client:
        for number in range(200):
            body = {"customer": "C5", "item": f"i{number}", "quantity": 1, "reference": f"r{number}"}
            try:
                answer = client.post(f"{server.data}/s/{session}/tools/place_order", json=body, headers=KEY, timeout=10)
            except httpx.TransportError:
                return
            if answer.status_code == 404:
                return


def deleted_under_load(one: Running, other: Running) -> None:
    for _ in range(3):
        session = opened(one, scenario="lost-receipt", contract="strict", twin="clean")
        with ThreadPoolExecutor(9) as pool:
            calls = [pool.submit(loaded, server, session) for server in (one, other) for _ in range(4)]
            time.sleep(0.05)
            assert plain_http.delete(f"{one.admin}/sessions/{session}", timeout=30).status_code == 204
            for call in calls:
                call.result(30)
        for server in (one, other):
            assert plain_http.get(f"{server.admin}/sessions/{session}").status_code == 404
            assert server.process.poll() is None


def test_a_session_may_be_deleted_while_it_is_called(tests: Path, store: str) -> None:
    one = start(store, tests)
    deleted_under_load(one, one)
    with closing(sqlite3.connect(store)) as file:
        for table in ("served_events", "served_effects"):
            assert file.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (0,)  # noqa: S608 - literal names
    end(one)


def test_a_session_may_be_deleted_while_several_servers_are_called(tests: Path) -> None:
    if (reason := postgres.why_not()) is not None:
        pytest.skip(reason)
    with postgres.server(postgres.folder()) as url:
        database = postgres.new_database(url, "deleted")
        one, two = start(database, tests), start(database, tests)
        deleted_under_load(one, two)
        late = opened(one, scenario="lost-receipt", contract="none", twin="late_network", time_scale=0.001)
        assert send(one, late, "refund_order", REFUND) is None
        until = time.monotonic() + 20
        while not (ledger := told(one, late, "ledger"))["effects"]:
            assert time.monotonic() < until
        assert told(two, late, "ledger") == ledger
        assert told(one, late, "ledger") == ledger
        end(one)
        end(two)


def test_a_second_server_on_one_file_is_turned_away(tests: Path, store: str) -> None:
    one = start(store, tests)
    with pytest.raises(AssertionError, match="another server is using the store"):
        start(store, tests)
    assert refund(f"{one.data}/s/{one.session}", "k0") is not None
    end(start(str(Path(store).with_name("other.db")), tests))
    two = again(one, store, tests)  # the lock of a process ends with it
    end(two)


def test_a_file_that_is_deleted_acknowledges_nothing_more(tests: Path, store: str) -> None:
    one = start(store, tests)
    url = f"{one.data}/s/{one.session}"
    assert refund(url, "k0") is not None
    Path(store).unlink()
    assert refund(url, "k1") is None
    _, said = one.process.communicate(timeout=30)
    assert one.process.returncode != 0 and "was deleted or replaced" in said


def test_a_store_that_is_locked_does_not_stop_the_rest(tests: Path, store: str) -> None:
    one = start(store, tests)
    with closing(sqlite3.connect(store, isolation_level=None)) as other, ThreadPoolExecutor(1) as pool:
        other.execute("BEGIN IMMEDIATE")
        opening = pool.submit(opened, one, scenario="lost-receipt")
        time.sleep(0.2)
        assert plain_http.get(f"{one.admin}/health", timeout=2).json()["status"] == "ok"
        assert not opening.done()
        other.execute("COMMIT")
        assert json.dumps(told(one, opening.result(30), "history")) == '{"events": []}'
    end(one)
