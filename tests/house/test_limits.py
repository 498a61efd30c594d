"""Files and functions stay short enough to be read at once."""

import ast
from pathlib import Path
from statistics import median

FILE_LINES = 300
MEDIAN_LINES = 120
FUNCTION_LINES = 60


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_file_is_long(package: Path) -> None:
    long = {str(path): lines_of(path) for path in package.rglob("*.py") if lines_of(path) > FILE_LINES}
    assert not long


def test_the_usual_file_is_short(package: Path) -> None:
    # Files that only say what their folder holds would pull the median down.
    sizes = [lines_of(path) for path in package.rglob("*.py") if path.name != "__init__.py"]
    assert median(sizes) <= MEDIAN_LINES


def test_no_function_is_long(package: Path) -> None:
    long = {
        f"{path}:{node.lineno} {node.name}": size
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (size := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES
    }
    assert not long
