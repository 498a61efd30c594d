"""Every test here needs the extra `frameworks`, and says so where it is missing."""

from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDED = ("langchain", "langgraph", "openai", "pydantic_ai")
"""`agents`, the package of openai-agents, is also the name of a folder here."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    reason = f"the extra `frameworks` is not installed: no {', '.join(missing)}"
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("frameworks")
            # A framework warns of what it deprecates in itself; that is not ours to mend.
            item.add_marker(pytest.mark.filterwarnings("default"))
            if missing:
                item.add_marker(pytest.mark.skip(reason=reason))
