"""Whole attempts of five calls: two reads, a keyed write, a query, a read; fresh state, judged, stored.

Every call of an episode over HTTP, and of its baseline, is `client.post("/tools/NAME", json=...)`, so that the same five
requests are compared: two reads, a write under a key, a query, a read. (Before, the reads of both were GETs, which an
HTTP client makes more cheaply.)
"""

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import httpx

from faultlab.app import RunRequest, prepare
from faultlab.core.clock import LoopClock, VirtualClock
from faultlab.core.records import Claim
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.matrix.attempt import Ended, close_attempt, session_for
from faultlab.matrix.loop import run_virtual
from faultlab.matrix.row import Job, Made, Place, result_of, row_of
from faultlab.matrix.run import BATCH, Bench, in_processes, jobs_of, make, serially
from faultlab.records.rows import AttemptRow
from faultlab.transports.http_library import BASE_URL
from faultlab.transports.httpx_transport import AsyncLabTransport, LabTransport

Call = Callable[[], object]
SEED = 20261130


def bench(contract: str = "strict", store: str | None = None) -> Bench:
    """One group of lost-receipt and a real store in a temporary folder."""
    place = store or str(Path(tempfile.mkdtemp()) / "lab.db")
    request = RunRequest(agents=("careful",), scenarios=("lost-receipt",), contracts=(contract,), store=place)
    made = prepare(request, 1, SEED)
    made.store.new_run(seed=SEED, argv=(), version="bench", agents=("five",), scenarios=(), protocol={"suites": {}})
    return replace(made, agents={"five": five_calls})


def endless(session: Session) -> Session:
    """Without limits: one session serves many calls of a loop."""
    session.limits = (10**12, 1e12, 10**20)
    return session


def lab_client(contract: str) -> httpx.Client:
    made = bench(contract)
    session = endless(session_for(made.groups[0], "clean", 1, made.conditions))
    return httpx.Client(transport=LabTransport(session), base_url=BASE_URL)


def losing_client() -> httpx.Client:
    """Every write loses its receipt."""
    made = bench("none")
    session = endless(session_for(made.groups[0], "clean", 1, made.conditions))

    planned = Planned("place_order", "after")
    session.engine._plan = {"place_order": [planned]}
    session.engine._pick = lambda call, now_ns: planned  # type: ignore[method-assign]
    return httpx.Client(transport=LabTransport(session), base_url=BASE_URL)


def five_calls(task: Any, env: Any) -> Claim:
    """The episode as an agent."""
    tools = env.tools
    order = tools["get_order"](order_id="A17")
    tools["get_order"](order_id="A17")
    tools["refund_order"](order_id="A17", amount=order["total"], idempotency_key="k-1", reference="r-1")
    tools["list_refunds"](order_id="A17")
    tools["get_order"](order_id="A17")
    return Claim.done("Refunded 40.00 for A17.", [3])


class Storing:
    """Rows gathered and stored in batches, as a run does."""

    def __init__(self, made: Bench) -> None:
        self.made = made
        self.rows: list[AttemptRow] = []
        self.number = 0

    def job(self) -> Job:
        self.number += 1
        return Job(self.number, "five", 0, "clean", 1)

    def keep(self, row: AttemptRow) -> None:
        self.rows.append(row)
        if len(self.rows) >= BATCH:
            self.made.store.append(self.rows)
            self.rows = []

    def finish(self, session: Session, job: Job, claim: Claim) -> None:
        """Close, judge, and store an attempt that was driven by hand."""
        group = self.made.groups[0]
        history = close_attempt(session, Ended("claimed", claim), ())
        verdict = self.made.judge(history)
        assert verdict.verdict == "pass", verdict
        result = result_of(job, Place.of(group), history, verdict)
        self.keep(row_of(Made(1, job, group, history, verdict, result, 1, 0.0, 0.0, "bench")))


