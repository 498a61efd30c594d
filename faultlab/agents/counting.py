"""The device list: how many there are of each kind, and which cannot be counted."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any


def counted(rows: Iterable[Mapping[str, Any]], key: str, by: str) -> Mapping[str, Mapping[str, Any]]:
    """`totals`: kind -> how many; `exceptions`: the ids without a kind, and those with more than one.

    The same record twice is one record.
    """
    kinds: dict[str, set[str]] = {}
    for row in rows:
        kinds.setdefault(row[key], set()).add(row[by])
    clear = {name: next(iter(found)) for name, found in kinds.items() if len(found) == 1 and "" not in found}
    return {
        "totals": dict(Counter(clear.values())),
        "exceptions": {"ids": sorted(name for name in kinds if name not in clear)},
    }
