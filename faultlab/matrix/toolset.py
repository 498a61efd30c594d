"""Finds the toolset that a scenario names: a built-in one, `package.module:TOOLSET`, or `file.py:TOOLSET`."""

from pathlib import Path

from faultlab.core.errors import BadInput
from faultlab.core.tools import Toolset
from faultlab.matrix.importing import import_place
from faultlab.matrix.shape import unknown
from faultlab.toolsets.files import FILES
from faultlab.toolsets.inbox import INBOX
from faultlab.toolsets.instances import INSTANCES
from faultlab.toolsets.pages import PAGES
from faultlab.toolsets.shop import SHOP
from faultlab.toolsets.signup import SIGNUP

TOOLSETS = {item.name: item for item in (SHOP, PAGES, INBOX, FILES, INSTANCES, SIGNUP)}


def builtin_toolset(name: str) -> Toolset:
    """Raises BadInput for any other name: it is never imported."""
    if name not in TOOLSETS:
        raise BadInput(f"{unknown('toolset', name, TOOLSETS)}; here only the built-in ones can be named")
    return TOOLSETS[name]


def resolve_toolset(name: str, folder: Path) -> Toolset:
    """Files are looked for in the working folder, then in `folder`. Raises BadInput for what is not a toolset."""
    if name in TOOLSETS:
        return TOOLSETS[name]
    place, colon, attribute = name.rpartition(":")
    if not colon:
        raise BadInput(f"{unknown('toolset', name, TOOLSETS)}; your own: package.module:TOOLSET or file.py:TOOLSET")
    module = import_place(place, "toolset", (Path(), folder))
    found = getattr(module, attribute, None)
    if not isinstance(found, Toolset):
        there = sorted(item for item, value in vars(module).items() if isinstance(value, Toolset))
        raise BadInput(
            f"toolset {name!r}: {attribute} is not a Toolset of {place}; it has {', '.join(there) or 'none'}"
            " (write TOOLSET = Toolset.of(name, tool, ...))"
        )
    return found
