"""What goes wrong becomes one message on standard error and the right exit code; no traceback for a user's mistake."""

import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import typer

from faultlab.cli.main import INTERRUPTED
from faultlab.core.errors import BadInput, FaultlabError, StoreError

BAD_INPUT = 2
HARNESS_FAULT = 4

P = ParamSpec("P")
T = TypeVar("T")


def guarded(command: Callable[P, T]) -> Callable[P, T]:
    """The command, with its errors told instead of thrown."""

    @wraps(command)
    def told(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return command(*args, **kwargs)
        except (BadInput, StoreError) as error:
            typer.echo(f"faultlab: {error}", err=True)
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            typer.echo("faultlab: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The reader of the pipe has seen enough; what is left in the buffer has nowhere to go.
            sys.stdout = None
            raise typer.Exit(1) from None
        except FaultlabError as error:
            typer.echo(f"faultlab: harness fault: {error}\n{PLEASE_REPORT}", err=True)
            raise typer.Exit(HARNESS_FAULT) from None
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except OSError as error:
            if not _output_is_lost():
                raise _unexpected(error) from None
            sys.stdout = None  # what is left in the buffer has nowhere to go
            typer.echo(f"faultlab: standard output takes no more: {error.strerror}. Write it elsewhere", err=True)
            raise typer.Exit(1) from None
        except Exception as error:  # noqa: BLE001  # the last resort: whatever it is, it is ours
            raise _unexpected(error) from None

    return told


def _unexpected(error: Exception) -> typer.Exit:
    """Tells of an error that nobody foresaw, and gives the end that belongs to it."""
    typer.echo(traceback.format_exc(), err=True)
    typer.echo(f"faultlab: harness fault: {type(error).__name__}: {error}\n{PLEASE_REPORT}", err=True)
    return typer.Exit(HARNESS_FAULT)


def _output_is_lost() -> bool:
    """Standard output takes not even a line end, as on a full disk: then the error was its own."""
    try:
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError:
        return True
    return False


PLEASE_REPORT = (
    "This is an error of faultlab, not of your agent. Please report it with the command that you ran and the text"
    " above; finished attempts are kept."
)
