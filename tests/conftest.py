"""What all tests share: where the package and the project stand, and how Hypothesis runs.

The package is found as Python finds it, so the same tests hold for a checkout and for an installed wheel.
"""

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

# Helpers of several folders stand beside this file and are imported by name (`labs`).
sys.path.insert(0, str(Path(__file__).parent))

import extras

# A shell without job control lets what it starts in the background ignore Ctrl-C, and the tests would hand that on to
# the processes that they interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: two busy cores make any one example slow. CI draws the same examples each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def package() -> Path:
    """The folder of the package that Python imports: in the checkout, or in site-packages."""
    spec = find_spec("faultlab")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder that holds tests/, docs/ and README.md."""
    return Path(__file__).parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    extras.mark(items)
