"""Whether a value is said: as a whole token of a text, or as a value among arguments."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1024)
def whole(token: str) -> re.Pattern[str]:
    """The token as a whole: 40.00 is not in 140.00, in 1,40.00 or in 40.001."""
    return re.compile(rf"(?<!\w)(?<!\d[.,]){re.escape(token)}(?!\w|[.,]\d)")


def says(text: str, value: Any) -> bool:
    return whole(str(value)).search(text) is not None


def carries(value: Any, wanted: Any) -> bool:
    """Whether `wanted`, a text or a number, stands somewhere in JSON data: as a value, or whole within a text."""
    if isinstance(value, Mapping):
        return any(carries(item, wanted) for item in value.values())
    if isinstance(value, list | tuple):
        return any(carries(item, wanted) for item in value)
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted != "" and says(value, wanted)
    return type(value) is not bool and value == wanted
