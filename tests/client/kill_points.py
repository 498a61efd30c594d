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
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import httpx

TESTS = Path(__file__).parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(TESTS))

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


def life(target: Any, *arguments: Any) -> tuple[Any, Any]:
    """Start a process: it, and the end of a pipe at which it answers."""
    here, there = FORKS.Pipe(duplex=False)
    process = FORKS.Process(target=target, args=(*arguments, there))
    process.start()
    there.close()
    return process, here


def answer(process: Any, pipe: Any) -> Any:
    """What a process answers; None: it was killed, by nobody but itself."""
    try:
        said = pipe.recv() if pipe.poll(PATIENCE_S) else "nothing"
    except EOFError:
        said = None
    if said is None:
        process.join(PATIENCE_S)
        assert process.exitcode == -signal.SIGKILL, process.exitcode
    assert said != "nothing", "a process neither answered nor died"
    return said


class House:
    """A server over a store, which is started again where it dies."""

    def __init__(self, store: str, host: str, death: Death) -> None:
        """`host`: a loopback address of its own, so that nobody takes its ports while it is dead."""
        self.store = store
        self.host = host
        self.process, pipe = life(serve, store, host, (0, 0), death)
        self.data, self.admin = answer(self.process, pipe)

    def restart(self) -> None:
        ports = int(self.data.rsplit(":", 1)[1]), int(self.admin.rsplit(":", 1)[1])
        self.process, pipe = life(serve, self.store, self.host, ports, Death())
        assert answer(self.process, pipe) == (self.data, self.admin)

    def revive(self) -> bool:
        """Whether it was dead."""
        if self.process.is_alive():
            return False
        assert self.process.exitcode == -signal.SIGKILL
        self.restart()
        return True

    def open(self, point: Point) -> str:
        opened = httpx.post(f"{self.admin}/sessions", json={"scenario": scenario_of(point.scene, point.contract)})
        assert opened.status_code == 201, opened.text
        return str(opened.json()["id"])

    def effects(self, session: str) -> list[dict[str, Any]]:
        """A server that has just answered may be dying of it: then the next one is asked."""
        for _ in range(2):
            try:
                found: list[dict[str, Any]] = httpx.get(f"{self.admin}/sessions/{session}/ledger").json()["effects"]
            except httpx.TransportError:
                self.process.join(PATIENCE_S)
                self.revive()
            else:
                return found
        raise AssertionError("a server died twice")

    def stop(self) -> None:
        self.process.kill()
        self.process.join()


NOBODY = Death()


@contextmanager
def house(folder: Path, number: int, death: Death = NOBODY) -> Iterator[House]:
    made = House(str(folder / "served.db"), f"127.0.{1 + number // 250}.{1 + number % 250}", death)
    try:
        yield made
    finally:
        made.stop()


def die(server: House, point: Point, folder: Path) -> int:
    """One point: lives until one is told how everything ended. How many processes died of it."""
    session = server.open(point)
    arguments = (f"{server.data}/s/{session}/", str(folder / "journal.db"), point.scene, point.contract)
    died = 0
    told: list[Told] = []
    for caller in (point.caller, Death()):
        process, pipe = life(call, *arguments, caller)
        while not pipe.poll(0.02):
            died += server.revive()
        said = answer(process, pipe)
        process.join(PATIENCE_S)
        died += said is None
        died += server.revive()
        told += [] if said is None else said[1]
    check(point, told, server.effects(session))
    return died


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
        ThreadPoolExecutor(24) as pool,
        house(Path(folder), 0) as shared,
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
