"""The two processes of `kill_points.py`: a server with a durable store, and a caller with a journal. Each kills itself
at a named step, the given number of times that it is passed."""

import logging
import os
import signal
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import plain_http
from client.crash_scenes import SCENES, spec_of, work

from faultlab.client.client import ToolClient
from faultlab.core.agent import Budget
from faultlab.core.profiles import contract_of
from faultlab.rules.judge import judge
from faultlab.serve.order import order_of
from faultlab.serve.server import Ports, Server, Serving, serve_until_stopped

TERMS = {"poll_s": 0.2}
"""So that looking twice takes no five seconds."""
SETTLE_S = 0.8
LEASE_S = 0.6
FIRST = order_of({"scenario": "lost-receipt", "contract": "strict", "twin": "clean"})
"""Made where all processes are forked from: it takes the reading of every shipped scenario."""


class Death(NamedTuple):
    """Where a process dies. `times` 0: it does not."""

    step: str = ""
    times: int = 0


class Told(NamedTuple):
    """What a caller was told of one operation."""

    operation: str
    status: str
    outcome: str
    handles: frozenset[str]
    record: tuple[Any, ...] | None


def at(death: Death) -> Callable[[str], None]:
    passed: Counter[str] = Counter()

    def step(name: str) -> None:
        passed[name] += 1
        if name == death.step and passed[name] == death.times:
            os.kill(os.getpid(), signal.SIGKILL)

    return step


def terms_of(contract: str) -> dict[str, Any]:
    settle = {"settle_s": SETTLE_S} if contract == "settle" else {}
    return {"profile": contract, **TERMS, **settle}


def scenario_of(scene: str, contract: str) -> dict[str, Any]:
    given = SCENES[scene]
    meant = next(iter(given.intended.values()))
    identity = {name: meant[name] for name in given.toolset.tools[given.tool].identity}
    effects = [{"tool": given.tool, "identity": identity, "exactly": len(given.intended)}]
    return {
        "id": "kill",
        "suite": "boundary",
        "task": "Do it once.",
        "toolset": given.toolset.name,
        "world": dict(given.world),
        "contracts": [{contract: terms_of(contract)}],
        "budget": {"calls": 1000, "cost": 1000},
        "expect": {"effects": effects},
    }


def serve(store: str, host: str, ports: tuple[int, int], death: Death, ready: Connection) -> None:
    def opened(serving: Serving) -> None:
        ready.send((serving.data_url, serving.admin_url))

    server = Server(judge, Ports(host=host, port=ports[0], admin_port=ports[1]), store, at(death))
    serve_until_stopped(server, FIRST, opened)


def call(url: str, journal: str, scene: str, contract: str, death: Death, answer: Connection) -> None:
    terms = contract_of(contract, terms_of(contract))
    steps: list[str] = []
    die = at(death)

    def hook(step: str) -> None:
        steps.append(step)
        die(step)

    logging.disable()
    with plain_http.Client(base_url=url, timeout=5) as http:
        client = ToolClient(journal, run="r", budget=Budget(12, 30, 20), fsync=False, lease_s=LEASE_S, hook=hook)
        client.add(spec_of(SCENES[scene], terms, http))
        results = work(SCENES[scene], client, "r")
        client.close()
    told = [
        Told(
            result.operation,
            result.status,
            result.outcome.value,
            frozenset(handle for item in result.evidence for handle in (item.key, item.reference) if handle),
            None if result.hand_over is None else tuple(result.hand_over),
        )
        for result in results
    ]
    answer.send((steps, told))
