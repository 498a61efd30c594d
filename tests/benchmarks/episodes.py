"""Whole attempts of five calls: two reads, a keyed write, a query, a read; fresh state, judged, stored.

Every call of an episode over HTTP, and of its baseline, is `client.post("/tools/NAME", json=...)`: the same five
requests on both sides, each as dear as the baseline of the single calls. (The reads of both were GETs before, which
an HTTP client makes more cheaply than a POST with JSON.)
"""

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import httpx

from faultlab.app import RunRequest, prepare
from faultlab.core.records import Claim
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.matrix.attempt import session_for
from faultlab.matrix.env import session_of
from faultlab.matrix.life import Agent
from faultlab.matrix.row import Job
from faultlab.matrix.run import Bench, in_processes, jobs_of, serially
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

    session.engine.arm(Planned("place_order", "after", times=None))
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


def episodes_of(agent: Agent) -> Call:
    """The runner's own loop: guard, watchdog, virtual time, agent, judge, row, store. It judges 20 attempts together
    and stores 100, so that only whole multiples of 100 are a measure."""
    made = replace(bench(), agents={"five": agent})
    results = serially(made, (Job(number, "five", 0, "clean", 1) for number in count(1)))

    def run() -> None:
        result, _ = next(results)
        assert result.verdict == "pass", result

    return run


def direct() -> Call:
    """Tools as functions."""
    return episodes_of(five_calls)


KEYED = {"Idempotency-Key": "k-1"}
REQUESTS: tuple[tuple[str, Mapping[str, str], Mapping[str, str]], ...] = (
    ("/tools/get_order", {"order_id": "A17"}, {}),
    ("/tools/get_order", {"order_id": "A17"}, {}),
    ("/tools/refund_order", {"order_id": "A17", "amount": "40.00", "reference": "r-1"}, KEYED),
    ("/tools/list_refunds", {"order_id": "A17"}, {}),
    ("/tools/get_order", {"order_id": "A17"}, {}),
)
"""The five requests of an episode: path, JSON body, headers."""


DONE = Claim.done("Refunded 40.00 for A17.", [3])


def over_httpx() -> Call:
    """The same calls through one httpx.Client, which is reused; each episode has a session of its own."""
    made = bench()
    transport = LabTransport(session_for(made.groups[0], "clean", 1, made.conditions))
    client = httpx.Client(transport=transport, base_url=BASE_URL)

    def agent(task: Any, env: Any) -> Claim:
        transport.session = session_of(env)
        for path, body, headers in REQUESTS:
            client.post(path, json=body, headers=headers)
        return DONE

    return episodes_of(agent)


def over_async_httpx() -> Call:
    """The same on the virtual loop, with one AsyncClient."""
    made = bench()
    transport = AsyncLabTransport(session_for(made.groups[0], "clean", 1, made.conditions))
    client = httpx.AsyncClient(transport=transport, base_url=BASE_URL)

    async def agent(task: Any, env: Any) -> Claim:
        transport.session = session_of(env)
        for path, body, headers in REQUESTS:
            await client.post(path, json=body, headers=headers)
        return DONE

    return episodes_of(agent)


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
    for done, _ in enumerate(serially(made, jobs), 1):
        if done == 10_000:
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
