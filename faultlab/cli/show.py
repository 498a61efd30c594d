"""`faultlab show`: a stored run as its matrix, an attempt as its timeline, two attempts where they part."""

from typing import TYPE_CHECKING, Annotated

import typer

from faultlab.cli.options import Json, Store, store_options
from faultlab.core.errors import BadInput

if TYPE_CHECKING:
    import faultlab.app as lab


def show(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN|RUN:N", help="A run (3, last) or an attempt (3:12, last:12)."),
    ] = None,
    diff: Annotated[
        bool,
        typer.Option("--diff", help="Two attempts A B: the first step that differs. B may be an agent's name."),
    ] = False,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Show a stored run, or one attempt of it as a timeline."""
    names = what or ["last"]
    if diff:
        if len(names) != 2:
            raise BadInput("show --diff needs two attempts, or an attempt and an agent: show --diff last:12 careful")
        _diff(names[0], names[1], store, as_json=as_json)
        return
    if len(names) > 1:
        raise BadInput("show takes one run or attempt; with --diff two attempts")
    if ":" in names[0]:
        _attempt(names[0], store, as_json=as_json)
    else:
        _run(names[0], store, as_json=as_json)


def _run(name: str, store: str | None, *, as_json: bool) -> None:
    from faultlab.cli.output import print_json
    from faultlab.cli.stored import stored_run
    from faultlab.core.result import groups_of
    from faultlab.report.as_json import run_json
    from faultlab.report.screen import Screen
    from faultlab.report.summary import Summary, summary_lines

    run = stored_run(store, name)
    if as_json:
        print_json(run_json(run.run, run.seed, run.cells, groups_of(run.cells)))
        return
    screen = Screen.of()
    state = "" if run.finished else " · it did not come to its end"
    screen.show([f"run {run.run} · seed {run.seed} · {len(run.results):,} attempts{state}"])
    summary = Summary(
        run=run.run,
        seed=run.seed,
        agents=run.agents,
        cells=run.cells,
        attempts=run.attempts,
        store_options=store_options(store),
        unmade=run.unmade,
    )
    screen.show(summary_lines(summary, screen.width))


def _attempt(address: str, store: str | None, *, as_json: bool) -> None:
    import faultlab.app as lab
    from faultlab.cli.output import print_json
    from faultlab.cli.stored import rivals, siblings, stored_run
    from faultlab.report.as_json import attempt_json
    from faultlab.report.attempt import AttemptView, attempt_lines
    from faultlab.report.screen import Screen

    attempt = lab.stored(store, address)
    result = attempt.result
    if as_json:
        print_json(attempt_json(attempt.row.run, attempt.seed, result, attempt.history, attempt.verdict))
        return
    run = stored_run(store, str(attempt.row.run))
    screen = Screen.of()
    better = next((item for item in rivals(run, result) if item.verdict == "pass"), None)
    view = AttemptView(
        attempt.row.run, attempt.seed, result, attempt.history, attempt.verdict, run.attempts,
        siblings(run, result), better if attempt.verdict.verdict != "pass" else None, store_options(store) or (),
    )  # fmt: skip
    screen.show(attempt_lines(view, screen.width))


def _diff(left: str, right: str, store: str | None, *, as_json: bool) -> None:
    import faultlab.app as lab
    from faultlab.cli.output import print_json
    from faultlab.cli.stored import rival, stored_run
    from faultlab.report.as_json import diff_json
    from faultlab.report.diff import diff_lines
    from faultlab.report.screen import Screen

    one = lab.stored(store, left)
    if ":" not in right or not lab.is_number(right.rpartition(":")[2]):
        run = stored_run(store, str(one.row.run))
        right = f"{run.run}:{rival(run, one.result, right).number}"
    other = lab.stored(store, right)
    if as_json:
        print_json(diff_json(one.history, other.history))
        return
    screen = Screen.of()
    screen.show(diff_lines(_side(one), _side(other), screen.width))


def _side(attempt: "lab.StoredAttempt") -> "Side":
    from faultlab.report.attempt import VERDICT_WORDS, cell_words
    from faultlab.report.diff import Side

    result = attempt.result
    title = f"{attempt.row.run}:{result.number} {result.agent} · {cell_words(result)}"
    return Side(title, attempt.history, VERDICT_WORDS[attempt.verdict.verdict])


if TYPE_CHECKING:
    from faultlab.report.diff import Side
