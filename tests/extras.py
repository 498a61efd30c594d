"""Tests that need packages beyond the extra `test`: marked by their folder, skipped by name where one is missing."""

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NEEDED: Mapping[str, tuple[str, ...]] = {
    "frameworks": ("langchain", "langgraph", "openai", "pydantic_ai"),
    "sdks": ("boto3", "openai", "stripe"),
    "sidebyside": (
        "agent_ledger", "agent_outbox", "agentraas", "deduplex", "durastep", "exactly_once", "httpx_retries", "latch",
        "once", "stamina",
    ),
}  # fmt: skip
"""Folder, mark and extra, of one name -> the packages. `agents`, that of openai-agents, is also a folder here."""
SLOW = ("sidebyside",)


def mark(items: Iterable[pytest.Item]) -> None:
    """Give the tests of those folders their marks."""
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0] if item.path.is_relative_to(TESTS) else ""
        if folder not in NEEDED:
            continue
        item.add_marker(folder)
        if folder in SLOW:
            item.add_marker("slow")
        # A package warns of what it deprecates or leaves open in itself; that is not ours to mend.
        item.add_marker(pytest.mark.filterwarnings("default"))
        missing = [name for name in NEEDED[folder] if find_spec(name) is None]
        if missing:
            item.add_marker(pytest.mark.skip(reason=f"the extra `{folder}` is not installed: no {', '.join(missing)}"))
