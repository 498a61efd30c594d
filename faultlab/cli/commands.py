"""The list of commands, and nothing that takes time to load."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from faultlab.cli.agents import agents
from faultlab.cli.explain import explain
from faultlab.cli.guard import guarded
from faultlab.cli.new import new
from faultlab.cli.replay import replay
from faultlab.cli.run import run
from faultlab.cli.scenarios import scenarios
from faultlab.cli.selftest import selftest
from faultlab.cli.serve import serve
from faultlab.cli.show import show

COMMANDS: tuple[Callable[..., Any], ...] = (run, show, explain, replay, agents, scenarios, selftest, serve)

EXIT_CODES = (
    "Exit codes: 0 all pass, 1 findings, 2 usage or bad input, 3 inconclusive, 4 the lab itself is at fault,"
    " 130 interrupted."
)

app = typer.Typer(
    name="faultlab", rich_markup_mode=None, no_args_is_help=True, epilog=EXIT_CODES,
    pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
for command in COMMANDS:
    app.command()(guarded(command))
app.add_typer(new, name="new")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"faultlab {version('faultlab')}")
        raise typer.Exit


@app.callback()
def faultlab(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Puts agents and clients before a lost receipt, and says whether their recovery is right.

    Begin with `faultlab run`: nine reference agents against every shipped scenario.
    """
