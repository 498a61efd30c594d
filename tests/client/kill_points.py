"""SIGKILL real callers and real servers between any two durable writes, start them again, and look at the ledger.

`python tests/client/kill_points.py` prints how many points there are. A caller is killed at each step of its journal
and its requests; a server with a store at each of its named steps; both at once.
"""

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, NamedTuple

TESTS = Path(__file__).parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(TESTS))

import plain_http
from client.crash_points import memory
from client.crash_scenes import SCENES
from client.kill_lives import Death, Told, call, scenario_of, serve

from faultlab.core.canonical import digest

SERVER_STEPS = ("effect", "writing", "committed", "answered")
CONTRACTS = ("none", "status", "fence", "settle", "strict", "stripe_v1")
BOTH = ("none", "status", "strict")
"""Where a server dies over a caller that dies too."""
CALLER_STEPS = tuple(
    f"{when} {step}" for step in ("claim", "sending", "call", "settled") for when in ("before", "after")
)
PATIENCE_S = 60
FORKS = get_context("forkserver")
"""Each life is a process of its own; what they import is loaded once."""


class Point(NamedTuple):
    scene: str
    contract: str
    caller: Death = Death()
    server: Death = Death()

    @property
    def kind(self) -> str:
        return " and ".join(name for name, death in (("caller", self.caller), ("server", self.server)) if death.times)


def points() -> Iterator[Point]:
    """One request is all that an answered operation takes, so these are all of a caller's steps; a server that dies
    over it is asked again."""
    for scene, given in SCENES.items():
        for contract in ("precondition", *CONTRACTS) if given.conditional else CONTRACTS:
            for step in CALLER_STEPS:
                for times in range(1, len(given.intended) + 1):
                    yield Point(scene, contract, caller=Death(step, times))
            for step in SERVER_STEPS:
                for times in range(1, len(given.intended) + 1):
                    yield Point(scene, contract, server=Death(step, times))
    for contract in BOTH:
        for step in CALLER_STEPS:
            for dies in SERVER_STEPS:
                yield Point("refund", contract, Death(step, 1), Death(dies, 1))


class Life:
    """A process that answers at the end of a pipe."""

    looking = Lock()
    """A start looks at all that have ended, and an exit code can be read only once (255: somebody else read it): so
    one thread at a time looks."""

    def __init__(self, target: Any, *arguments: Any) -> None:
        self.pipe, there = FORKS.Pipe(duplex=False)
        with self.looking:
            self.process: Any = FORKS.Process(target=target, args=(*arguments, there))
            self.process.start()
        there.close()

    def killed(self, patience_s: float = 0) -> bool:
        """Whether it has ended, by a signal; nothing else can end it."""
        if not wait([self.process.sentinel], patience_s):
            return False
        with self.looking:
            assert self.process.exitcode == -signal.SIGKILL, self.process.exitcode
        return True

    def answer(self) -> Any:
        """What it answers; None: it was killed, by nobody but itself."""
        assert self.pipe.poll(PATIENCE_S), "a process neither answered nor died"
        try:
            return self.pipe.recv()
        except EOFError:
            assert self.killed(PATIENCE_S), "a process hung up and lives on"
            return None

    def end(self, patience_s: float = 0) -> None:
        """Let it end, or end it."""
        if not wait([self.process.sentinel], patience_s):
            self.process.kill()
            wait([self.process.sentinel])
        self.pipe.close()


