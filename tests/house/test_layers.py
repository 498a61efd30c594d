"""Who may import whom. Every import counts: inside functions, for type checkers only, by import_module."""

import ast
import sys
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

BELOW_APP = {
    "core",
    "faults",
    "toolsets",
    "engine",
    "records",
    "transports",
    "client",
    "agents",
    "rules",
    "matrix",
    "report",
}
# room: (rooms it may import beside itself, third parties it may import)
ROOMS: dict[str, tuple[set[str], set[str]]] = {
    "core": (set(), set()),
    "faults": ({"core"}, set()),
    "toolsets": ({"core"}, set()),
    "engine": ({"core", "faults"}, set()),
    # sqlalchemy: SQLModel is a layer over it, and the fast path (exec_driver_sql) is SQLAlchemy's own
    # pydantic_core: comes with SQLModel and writes the JSON columns
    "records": ({"core"}, {"sqlmodel", "sqlalchemy", "pydantic_core"}),
    "transports": ({"core", "engine"}, {"httpx", "httpx2", "httptools"}),
    # opentelemetry: an extra, loaded only where spans are asked for
    "client": ({"core", "records"}, {"httpx", "tenacity", "opentelemetry"}),
    # records: one agent keeps the tool client's journal in its own store (records/journal_rows.py)
    "agents": ({"core", "client", "records"}, {"httpx", "tenacity"}),
    "rules": ({"core"}, set()),
    "matrix": ({"core", "faults", "toolsets", "engine", "transports", "agents", "records"}, {"yaml"}),
    "report": ({"core", "rules"}, {"rich"}),
    # greenlet: carries an async caller's awaits through code that waits by blocking (api/bridge.py)
    "api": (BELOW_APP, {"greenlet", "httpcore2", "httpx", "httpx2", "hypothesis", "respx"}),
    "serve": (
        {"core", "faults", "engine", "transports", "matrix", "records"},
        {"starlette", "uvicorn", "uvloop"},
    ),
    "app": (BELOW_APP | {"serve"}, set()),
    "pytest_plugin": ({"api"}, {"pytest"}),
    "cli": ({"app", "core", "report", "rules"}, {"typer"}),
    "__init__": (BELOW_APP | {"api"}, set()),
    "__main__": ({"cli"}, set()),
}
# module: the only file that may import it
ONE_HOME = {"time": "core/clock.py", "random": "core/seed.py"}


def imports(source: str) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of every import in a file; a relative one keeps its leading dots."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")
        elif isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0]
            if called in {"import_module", "__import__"} and isinstance(first, ast.Constant):
                yield node.lineno, str(first.value)


def room_of(path: Path, package: Path) -> str:
    """The folder directly under the package, or the file's own name where it stands beside the folders."""
    return path.relative_to(package).with_suffix("").parts[0]


@pytest.fixture(scope="module")
def arrows(package: Path) -> list[tuple[Path, int, str, str]]:
    """(file, line, room that imports, name imported) for the whole package."""
    return [
        (path, line, room_of(path, package), name)
        for path in sorted(package.rglob("*.py"))
        for line, name in imports(path.read_text(encoding="utf-8"))
    ]


def report(problems: Iterable[str]) -> None:
    """Fail with every problem, one a line."""
    told = sorted(problems)
    assert not told, "\n" + "\n".join(told)


def test_every_room_stands_in_the_table(package: Path) -> None:
    rooms = {room_of(path, package) for path in package.rglob("*.py")}
    assert rooms == set(ROOMS)


def test_arrows_point_down() -> None:
    below = {room: allowed for room, (allowed, _) in ROOMS.items()}
    assert set(TopologicalSorter(below).static_order()) == set(ROOMS)  # a cycle raises CycleError


def test_rooms_import_what_the_table_allows(arrows: list[tuple[Path, int, str, str]]) -> None:
    report(
        f"{path}:{line}: {room} imports {name}; it may import {sorted(ROOMS[room][0])}"
        for path, line, room, name in arrows
        if name.startswith("faultlab.") and name.split(".")[1] not in {room, *ROOMS[room][0]}
    )


def test_third_parties_stay_in_their_rooms(arrows: list[tuple[Path, int, str, str]]) -> None:
    ours = {*sys.stdlib_module_names, "faultlab", ""}
    report(
        f"{path}:{line}: {room} imports {name}; of third parties it may import {sorted(ROOMS[room][1])}"
        for path, line, room, name in arrows
        if name.split(".")[0] not in ours | ROOMS[room][1]
    )


def test_nobody_imports_the_root_or_by_dots(arrows: list[tuple[Path, int, str, str]]) -> None:
    report(
        f"{path}:{line}: write faultlab.ROOM.MODULE instead of {name!r}"
        for path, line, _, name in arrows
        if name == "faultlab" or name.startswith(".")
    )


def test_time_and_chance_have_one_home_each(arrows: list[tuple[Path, int, str, str]], package: Path) -> None:
    report(
        f"{path}:{line}: only {ONE_HOME[name]} imports {name}"
        for path, line, _, name in arrows
        if name in ONE_HOME and path != package / ONE_HOME[name]
    )


@pytest.mark.parametrize(
    ("room", "unseen"),
    [
        ("agents", {"faults", "engine", "transports", "matrix"}),
        ("client", {"faults", "engine", "transports", "matrix"}),
        ("rules", set(ROOMS) - {"core", "rules"}),
    ],
)
def test_callers_and_judges_cannot_reach(arrows: list[tuple[Path, int, str, str]], room: str, unseen: set[str]) -> None:
    """Not even through others: callers must not know what is coming, judges see the evidence only."""
    reached, frontier = {room}, {room}
    while frontier:
        frontier = {
            name.split(".")[1] for _, _, by, name in arrows if by in frontier and name.startswith("faultlab.")
        } - reached
        reached |= frontier
    assert not reached & unseen


def test_imports_are_found_wherever_they_hide() -> None:
    source = """
from typing import TYPE_CHECKING
import faultlab.core.clock as clock
if TYPE_CHECKING:
    from faultlab.rules import catalog
def late():
    import httpx
    from . import near
    return importlib.import_module("faultlab.app"), __import__("time")
"""
    assert {name for _, name in imports(source)} == {
        "typing", "faultlab.core.clock", "faultlab.rules", "httpx", ".", "faultlab.app", "time",
    }  # fmt: skip
