"""`datetime.now()` for libraries that ask it: the lab's clock moves `time.time()`, and not what C code reads."""

import datetime as dt
import time
from types import SimpleNamespace
from typing import Any


class Now(dt.datetime):
    """A datetime whose `now` follows `time.time()`."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        return dt.datetime.fromtimestamp(time.time(), tz)


def module() -> Any:
    """The module `datetime` with such a class."""
    return SimpleNamespace(datetime=Now, timezone=dt.timezone)
