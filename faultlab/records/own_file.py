"""records: a SQLite file that one process has for itself: a second one is turned away, and a file that was deleted or
replaced under it is noticed."""

import os
from pathlib import Path

from faultlab.core.errors import BadInput, StoreError

try:
    import fcntl
except ModuleNotFoundError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]


class OwnFile:
    """Held until `close`, or until the process ends, however it does.

    The lock is on a file beside the database: on some systems a lock on the database itself would meet SQLite's own.
    """

    def __init__(self, path: str) -> None:
        """Raises BadInput where another process holds it, StoreError where it cannot be locked."""
        self._path = Path(path)
        self._inode: int | None = None
        lock = f"{path}-lock"
        try:
            self._lock = os.open(lock, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise StoreError(f"the store {path} cannot be used: {lock}: {error.strerror}") from error
        if fcntl is None:
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            more = "give this one another --store; several servers can share one in PostgreSQL"
            raise BadInput(f"another server is using the store {path}: stop it, or {more}") from None

    def check(self) -> None:
        """Raises StoreError where the file is not the one that was first looked at: what is written to it is lost."""
        try:
            inode = self._path.stat().st_ino
        except OSError:
            inode = -1
        if self._inode is None:
            self._inode = inode
        elif inode != self._inode:
            raise StoreError(f"the store {self._path} was deleted or replaced while the server was using it")

    def close(self) -> None:
        os.close(self._lock)
