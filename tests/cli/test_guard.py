"""Errors by whose fault they are."""

import pytest
import typer

from faultlab.cli.guard import guarded
from faultlab.core.errors import BadInput, HarnessFault, StoreError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadInput("scenario.yaml:3: no"), 2),
        (StoreError("lab.db: no"), 2),
        (HarnessFault("no row"), 4),
        (RuntimeError("no idea"), 4),
        (KeyboardInterrupt(), 130),
    ],
)
def test_each_error_has_its_exit_code_and_its_message(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def command() -> None:
        raise error

    with pytest.raises(typer.Exit) as caught:
        guarded(command)()
    assert caught.value.exit_code == code
    told = capsys.readouterr().err
    assert str(error) in told
    assert ("report" in told) == (code == 4)
    assert ("Traceback" in told) == isinstance(error, RuntimeError)


def test_a_command_that_ends_by_itself_keeps_its_code() -> None:
    def command() -> None:
        raise typer.Exit(3)

    with pytest.raises(typer.Exit) as caught:
        guarded(command)()
    assert caught.value.exit_code == 3
