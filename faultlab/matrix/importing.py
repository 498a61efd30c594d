"""Imports what a user names, by module or by file, and says whose fault it is when that fails."""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from faultlab.core.errors import BadInput


def import_place(place: str, what: str, folders: Sequence[Path]) -> ModuleType:
    """`package.module`, or a path that ends in .py, looked for in `folders`.

    `what` names the kind of thing in messages: agent, toolset. Raises BadInput with file and line.
    """
    try:
        return _file(place, what, folders) if place.endswith(".py") else _module(place, what)
    except (BadInput, KeyboardInterrupt):
        raise
    except BaseException as error:  # also sys.exit(): the module would end faultlab, with its own exit code
        kind = "file" if place.endswith(".py") else "module"
        raise BadInput(f"{what} {kind} {place} does not import: {_where(error)}") from error


def _module(name: str, what: str) -> ModuleType:
    working_folder = str(Path.cwd())
    if working_folder not in sys.path:
        sys.path.insert(0, working_folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise
        raise BadInput(f"{what} module {name!r} was not found, neither installed nor in {working_folder}") from None


def _file(place: str, what: str, folders: Sequence[Path]) -> ModuleType:
    path = next((file for folder in folders if (file := folder / place).is_file()), None)
    if path is None:
        looked = " and ".join(str(folder.resolve()) for folder in folders)
        raise BadInput(f"{what} file {place} does not exist; looked in {looked}")
    path = path.resolve()
    name = f"_faultlab_{what}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _where(error: BaseException) -> str:
    trace, line = error.__traceback__, ""
    while trace is not None:
        line = f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{line}"
