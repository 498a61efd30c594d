"""The public names, each loaded on first use: `import faultlab` alone loads no other module of it."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from faultlab.api import strategies
    from faultlab.api.lab import Lab
    from faultlab.client.client import ToolClient
    from faultlab.core.agent import Crash, Env, Task, ToolError
    from faultlab.core.records import Claim, HandOver, Outcome
    from faultlab.core.tools import Toolset, tool

    __version__: str

__all__ = [
    "Claim", "Crash", "Env", "HandOver", "Lab", "Outcome", "Task", "ToolClient", "ToolError", "Toolset", "strategies",
    "tool",
]  # fmt: skip

_HOMES = {
    "Claim": "faultlab.core.records",
    "Crash": "faultlab.core.agent",
    "Env": "faultlab.core.agent",
    "HandOver": "faultlab.core.records",
    "Lab": "faultlab.api.lab",
    "Outcome": "faultlab.core.records",
    "Task": "faultlab.core.agent",
    "ToolClient": "faultlab.client.client",
    "ToolError": "faultlab.core.agent",
    "Toolset": "faultlab.core.tools",
    "tool": "faultlab.core.tools",
}

# Hidden from type checkers: with it in view they would accept any misspelt name as present.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load the module that holds `name` and keep the name here, so that the next access costs nothing."""
        if name == "__version__":
            value = import_module("importlib.metadata").version("faultlab")
        elif name == "strategies":
            value = import_module("faultlab.api.strategies")
        elif name in _HOMES:
            value = getattr(import_module(_HOMES[name]), name)
        else:
            raise AttributeError(f"module 'faultlab' has no attribute {name!r}; it has {', '.join(__all__)}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names, loaded or not, for completion in a shell."""
    return sorted([*__all__, "__version__"])
