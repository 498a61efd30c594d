"""`faultlab run`: agents against scenarios; the main command."""

import shlex
import sys
from collections.abc import Iterable
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faultlab.cli.main import INTERRUPTED
from faultlab.cli.options import Json, Store, TimeScale, store_options

if TYPE_CHECKING:
    import faultlab.app as lab


def run(
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT",
            help="module:function, file.py:function, cmd:COMMAND, or a reference agent. None: all nine, calibrated.",
        ),
    ] = None,
    scenarios: Annotated[
        list[str] | None,
        typer.Option("-s", "--scenario", metavar="SCENARIO", help="An id or a file; repeatable."),
    ] = None,
    contracts: Annotated[
        list[str] | None,
        typer.Option("--contract", metavar="ID", help="none, status, strict ...; repeatable."),
    ] = None,
    twins: Annotated[
        list[str] | None,
        typer.Option("--twin", metavar="TWIN", help="never, committed, late ...; repeatable."),
    ] = None,
    expression: Annotated[
        str,
        typer.Option("-k", metavar="EXPRESSION", help="Cells whose names match, as in pytest: `careful and not late`."),
    ] = "",
    attempts: Annotated[int, typer.Option("--attempts", help="Attempts a cell.")] = 5,
    seed: Annotated[int | None, typer.Option("--seed", help="Same seed, same bytes. [today's date]")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Worker processes.")] = 1,
    clock: Annotated[str, typer.Option("--clock", metavar="virtual|real", help="Whose time sleeps take.")] = "virtual",
    time_scale: TimeScale = 1.0,
    suite: Annotated[
        str, typer.Option("--suite", metavar="NAME", help="smoke, boundary, natural, broken_promise.")
    ] = "",
    store: Store = None,
    allow_hosts: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="HOST", help="A host the agent may call; repeatable."),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", help="Stop when the attempts cost more; a call costs 1, a person 4."),
    ] = None,
    exit_first: Annotated[bool, typer.Option("-x", "--exit-first", help="Stop at the first failure.")] = False,
    last_failed: Annotated[bool, typer.Option("--last-failed", help="Only cells that failed last time.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last run where it was interrupted.")] = False,
    as_json: Json = False,
) -> None:
    """Run agents against scenarios and judge their recovery.

    Without an agent it is the calibration: each reference agent must land where the contract predicts.
    """
    import faultlab.app as lab

    request = lab.RunRequest(
        agents=tuple(agents or ()), scenarios=tuple(scenarios or ()), contracts=tuple(contracts or ()),
        twins=_twins(twins or ()), expression=expression, attempts=attempts, seed=seed, jobs=jobs, clock=clock,
        time_scale=time_scale, suite=suite, store=store, allow_hosts=tuple(allow_hosts or ()), max_cost=max_cost,
        exit_first=exit_first, last_failed=last_failed, resume=resume, argv=tuple(sys.argv[1:]),
    )  # fmt: skip
    raise typer.Exit(perform(request, as_json=as_json))


def _twins(names: Iterable[str]) -> tuple[str, ...]:
    """`late` stands for both kinds of late."""
    return tuple(twin for name in names for twin in (("late_network", "late_server") if name == "late" else (name,)))


def perform(request: "lab.RunRequest", *, as_json: bool) -> int:
    """Make the run, print it, and give the exit code."""
    from importlib.metadata import version

    import faultlab.app as lab
    from faultlab.cli.news import News
    from faultlab.cli.output import print_json
    from faultlab.report.as_json import run_json
    from faultlab.report.screen import Screen
    from faultlab.report.summary import summary_lines, unfit_groups

    screen = Screen.of()
    news = News(screen, version("faultlab"), silent=as_json)
    # What an agent prints belongs to nobody's JSON.
    aside = redirect_stdout(sys.stderr) if as_json else nullcontext()
    try:
        with aside:
            report = lab.run(request, news)
    finally:
        news.meter.stop()
    if as_json:
        print_json(run_json(report.run, report.seed, report.cells, report.groups))
        for where, why in unfit_groups(report.validity.invalid):
            typer.echo(f"faultlab: cannot judge {', '.join(where)}: {why}", err=True)
    elif report.tally.count:
        screen.show(summary_lines(_summary(request, report, news.real_clock), screen.width))
    if report.interrupted:
        typer.echo(_interrupted(request, report.tally.count, report.run, report.store_where), err=True)
        return INTERRUPTED
    return report.exit_code


def _summary(request: "lab.RunRequest", report: "lab.RunReport", real_clock: bool) -> "Summary":
    from faultlab.report.summary import Summary

    plan, validity = report.plan, report.validity
    new_store = report.run == 1 and request.store != "memory"
    return Summary(
        run=report.run,
        seed=report.seed,
        agents=plan.tried,
        cells=report.cells,
        attempts=plan.attempts,
        calibration=plan.calibration,
        exit_code=INTERRUPTED if report.interrupted else report.exit_code,
        oracle=(validity.oracle_cells, validity.cells),
        null_cells=validity.null_cells,
        invalid=validity.invalid,
        invalid_own=validity.own,
        surprises=report.surprises,
        real_clock=real_clock,
        store=report.store_where if new_store else "",
        options=_repeated(request),
        store_options=store_options(request.store),
        names=_files(request, report),
        unmade=report.unmade,
        left_out=plan.left_out,
        cells_left_out=plan.cells_left_out,
    )


def _files(request: "lab.RunRequest", report: "lab.RunReport") -> dict[str, str]:
    """Scenario id -> the file that the user gave for it."""
    given = {Path(name).resolve(): name for name in request.scenarios if Path(name).is_file()}
    found = {group.scenario.id: group.scenario.file for group in report.plan.groups}
    return {name: given[file.resolve()] for name, file in found.items() if file is not None and file.resolve() in given}


def _repeated(request: "lab.RunRequest") -> tuple[str, ...]:
    """Options without which a cell would not be made again as it was."""
    words: list[str] = []
    if request.clock != "virtual":
        words += ["--clock", request.clock]
    if request.time_scale != 1:
        words += ["--time-scale", f"{request.time_scale:g}"]
    for host in request.allow_hosts:
        words += ["--allow-host", host]
    return tuple(words)


def _interrupted(request: "lab.RunRequest", finished: int, run_number: int, where: str) -> str:
    if request.store == "memory":
        return "faultlab: interrupted: nothing is kept, for the store was `memory`"
    kept = f"{finished} attempts of run {run_number} are kept in {where}" if finished else "no attempt was finished"
    words = [word for word in request.argv if word != "--resume"]
    return f"faultlab: interrupted: {kept}. Go on with:\n  {shlex.join(['faultlab', *words, '--resume'])}"


if TYPE_CHECKING:
    from faultlab.report.summary import Summary
