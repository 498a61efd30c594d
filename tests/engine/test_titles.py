"""The titles of problem details are the registered phrases of their statuses (RFC 9457 section 4.2.1)."""

from http import HTTPStatus

import pytest

from faultlab.core.titles import TITLES
from faultlab.engine.errors import problem
from faultlab.transports.wire.responses import reason

REGISTERED = [int(status) for status in HTTPStatus if status >= 400 and status not in (418, 510)]
"""Without those that IANA lists as unused or obsoleted."""


@pytest.mark.parametrize("status", sorted({*REGISTERED, *TITLES}))
def test_every_status_of_a_refusal_has_its_phrase(status: int) -> None:
    title = problem(status, "code", "detail").body["title"]
    assert title != "Error" and title == reason(status)