def direct() -> Call:
    """The runner's own path: guard, patched time, watchdog, agent, judge, row, store."""
    made = bench()
    storing = Storing(made)

    def run() -> None:
        result, row, _ = make(made, storing.job())
        assert result.verdict == "pass", result
        storing.keep(row)

    return run


KEYED = {"Idempotency-Key": "k-1"}
REQUESTS: tuple[tuple[str, Mapping[str, str], Mapping[str, str]], ...] = (
    ("/tools/get_order", {"order_id": "A17"}, {}),
    ("/tools/get_order", {"order_id": "A17"}, {}),
    ("/tools/refund_order", {"order_id": "A17", "amount": "40.00", "reference": "r-1"}, KEYED),
    ("/tools/list_refunds", {"order_id": "A17"}, {}),
    ("/tools/get_order", {"order_id": "A17"}, {}),
)
"""The five requests of an episode: path, JSON body, headers."""


def over_httpx() -> Call:
    """The same calls through one httpx.Client, which is reused; each episode has a session of its own."""
    made = bench()
    storing = Storing(made)
    group, conditions = made.groups[0], made.conditions
    transport = LabTransport(session_for(group, "clean", 1, conditions))
    client = httpx.Client(transport=transport, base_url=BASE_URL)

    def run() -> None:
        transport.session = session = session_for(group, "clean", 1, conditions)
        for path, body, headers in REQUESTS:
            client.post(path, json=body, headers=headers)
        storing.finish(session, storing.job(), Claim.done("Refunded 40.00 for A17.", [3]))

    return run


def over_async_httpx() -> Call:
    """The same on the virtual loop, with one AsyncClient."""
    made = bench()
    storing = Storing(made)
    group, conditions = made.groups[0], made.conditions
    transport = AsyncLabTransport(session_for(group, "clean", 1, conditions))
    client = httpx.AsyncClient(transport=transport, base_url=BASE_URL)

    async def episode() -> Session:
        transport.session = session = session_for(group, "clean", 1, conditions)
        session.clock = LoopClock(asyncio.get_running_loop())
        for path, body, headers in REQUESTS:
            await client.post(path, json=body, headers=headers)
        session.clock = VirtualClock(session.clock.now())
        return session

    def run() -> None:
        session = run_virtual(episode())
        storing.finish(session, storing.job(), Claim.done("Refunded 40.00 for A17.", [3]))

    return run


def two_processes() -> Mapping[str, object]:
    """How much faster two worker processes are than one loop, starting them left out."""
    request = RunRequest(scenarios=("lost-receipt",), attempts=60, store=str(Path(tempfile.mkdtemp()) / "lab.db"))
    made = prepare(request, 1, SEED)
    made.store.new_run(seed=SEED, argv=(), version="bench", agents=(), scenarios=(), protocol={"suites": {}})
    jobs = jobs_of(tuple(made.agents), made.groups, request.attempts, SEED)
    ratios = []
    for number in range(3):
        alone = [job._replace(number=number * 10**6 + job.number) for job in jobs]
        shared = [job._replace(number=number * 10**6 + 500_000 + job.number) for job in jobs]
        began = perf_counter()
        for _ in serially(made, alone):
            pass
        serial = perf_counter() - began
        times: list[float] = []
        sizes = 0
        for _ in in_processes(partial(prepare, request, 1, SEED), shared, 2):
            times.append(perf_counter())
            sizes += 1
        # The first chunk's arrival ends the workers' start; what is left is measured against its share of the work.
        first = times[0]
        left = sum(1 for moment in times if moment > first + 1e-3)
        ratios.append((serial * left / sizes) / (times[-1] - first))
    ratio = median(ratios)
    return {"ratio": round(ratio, 2), "target": 1.8, "holds": ratio * 1.1 >= 1.8, "baseline": "one process"}


def memory() -> Mapping[str, object]:
    """Resident memory after 100,000 stored attempts, as a multiple of that after 10,000."""
    made = bench()
    jobs = [Job(number, "five", 0, "clean", 1) for number in range(1, 100_001)]
    early = 0
    for count, _ in enumerate(serially(made, jobs), 1):
        if count == 10_000:
            early = _resident()
    ratio = _resident() / early
    return {"ratio": round(ratio, 3), "target": 1.1, "holds": ratio <= 1.1, "baseline": "memory after 10,000"}


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1])


