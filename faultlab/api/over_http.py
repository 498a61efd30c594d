"""The lab as transports of httpx and httpx2, in front of whatever executes the requests."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from faultlab.api.behind import Behind
from faultlab.api.bridge import bridged
from faultlab.api.front import Request
from faultlab.api.session import FrontSession
from faultlab.core.actions import Reply
from faultlab.core.clock import ns
from faultlab.core.errors import BadInput
from faultlab.core.records import Receipt
from faultlab.engine.engine import Ticket
from faultlab.transports.http_library import TEXTS, Library, patience

HOST = "http://testserver"
"""Where a client without a base URL sends its paths; the name that test clients of ASGI apps use."""


class FrontLibrary(Library[Any]):
    """One HTTP library, and how a request goes through the lab with it."""

    def send(self, session: FrontSession, behind: Behind, request: Any, content: bytes) -> Any:
        """A request whose body is `content`, and its response or exception."""
        with session.turns:
            return self._sent(session, behind, request, content)

    def _sent(self, session: FrontSession, behind: Behind, request: Any, content: bytes) -> Any:
        headers = tuple(request.headers.raw)
        plain = Request(request.method, str(request.url), headers, content)
        target = request.url.raw_path
        asked = session.asked_for(lambda: session.front.ask(plain, target, session.brief.contract))
        if isinstance(asked, Reply):
            session.check(session.clock.now())
            session.clock.until(session.clock.now() + session.latency_ns)
            return self._refuse(asked)
        ticket, receipt = session.asked_for(
            lambda: session.exchange(asked, lambda: behind(plain), lambda ticket: patience_of(session, request, ticket))
        )
        if ticket is None:
            raise self._errors["ReadTimeout"](TEXTS["ReadTimeout"], request=request)
        answer = session.answer(ticket)
        if answer is not None and isinstance(answer.raw, Exception):
            raise answer.raw
        if answer is None or receipt.error is not None:
            return self._respond(session, request, ticket, receipt)
        return self._build_raw(answer.raw, receipt)

    def _build_raw(self, raw: Any, receipt: Receipt) -> Any:
        """As it came: headers, content encoding and all; and the lab's own mark on a replay."""
        marks = [item for item in receipt.headers.items() if item[0] == REPLAYED]
        return self._response(raw.status, headers=[*raw.headers, *marks], stream=self._whole(raw.body))


REPLAYED = "idempotent-replayed"


def patience_of(session: FrontSession, request: Any, ticket: Ticket | None) -> int | None:
    """How long the client waits; for an app that is still at work: for the first byte of its answer."""
    if ticket is not None:
        return patience(session, request, ticket)
    timeout = request.extensions.get("timeout")
    if timeout is None:
        return session.patience_ns
    return None if timeout.get("read") is None else ns(timeout["read"])


@cache
def library(name: str) -> FrontLibrary:
    module = _module(name)
    return FrontLibrary(module, module.Response)


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        raise BadInput(f"the package {name} is not installed: pip install 'faultlab[{name}]'") from None


def transport(name: str, session: Callable[[], FrontSession], behind: Behind) -> Any:
    """A transport for a Client of that library. The session is asked for with each request."""
    through = library(name)

    class LabTransport(_module(name).BaseTransport):  # type: ignore[misc]  # the base depends on `name`
        def handle_request(self, request: Any) -> Any:
            return through.send(session(), behind, request, request.read())

    return LabTransport()


def async_transport(name: str, session: Callable[[], FrontSession], behind: Behind) -> Any:
    """A transport for an AsyncClient of that library."""
    through = library(name)

    class AsyncLabTransport(_module(name).AsyncBaseTransport):  # type: ignore[misc]  # as above
        async def handle_async_request(self, request: Any) -> Any:
            return await bridged(through.send, session(), behind, request, await request.aread())

    return AsyncLabTransport()
