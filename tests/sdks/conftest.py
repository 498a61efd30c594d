"""Every test here needs the extra `sdks`, and says so where it is missing."""

from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDED = ("boto3", "openai", "stripe")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    reason = f"the extra `sdks` is not installed: no {', '.join(missing)}"
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("sdks")
            # An SDK warns of what it deprecates in itself, and keeps its connections for later: not ours to mend.
            item.add_marker(pytest.mark.filterwarnings("default"))
            if missing:
                item.add_marker(pytest.mark.skip(reason=reason))
