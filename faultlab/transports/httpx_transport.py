"""The lab behind httpx: a transport for its Client and one for its AsyncClient."""

import httpx

from faultlab.engine.session import Session
from faultlab.transports.http_library import BASE_URL, Library

_LIBRARY = Library(httpx, httpx.Response)


class LabTransport(httpx.BaseTransport):
    """Sends every request of a Client to `session`, which may be replaced between attempts."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return _LIBRARY.exchange(self.session, request)


class AsyncLabTransport(httpx.AsyncBaseTransport):
    """The same for an AsyncClient."""

    def __init__(self, session: Session) -> None:
        self.session = session

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await _LIBRARY.aexchange(self.session, request)


def client(session: Session) -> httpx.Client:
    """A Client whose every request goes to the lab."""
    return httpx.Client(transport=LabTransport(session), base_url=BASE_URL)


def aclient(session: Session) -> httpx.AsyncClient:
    """An AsyncClient whose every request goes to the lab."""
    return httpx.AsyncClient(transport=AsyncLabTransport(session), base_url=BASE_URL)
