"""httpx-retries: its transport with defaults, which leave POST alone, and with POST allowed."""

import httpx_retries.retry
from httpx import Client
from httpx_retries import Retry, RetryTransport
from sidebyside.dates import module
from sidebyside.work import Call, Desk, subject

from faultlab.matrix.env import session_of
from faultlab.transports.httpx_transport import LabTransport

httpx_retries.retry.datetime = module()


def _through(desk: Desk, retry: Retry) -> Call:
    transport = RetryTransport(LabTransport(session_of(desk.env)), retry=retry)
    desk.http = Client(transport=transport, base_url=desk.env.base_url)
    return desk.send


def defaults(desk: Desk) -> Call:
    return _through(desk, Retry())


def with_post(desk: Desk) -> Call:
    return _through(desk, Retry(total=5, backoff_factor=0.5, allowed_methods=["POST"]))


agent = subject(defaults)
allowed = subject(with_post)
