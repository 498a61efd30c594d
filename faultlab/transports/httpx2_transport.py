"""The lab behind httpx2, from the extra `faultlab[httpx2]`; otherwise as `httpx_transport`."""

# mypy passes with and without the extra: without it, httpx2 is Any.
# mypy: disable-error-code="import-not-found", disallow-subclassing-any=False

try:
    import httpx2
except ModuleNotFoundError as missing:
    if missing.name != "httpx2":
        raise
    raise ImportError(
        "the httpx2 transport needs the package httpx2: pip install 'faultlab[httpx2]'", name="httpx2"
    ) from None

from faultlab.engine.session import Session
from faultlab.transports.http_library import BASE_URL, Library

_LIBRARY = Library(httpx2, httpx2.Response)


class LabTransport(httpx2.BaseTransport):
    """Sends every request of a Client to `session`, which may be replaced between attempts."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return _LIBRARY.exchange(self.session, request)


class AsyncLabTransport(httpx2.AsyncBaseTransport):
    """The same for an AsyncClient."""

    def __init__(self, session: Session) -> None:
        self.session = session

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await _LIBRARY.aexchange(self.session, request)


def client(session: Session) -> httpx2.Client:
    """A Client whose every request goes to the lab."""
    return httpx2.Client(transport=LabTransport(session), base_url=BASE_URL)


def aclient(session: Session) -> httpx2.AsyncClient:
    """An AsyncClient whose every request goes to the lab."""
    return httpx2.AsyncClient(transport=AsyncLabTransport(session), base_url=BASE_URL)
