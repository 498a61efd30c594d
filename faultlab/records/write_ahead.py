"""records: puts a SQLite file into write-ahead mode, however many processes open it for the first time at once."""

import sqlite3
from collections.abc import Callable

from sqlalchemy.exc import OperationalError

from faultlab.core.clock import RealClock, ns

AGAIN_S = 0.01
PRIMARY = 0xFF
"""The part of an extended result code that says what kind of error it is (sqlite.org/rescode.html)."""


def write_ahead(execute: Callable[[str], object], patience_s: float) -> None:
    """The mode stays with the file. It changes by a read that turns into a write, and of two such, one is told at once
    that the file is locked: SQLite waits for nobody there, since each would wait for the other. So that one asks again.

    Raises the error of `execute`, of sqlite3 or SQLAlchemy, when the file is still locked after `patience_s`.
    """
    clock = RealClock()
    while True:
        try:
            execute("PRAGMA journal_mode = WAL")
        except (sqlite3.OperationalError, OperationalError) as error:
            code = getattr(getattr(error, "orig", error), "sqlite_errorcode", 0)
            if code & PRIMARY != sqlite3.SQLITE_BUSY or clock.now() > ns(patience_s):
                raise
            clock.sleep(AGAIN_S)
        else:
            return
