"""Finds the toolset that a scenario names: a built-in one, `package.module:TOOLSET`, or `file.py:TOOLSET`."""

import importlib
import importlib.util
import sys
from pathlib import Path

from faultlab.core.errors import BadInput
from faultlab.core.tools import Toolset
from faultlab.matrix.shape import unknown
from faultlab.toolsets.shop import SHOP

TOOLSETS = {SHOP.name: SHOP}


def resolve_toolset(name: str, folder: Path) -> Toolset:
    """Files are looked for in the working folder, then in `folder`. Raises BadInput for what is not a toolset."""
    if name in TOOLSETS:
        return TOOLSETS[name]
    place, colon, attribute = name.rpartition(":")
    if not colon:
        raise BadInput(f"{unknown('toolset', name, TOOLSETS)}; your own: package.module:TOOLSET or file.py:TOOLSET")
    module = _file(place, folder) if place.endswith(".py") else _module(place)
    found = getattr(module, attribute, None)
    if not isinstance(found, Toolset):
        there = sorted(item for item, value in vars(module).items() if isinstance(value, Toolset))
        raise BadInput(
            f"toolset {name!r}: {attribute} is not a Toolset of {place}; it has {', '.join(there) or 'none'}"
            " (write TOOLSET = Toolset.of(name, tool, ...))"
        )
    return found


def _module(name: str) -> object:
    working_folder = str(Path.cwd())
    if working_folder not in sys.path:
        sys.path.insert(0, working_folder)
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise BadInput(f"toolset module {name!r} does not import: {type(error).__name__}: {error}") from error


def _file(place: str, folder: Path) -> object:
    path = next((file for file in (Path(place), folder / place) if file.is_file()), None)
    if path is None:
        raise BadInput(f"toolset file {place} is neither in the working folder nor in {folder}")
    path = path.resolve()
    name = f"_faultlab_toolset_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadInput(f"toolset file {place} does not import: {type(error).__name__}: {error}") from error
    return module
