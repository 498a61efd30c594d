"""Every test here needs the extra `sidebyside`, and says so where it is missing."""

from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDED = (
    "agent_ledger", "agent_outbox", "agentraas", "deduplex", "durastep", "exactly_once", "httpx_retries", "latch",
    "once", "stamina",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    reason = f"the extra `sidebyside` is not installed: no {', '.join(missing)}"
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("sidebyside")
            item.add_marker("slow")
            # What a library leaves open or deprecates in itself is not ours to mend.
            item.add_marker(pytest.mark.filterwarnings("default"))
            if missing:
                item.add_marker(pytest.mark.skip(reason=reason))
