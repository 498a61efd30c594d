"""Real processes on one journal: two that want the same, and one that is killed. A real server, a real socket."""

import json
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from client import postgres

HERE = Path(__file__).parent


class Service:
    """The payment server, and its ledger as it lies on the disk."""

    def __init__(self, ledger: Path) -> None:
        self.ledger = ledger
        command = [sys.executable, str(HERE / "payment_server.py"), str(ledger)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = f"http://127.0.0.1:{self.process.stdout.readline().strip()}"

    def rows(self, query: str) -> list[Any]:
        connection = sqlite3.connect(self.ledger)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    @property
    def effects(self) -> Counter[str]:
        return Counter(row[0] for row in self.rows("SELECT order_id FROM effects"))

    @property
    def requests(self) -> Counter[str]:
        return Counter(row[0] for row in self.rows("SELECT order_id FROM requests"))

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path / "ledger.db")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if (reason := postgres.why_not()) is not None:
        pytest.skip(reason)
    with postgres.server(postgres.folder()) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "journal.db")
    name = f"j{abs(hash(request.node.name))}"
    return postgres.new_database(request.getfixturevalue("database"), name)


class Worker:
    """A process that has loaded everything and waits for the word."""

    def __init__(self, **given: Any) -> None:
        command = [sys.executable, str(HERE / "refund_worker.py"), json.dumps(given)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def go(self) -> "Worker":
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return self

    def end(self) -> list[dict[str, Any]]:
        out, _ = self.process.communicate(timeout=90)
        return [json.loads(line) for line in out.splitlines()]


def statuses(told: list[dict[str, Any]]) -> dict[str, str]:
    return {line["order"]: line["status"] for line in told if "order" in line}


def test_two_processes_that_want_the_same_send_it_once(service: Service, journal: str) -> None:
    """Without keys: whatever is sent twice is an effect too many."""
    orders = [f"A{number}" for number in range(12)]
    given = {"journal": journal, "url": service.url, "orders": orders, "keyed": False, "slow": 0.02}
    workers = [Worker(**given) for _ in range(3)]
    told = [worker.end() for worker in [worker.go() for worker in workers]]
    assert service.requests == service.effects == Counter(orders)
    assert [statuses(lines) for lines in told] == [dict.fromkeys(orders, "done")] * 3
    values = [[line["value"] for line in lines if "order" in line] for lines in told]
    assert values[0] == values[1] == values[2]


def test_of_two_processes_only_one_resends(service: Service, journal: str) -> None:
    """With keys a lost receipt is answered by one resend; two processes that both resent would make three requests."""
    orders = [f"A{number}" for number in range(4)]
    given = {"journal": journal, "url": service.url, "orders": orders, "keyed": True, "lose": 1, "slow": 0.02}
    workers = [Worker(**given) for _ in range(2)]
    told = [worker.end() for worker in [worker.go() for worker in workers]]
    assert service.effects == Counter(orders)
    assert service.requests == Counter(dict.fromkeys(orders, 2))
    assert [statuses(lines) for lines in told] == [dict.fromkeys(orders, "done")] * 2


STEPS = [
    f"{when} {step}" for step in ("claim", "sending", "call", "received", "settled") for when in ("before", "after")
]
QUICK = {("after sending", False), ("after call", True)}
"""The request has not left; its receipt is not written. The others take as long and tell less."""
KILLS = [
    pytest.param(step, keyed, marks=[] if (step, keyed) in QUICK else pytest.mark.slow, id=f"{step}-{key}")
    for step in STEPS
    for key, keyed in (("keyed", True), ("unkeyed", False))
]


@pytest.mark.parametrize(("step", "keyed"), KILLS)
def test_a_process_that_is_killed_is_finished_by_the_next(
    service: Service, step: str, keyed: bool, tmp_path: Path
) -> None:
    given = {
        "journal": str(tmp_path / "journal.db"),
        "url": service.url,
        "orders": ["A17"],
        "keyed": keyed,
        "lose": 1,
        "lease_s": 1,
    }
    first = Worker(**given, die=step).go()
    assert first.end() == []
    assert first.process.returncode == -signal.SIGKILL
    told = Worker(**given).go().end()
    assert statuses(told) == {"A17": "done"}
    assert service.effects == {"A17": 1}


@pytest.mark.slow
def test_the_server_may_be_killed_too(tmp_path: Path) -> None:
    """Between its commit and its answer; the client finds the effect when the server is back."""
    service = Service(tmp_path / "ledger.db")
    given = {"journal": str(tmp_path / "journal.db"), "orders": ["A17"], "keyed": True, "lease_s": 1, "seconds": 3}
    worker = Worker(**given, url=service.url, slow=30).go()
    while not service.effects:
        pass
    service.stop()
    assert statuses(worker.end()) == {"A17": "handed_over"}
    again = Service(tmp_path / "ledger.db")
    told = Worker(**given, url=again.url).go().end()
    again.stop()
    assert told[0] == {"reconciled": "refund(A17)", "status": "done"}
    assert statuses(told) == {"A17": "done"}
    assert again.effects == {"A17": 1}
