"""client: what a write is decided from, and by whose leave it is made."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Source(NamedTuple):
    """The versioned thing that a conditional write changes, and what is to become of it."""

    tool: str
    """A read that gives the thing with its `etag`."""
    args: Mapping[str, Any]
    decide: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]
    """From the thing as it is now to the arguments of the write; None: it is not to be written any more."""


class Approval(NamedTuple):
    """Where the approval is read that the write's argument `approval` names, and where another is asked for."""

    tool: str
    ask: str
