"""The wiring: from what a user asks to attempts, verdicts, rows and a report. The only place that knows every room."""

from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

from faultlab.agents.catalog import REFERENCE
from faultlab.core.clock import stopwatch, today
from faultlab.core.errors import BadInput
from faultlab.core.result import Result, Tally
from faultlab.matrix.attempt import Conditions
from faultlab.matrix.expected import surprises
from faultlab.matrix.guard import check_hosts
from faultlab.matrix.loader import builtin, find
from faultlab.matrix.proving import RIGHT, Proof, proof_of, prove, proving
from faultlab.matrix.request import RunPlan, RunRequest, failed_last, plan_of, wanted_of
from faultlab.matrix.resolve import resolve_agents
from faultlab.matrix.run import TOGETHER, Bench, in_processes, serially, unrecorded
from faultlab.matrix.run_report import RunReport
from faultlab.matrix.scenario import CLEAN, Group
from faultlab.matrix.select import CellKey, Selection, select
from faultlab.matrix.selftest import SelftestReport
from faultlab.matrix.stored import Replay, StoredAttempt, again, is_number, parse_address, read
from faultlab.matrix.suited import check_suited
from faultlab.matrix.unfinished import key_of, reason_to_stop, unfinished, with_unmade
from faultlab.matrix.validity import check
from faultlab.records.port import RunNumber, RunStore
from faultlab.records.rows import AttemptRow, RunRow
from faultlab.records.sqlite import MEMORY
from faultlab.rules.catalog import CATALOG
from faultlab.rules.judge import judge

if TYPE_CHECKING:
    from faultlab.report.serving import Started

__all__ = [
    "Progress", "Proof", "Replay", "RunPlan", "RunReport", "RunRequest", "SelftestReport", "StoredAttempt",
    "groups_for", "is_number", "open_store", "prepare", "proof_of", "replay", "run", "run_selftest", "stored",
    "stored_run", "with_unmade",
]  # fmt: skip


LONGEST_SCALE = 1000


class Progress(Protocol):
    """Who is told how a run goes on."""

    def planned(self, plan: RunPlan) -> None: ...

    def advanced(self, result: Result) -> None: ...

    def estimated(self, remaining_s: float, cost: float) -> None: ...

    def told(self, line: str) -> None: ...


def open_store(url: str | None) -> RunStore:
    """The store; its library is loaded only now."""
    from faultlab.records.store import Store

    return Store.open(url)


def _reading(url: str | None) -> closing[RunStore]:
    """The store for those who only look: nothing is made or changed."""
    from faultlab.records.reading import open_reading

    return closing(open_reading(url))


def stored_run(url: str | None, run: RunNumber) -> tuple[RunRow, list[AttemptRow]]:
    """A run and its attempts without their histories. BadInput: there is no such run."""
    with _reading(url) as store:
        record = store.run(run)
        return record, list(store.attempts(record.run))


def _conditions(request: RunRequest, seed: int) -> Conditions:
    if request.clock not in ("virtual", "real"):
        raise BadInput(f"unknown clock {request.clock!r}; known: virtual, real")
    if not 0 < request.time_scale <= LONGEST_SCALE:
        raise BadInput(f"--time-scale is {request.time_scale:g}; it must be above 0 and at most {LONGEST_SCALE}")
    if request.max_cost is not None and not request.max_cost >= 0:
        raise BadInput(f"--max-cost is {request.max_cost:g}; it must be 0 or more")
    check_hosts(request.allow_hosts)
    return Conditions(seed, request.clock, request.allow_hosts, time_scale=request.time_scale)


def prepare(request: RunRequest, run_number: int, seed: int) -> Bench:
    """All that makes attempts in one process, from plain data."""
    agents = resolve_agents(request.agents or REFERENCE)
    groups = groups_for(request)
    return Bench(
        run_number,
        agents,
        groups,
        _conditions(request, seed),
        judge,
        open_store(request.store),
        _version(),
        today(),
    )


def groups_for(request: RunRequest) -> list[Group]:
    """The groups that the request names, in the order of their files."""
    scenarios = find(request.scenarios) if request.scenarios else builtin()
    return select(scenarios, Selection(contracts=request.contracts, suite=request.suite))


def _version() -> str:
    return version("faultlab")


def run(request: RunRequest, progress: Progress) -> RunReport:
    """Plan, check the groups, make the attempts, and report. Ctrl-C keeps what is finished."""
    seed = _seed(request)
    bench = prepare(replace(request, store=MEMORY), 0, seed)
    check_suited(bench.agents, bench.groups)
    wanted = wanted_of(request, seed, tuple(bench.agents), bench.groups, _failed(request, tuple(bench.agents)))
    with closing(open_store(request.store)) as store:
        plan = plan_of(request, store, wanted, bench.version)
        progress.planned(plan)
        began_s = stopwatch()
        validity = check(bench)
        for group in validity.untried:
            progress.told(
                f"{group}: not tried by the oracle: the inputs do not give every argument of the wanted calls"
            )
        tally, interrupted, made = _made(request, replace(bench, run=plan.run, store=store), plan, progress)
        open_jobs = [job for job in plan.jobs if job.number not in made]
        left = unfinished(open_jobs, plan.groups)
        if request.resume:
            for earlier in _earlier(store, plan):
                tally.add(earlier)
        whole = [cell for cell in tally.cells() if key_of(cell) not in left]
        odd = surprises(whole, plan.groups) if plan.calibration and not interrupted else []
        elapsed_s = stopwatch() - began_s
        return RunReport(plan, tally, interrupted, elapsed_s, validity, odd, store.where, len(open_jobs), left)


