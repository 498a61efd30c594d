"""client: what a function may return that is no result yet, or the rows that a query found."""

import inspect
from collections.abc import Iterator, Mapping, Sequence, Set, ValuesView
from typing import Any

from faultlab.core.contract import REFERENCE_FIELD
from faultlab.core.errors import BadInput


class NeverRan(BadInput):
    """A function was declared whose call only makes something that has yet to be run."""

    @staticmethod
    def of(tool: str, returned: Any) -> "NeverRan":
        kind = type(returned).__name__
        if inspect.iscoroutine(returned):
            returned.close()
        return NeverRan(
            f"tool {tool}: its function returned a {kind}, and what is in that has not run. Declare a function that "
            "does the work before it returns: `def`, or `async def` and acall"
        )


def rows_in(returned: Any) -> list[Any]:
    if isinstance(returned, Iterator | Sequence | Set | ValuesView) and not isinstance(returned, str | bytes):
        return list(returned)
    return [returned] if returned else []


def reference_of(row: Any) -> str | None:
    found = row.get(REFERENCE_FIELD) if isinstance(row, Mapping) else getattr(row, REFERENCE_FIELD, None)
    return found if isinstance(found, str) else None