def agentproof() -> Call:
    """agentproof-sim with the same world and calls; it writes no artifact for an episode that passes."""
    from agentproof.core.runner import ScenarioRunner
    from agentproof.core.scenario import Scenario
    from agentproof.tools.definition import ToolOutcome

    schema = {"type": "object", "properties": {}}

    def build(world: Any) -> None:
        world.state["orders"] = {"A17": {"status": "paid", "total": "40.00"}}
        world.state["refunds"] = []

        def get_order(order_id: str) -> dict[str, Any]:
            return {"id": order_id, **world.state["orders"][order_id]}

        def list_refunds(order_id: str) -> dict[str, Any]:
            return {"refunds": list(world.state["refunds"])}

        def refund_order(order_id: str, amount: str, key: str) -> ToolOutcome:
            refund = {"id": world.next_id("re"), "order_id": order_id, "amount": amount}
            world.state["refunds"] = [*world.state["refunds"], refund]
            world.state["orders"] = {"A17": {"status": "refunded", "total": "40.00"}}
            return ToolOutcome(refund, [{"type": "refund", "data": refund, "idempotency_key": key}])

        for name, handler, effect in (
            ("get_order", get_order, "read"),
            ("list_refunds", list_refunds, "read"),
            ("refund_order", refund_order, "financial"),
        ):
            world.tools.register(name=name, description=name, input_schema=schema, handler=handler, effect=effect)
        world.input("Refund A17.")

    class Adapter:
        name = "five"

        async def run(self, *, world: Any, user_input: str) -> str:
            call = world.tools.invoke
            await call("get_order", {"order_id": "A17"})
            await call("get_order", {"order_id": "A17"})
            await call("refund_order", {"order_id": "A17", "amount": "40.00", "key": "k-1"})
            await call("list_refunds", {"order_id": "A17"})
            await call("get_order", {"order_id": "A17"})
            return "Refunded 40.00 for A17."

    runner = ScenarioRunner(adapter=Adapter(), scenarios=[Scenario("refund", build)], invariants=[], mutations=[])
    loop = asyncio.new_event_loop()

    def run() -> None:
        suite = loop.run_until_complete(runner.run(store_artifacts=False))
        assert suite.results[0].status == "PASS", suite.results[0]

    return run


def agentprobe() -> Call:
    """agentprobe-testing's own ticket world, with two reads, a refund, a search and a read; nothing is stored."""
    from agentprobe.agents.scripted import ScriptedAgent
    from agentprobe.injector import NullInjector
    from agentprobe.runner import run_target
    from agentprobe.scenario import CommitPattern, GoalSpec, Scenario
    from agentprobe.world import Customer, Order, Ticket, WorldSpec

    world = WorldSpec(
        customers={"C5": Customer("C5", "Ada", "ada@example.com")},
        orders={"A17": Order("A17", "C5", "mug", 40.0)},
        tickets={"T1": Ticket("T1", "C5", "Refund", "Please refund A17.", "A17")},
    )
    goal = GoalSpec([CommitPattern("issue_refund", {"ticket_id": "T1"})])
    scenario = Scenario(id="refund", seed=1, world=world, task="Refund A17.", goal=goal, baseline_until=0, max_steps=9)
    script: list[tuple[str, dict[str, Any]]] = [
        ("get_order", {"order_id": "A17"}),
        ("get_order", {"order_id": "A17"}),
        ("issue_refund", {"ticket_id": "T1", "amount": 40.0}),
        ("search_tickets", {"query": "refund"}),
        ("get_order", {"order_id": "A17"}),
    ]

    def run() -> None:
        trajectory = run_target(scenario, ScriptedAgent(script, "Refunded."), NullInjector())
        assert len(trajectory.steps) >= 5, trajectory

    return run
