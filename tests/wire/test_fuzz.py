"""Mutated requests leave the data port as it was: docs/serve.md says how many were tried."""

import pytest
from wire.fuzz import feed, over_loopback

EXPECTED = {100, 200, 400, 404, 405, 408, 413, 415, 422, 431}
"""Every kind of answer was reached; none of them is an error of the server."""


@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_mutated_requests(count: int) -> None:
    told = feed(count)
    assert told.left == 0
    assert told.calls > count // 10
    assert set(told.statuses) >= EXPECTED
    assert not any(status >= 500 for status in told.statuses if status not in (501, 503, 505)), told.statuses
    assert told.grown_kib < 20_000


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_mutated_requests_over_loopback(count: int) -> None:
    told = over_loopback(count)
    assert (told.left, told.descriptors) == (0, 0)
    assert told.statuses[200] > count // 20
    assert not any(status >= 500 for status in told.statuses if status not in (501, 503, 505)), told.statuses