def _made(request: RunRequest, bench: Bench, plan: RunPlan, progress: Progress) -> tuple[Tally, bool, set[int]]:
    """All attempts, or those up to the first reason to stop; whether that was Ctrl-C; and the numbers of those made."""
    tally, made = Tally(), set[int]()
    try:
        with closing(_attempts(request, bench, plan, progress)) as results:
            for result in results:
                tally.add(result)
                made.add(result.number)
                if len(made) < plan.total and (why := reason_to_stop(request, plan.run, result, tally.cost)):
                    progress.told(why)
                    return tally, False, made
        bench.store.finish(plan.run)
    except KeyboardInterrupt:
        return tally, True, made
    return tally, False, made


def _seed(request: RunRequest) -> int:
    if request.resume:
        with _reading(request.store) as store:
            last = store.run("last").seed
        return last if request.seed is None else request.seed
    return int(today().replace("-", "")) if request.seed is None else request.seed


def _failed(request: RunRequest, agents: Collection[str]) -> Collection[CellKey] | None:
    """The cells that failed when they were last run; None: they are not asked for."""
    if not request.last_failed:
        return None
    with _reading(request.store) as store:
        return failed_last(store.latest_verdicts(agents), agents, store.where)


def _attempts(request: RunRequest, bench: Bench, plan: RunPlan, progress: Progress) -> Generator[Result, None, None]:
    """The attempts as they are finished, clean ones first. Closing it stores what is finished and ends the workers."""
    if request.jobs > 1:
        perform = unrecorded if request.store == MEMORY else serially  # the memory of a worker is nobody else's
        work = in_processes(partial(prepare, request, plan.run, plan.seed), plan.jobs, request.jobs, perform)
    else:
        work = serially(bench, plan.jobs, 1 if request.exit_first or request.max_cost is not None else TOGETHER)
    with closing(work):
        yield from _told(work, plan, progress)


def _told(work: Iterator[tuple[Result, str | None]], plan: RunPlan, progress: Progress) -> Iterator[Result]:
    """Each result with the news that belongs to it."""
    moved: set[str] = set()
    clean = sum(1 for job in plan.jobs if job.twin == CLEAN)
    began_s, cost = stopwatch(), 0.0
    for count, (result, why_real) in enumerate(work, 1):
        cost += result.cost
        if why_real is not None and result.agent not in moved:
            moved.add(result.agent)
            progress.told(f"{result.agent} runs on the real clock: {why_real}; 'same bytes' is not promised")
        progress.advanced(result)
        if count == clean:
            share = (plan.total - count) / count
            progress.estimated((stopwatch() - began_s) * share, cost * share)
        yield result


def _earlier(store: RunStore, plan: RunPlan) -> list[Result]:
    """The results of a resumed run's first part, judged again from their histories."""
    done = {job.number for job in plan.jobs}
    return [
        read(store, plan.run, row.number, judge).result for row in store.attempts(plan.run) if row.number not in done
    ]


def stored(url: str | None, address: str) -> StoredAttempt:
    """`last:12` or `3:12`: one attempt of the store, judged by today's rules."""
    with _reading(url) as store:
        return read(store, *parse_address(address), judge)


def replay(url: str | None, address: str) -> Replay:
    """Judge a stored attempt again, make it again, and compare."""
    with _reading(url) as store:
        attempt = read(store, *parse_address(address), judge)
        record = store.run(attempt.row.run)
    agent = resolve_agents((attempt.row.agent,))[attempt.row.agent]
    scenarios = find(record.scenarios) if record.scenarios else builtin()
    return again(attempt, agent, scenarios, record, judge)


def run_selftest(
    progress: Progress, jobs: int = 1, started: Callable[[int], None] = lambda total: None
) -> SelftestReport:
    """Wrong and right agents in every shipped scenario: the lab proves that its rules can fail."""
    prepare_one = partial(_proving_bench, int(today().replace("-", "")))
    return prove(prepare_one, jobs, tuple(CATALOG), started=started, advanced=progress.advanced)


def _proving_bench(seed: int) -> Bench:
    return proving(prepare(RunRequest(store="memory", agents=(RIGHT,)), 0, seed))


def serve(
    order: Mapping[str, Any],
    *,
    host: str,
    port: int,
    admin_port: int,
    token: str | None,
    store: str | None,
    ready: "Callable[[Started], None]",
) -> None:
    """Serve tools on two ports until SIGINT or SIGTERM. Raises BadInput for an order that cannot be met."""
    from faultlab.report.serving import Started
    from faultlab.serve.order import order_of
    from faultlab.serve.server import Ports, Server, Serving, serve_until_stopped

    made = order_of(order)
    ports = Ports(host=host, port=port, admin_port=admin_port, token=token)

    def told(serving: Serving) -> None:
        group = made.group
        ready(
            Started(
                serving.data_url,
                serving.admin_url,
                serving.token,
                serving.session,
                serving.url,
                group.scenario.id,
                group.contract.name,
                made.twin,
                made.example(),
                group.contract.key is not None,
            )
        )

    serve_until_stopped(Server(judge, ports, store), made, told)
