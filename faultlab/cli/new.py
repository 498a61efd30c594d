"""`faultlab new`: files to begin with. Each runs at once."""

import os
from pathlib import Path
from typing import Annotated

import typer

from faultlab.cli.guard import guarded
from faultlab.cli.templates import AGENT, SCENARIO, TOOLSET
from faultlab.core.errors import BadInput

new = typer.Typer(
    help="Write an agent, a toolset or a scenario to begin with.", rich_markup_mode=None, no_args_is_help=True
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; one that exists is never overwritten.")]


def agent(file: File) -> None:
    """Write an agent: my_agent.py."""
    write(file, ".py", AGENT)
    typer.echo(f"wrote {file}. Run it: faultlab run {reference(file)}:run -s lost-receipt")


def toolset(file: File) -> None:
    """Write a toolset: my_tools.py."""
    write(file, ".py", TOOLSET)
    typer.echo(f"wrote {file}. Name it in a scenario: `toolset: {reference(file)}:TOOLSET`")


def scenario(file: File) -> None:
    """Write a scenario: my_scenario.yaml."""
    write(file, ".yaml", SCENARIO.replace("my-scenario", file.stem.replace("_", "-")))
    typer.echo(f"wrote {file}. Run it: faultlab run careful -s {file}")


def reference(file: Path) -> str:
    """A file of the working folder as a module, any other by its path."""
    here = not file.is_absolute() and file.parent == Path() and file.stem.isidentifier()
    return file.stem if here else str(file)


def write(file: Path, ending: str, text: str) -> None:
    """Raises BadInput where the file exists, has another ending, or cannot be written."""
    if file.suffix != ending:
        raise BadInput(f"{file}: the file's name must end in {ending}")
    try:
        _whole(file, text)
    except FileExistsError:
        raise BadInput(f"{file} exists and is not overwritten; name another file") from None
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}; name a file elsewhere") from error


def _whole(file: Path, text: str) -> None:
    """The whole file or none: on a full disk nothing stays behind. Raises FileExistsError where it exists."""
    if os.path.lexists(file):
        raise FileExistsError
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8") as stream:
            stream.write(text)
        try:
            os.link(part, file)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            part.rename(file)
    finally:
        part.unlink(missing_ok=True)


for command in (agent, toolset, scenario):
    new.command()(guarded(command))
