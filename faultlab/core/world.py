"""The state of the tool server: a copy-on-write overlay over a frozen start, with an undo log.

A reset is a new overlay, whatever the size of the world. Rows are handed out as copies and replaced whole.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from faultlab.core.canonical import copy_json, digest
from faultlab.core.seed import token
from faultlab.core.versions import FIRST

Row = dict[str, Any]
_GONE: Any = object()
VERSIONS = "_versions"


class FrozenWorld:
    """The start of every attempt: tables of rows by id, never changed."""

    __slots__ = ("digest", "tables")

    def __init__(self, tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
        self.tables: dict[str, dict[str, Any]] = {name: copy_json(dict(rows)) for name, rows in tables.items()}
        self.digest = digest(self.tables)


class World:
    """What tools read and write. Only the engine makes one; a tool gets it as its first argument."""

    __slots__ = ("_base", "_ids", "_made", "_over", "_token", "_undo", "now_s", "number", "reference")

    def __init__(self, start: FrozenWorld) -> None:
        self._base = start.tables
        self._over: dict[str, dict[str, Any]] = {}
        self._undo: list[tuple[dict[str, Any], str, Any]] = []
        self._ids: tuple[int, str, str, int] = (0, "", "", 0)
        self._made = 0
        self._token = ""
        self.reference: str | None = None
        """The client's own mark on the call that is being executed."""
        self.number = 0
        """The number of that call."""
        self.now_s = 0.0
        """Seconds since the attempt began, when the call is executed."""

    def get(self, table: str, row_id: str) -> Row | None:
        """A copy of the row, or None."""
        row = self.peek(table, row_id)
        return None if row is None else copy_json(row)

    def peek(self, table: str, row_id: str) -> Any:
        """The row itself, for readers that never change it."""
        over = self._over.get(table)
        if over is not None:
            row = over.get(row_id)
            if row is not None:
                return None if row is _GONE else row
        base = self._base.get(table)
        return None if base is None else base.get(row_id)

    def put(self, table: str, row_id: str, row: Any) -> None:
        """Replace the row, or add it."""
        over = self._over.get(table)
        if over is None:
            over = self._over[table] = {}
        self._undo.append((over, row_id, over.get(row_id)))
        over[row_id] = row

    def update(self, table: str, row_id: str, **changes: Any) -> None:
        """Replace some members of a row that exists."""
        self.put(table, row_id, {**self.peek(table, row_id), **changes})

    def drop(self, table: str, row_id: str) -> None:
        self.put(table, row_id, _GONE)

    def rows(self, table: str, **equal: Any) -> list[Row]:
        """Copies of the rows whose members equal those given, in order of their making."""
        wanted = equal.items()
        return [copy_json(row) for _, row in self.items(table) if all(row.get(name) == value for name, value in wanted)]

    def items(self, table: str) -> Iterator[tuple[str, Any]]:
        over = self._over.get(table, {})
        base = self._base.get(table, {})
        for row_id, row in base.items():
            if (now := over.get(row_id, row)) is not _GONE:
                yield row_id, now
        for row_id, row in over.items():
            if row_id not in base and row is not _GONE:
                yield row_id, row

    def new_id(self, prefix: str) -> str:
        """An id that depends on the seed, the operation and its occurrence, never on how many effects there were."""
        self._made = made = self._made + 1
        return f"{prefix}_{self.token()}" if made == 1 else f"{prefix}_{token(*self._ids, made)}"

    def version(self, table: str, row_id: str) -> int:
        """How often a versioned row was written, from 1."""
        return self.peek(VERSIONS, f"{table}/{row_id}") or FIRST

    # For the engine.

    def token(self) -> str:
        """What the first id of this call is made of."""
        if not self._token:
            self._token = token(*self._ids)
        return self._token

    def enter(self, ids: tuple[int, str, str, int], reference: str | None, number: int) -> int:
        """Begin a call: the parts of `new_id`, the reference, the call's number; gives the point to go back to."""
        self._ids = ids
        self._made = 0
        self._token = ""
        self.reference = reference
        self.number = number
        return len(self._undo)

    def point(self) -> int:
        """Where the undo log ends now. It is kept whole, so that any point before can be gone back to."""
        return len(self._undo)

    def at(self, point: int) -> "World":
        """A world of its own, as this one was at a point of the undo log. Costs one copy of the overlay."""
        past = World(FrozenWorld({}))
        past._base = self._base
        over = {name: dict(rows) for name, rows in self._over.items()}
        names = {id(rows): name for name, rows in self._over.items()}
        for rows, row_id, before in reversed(self._undo[point:]):
            if before is None:
                del over[names[id(rows)]][row_id]
            else:
                over[names[id(rows)]][row_id] = before
        past._over = over
        return past

    def rollback(self, mark: int) -> None:
        """Take back every change since `mark`."""
        undo = self._undo
        while len(undo) > mark:
            over, row_id, before = undo.pop()
            if before is None:
                del over[row_id]
            else:
                over[row_id] = before

    def changed(self, mark: int) -> Iterator[tuple[str, str]]:
        """Table and id of each row written since `mark`, in order."""
        names = {id(over): name for name, over in self._over.items()}
        return ((names[id(over)], row_id) for over, row_id, _ in self._undo[mark:])

    def fact(self, path: str) -> Any:
        """The value at `table/row/member`, None where there is none."""
        table, _, rest = path.partition("/")
        row_id, _, member = rest.partition("/")
        row = self.peek(table, row_id)
        return row if row is None or not member else row.get(member)