class House:
    """A server over a store, which is started again where it dies."""

    def __init__(self, store: str, host: str, death: Death) -> None:
        """`host`: a loopback address of its own, so that nobody takes its ports while it is dead."""
        self.store = store
        self.host = host
        self.deaths = 0
        self.life = Life(serve, store, host, (0, 0), death)
        self.data, self.admin = self.life.answer()

    def restart(self) -> None:
        ports = int(self.data.rsplit(":", 1)[1]), int(self.admin.rsplit(":", 1)[1])
        self.life.end()
        self.life = Life(serve, self.store, self.host, ports, Death())
        assert self.life.answer() == (self.data, self.admin)

    def revive(self, patience_s: float = 0) -> None:
        """Start it again if it is dead."""
        if self.life.killed(patience_s):
            self.deaths += 1
            self.restart()

    def open(self, point: Point) -> str:
        opened = plain_http.post(f"{self.admin}/sessions", json={"scenario": scenario_of(point.scene, point.contract)})
        assert opened.status_code == 201, opened.text
        return str(opened.json()["id"])

    def effects(self, session: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = plain_http.get(f"{self.admin}/sessions/{session}/ledger").json()["effects"]
        return found


NOBODY = Death()


@contextmanager
def house(folder: Path, number: int, death: Death = NOBODY) -> Iterator[House]:
    made = House(str(folder / "served.db"), f"127.0.{1 + number // 250}.{1 + number % 250}", death)
    try:
        yield made
    finally:
        made.life.end()


def die(server: House, point: Point, folder: Path) -> int:
    """One point: lives until one is told how everything ended. How many processes died of it."""
    session = server.open(point)
    arguments = (f"{server.data}/s/{session}/", str(folder / "journal.db"), point.scene, point.contract)
    died = 0
    told: list[Told] = []
    for caller in (point.caller, Death()):
        life = Life(call, *arguments, caller)
        while not life.pipe.poll(0.02):
            server.revive()
        said = life.answer()
        life.end(PATIENCE_S)
        died += said is None
        told += [] if said is None else said[1]
    if server.deaths < bool(point.server.times):  # it answered, and is dying of it
        server.revive(PATIENCE_S)
    check(point, told, server.effects(session))
    return died + server.deaths


def check(point: Point, told: Sequence[Told], ledger: Sequence[dict[str, Any]]) -> None:
    """No effect too many; what was said of each operation is true; what is not known is handed over whole."""
    scene = SCENES[point.scene]
    effects = [effect for effect in ledger if effect["tool"] == scene.tool]
    if not scene.idempotent:
        assert len(effects) <= len(scene.intended), (point, effects)
    assert told
    for item in told:
        own = [effect for effect in effects if {effect.get("key"), effect.get("reference")} & item.handles]
        if item.status == "done":
            assert own, (point, item)
        elif item.outcome == "not_applied":
            assert not own, (point, item)
        else:
            assert item.record is not None, (point, item)
            operation, handle, of, _, first_sent_ns, last_receipt, _ = item.record
            assert operation == item.operation
            assert handle in item.handles
            assert of in map(digest, scene.intended.values())
            assert first_sent_ns > 0
            assert last_receipt
    if point.contract in ("strict", "status") and not point.server.times:
        assert {item.status for item in told} == {"done"}, (point, told)


def prove(some: Sequence[Point]) -> Counter[tuple[str, str]]:
    """Every point, many at a time: most of their time they wait. How many there were, by scene and who died."""
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
    FORKS.set_forkserver_preload(["client.kill_lives"])
    found: Counter[tuple[str, str]] = Counter()
    with (
        TemporaryDirectory(dir=memory()) as folder,
        house(Path(folder), 0) as shared,
        ThreadPoolExecutor(24) as pool,
    ):

        def one(numbered: tuple[int, Point]) -> tuple[Point, int]:
            number, point = numbered
            place = Path(folder) / str(number)
            place.mkdir()
            if not point.server.times:
                return point, die(shared, point, place)
            with house(place, number, point.server) as own:
                return point, die(own, point, place)

        for point, died in pool.map(one, enumerate(some, 1)):
            assert died == bool(point.caller.times) + bool(point.server.times), (point, died)
            found[point.scene, point.kind] += bool(died)
    return found


def main() -> int:
    found = prove(list(points()))
    for (scene, kind), times in found.items():
        print(f"{scene:18} {kind:18} {times:6}")
    print(f"\n{found.total()} points at which real processes were killed, none with an effect too many")
    return 0


if __name__ == "__main__":
    sys.exit(main())
