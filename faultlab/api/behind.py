"""What stands behind the lab, made callable: transports of httpx and httpx2, and ASGI apps."""

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from faultlab.api.bridge import await_here, in_bridge
from faultlab.api.front import Request
from faultlab.api.portal import PORTAL
from faultlab.api.relay import Answered, answered
from faultlab.core.errors import BadInput
from faultlab.matrix.loop import VirtualLoop
from faultlab.transports.codec import Encoded

Behind = Callable[[Request], Answered]


def behind(target: Any) -> Behind:
    """What executes requests. Raises BadInput for what is neither a transport nor an ASGI app."""
    library = _library(target)
    if library is not None:
        return _through(library, target)
    if is_asgi(target):
        import httpx

        return _Awaited(httpx, httpx.ASGITransport(app=target, raise_app_exceptions=False), threads=True)
    raise BadInput(
        f"in_front_of got {type(target).__name__}, which is no ASGI app, no transport of httpx or httpx2,"
        " no respx router and no Toolset; for a Python function use lab.wrap(function)"
    )


def _library(target: Any) -> Any:
    """The module whose transport it is. The classes' own `__module__` does not tell: openai writes its name there."""
    for name in ("httpx", "httpx2"):
        module = sys.modules.get(name)  # who has made a transport of it has imported it
        if module is not None and isinstance(target, module.BaseTransport | module.AsyncBaseTransport):
            return module
    return None


def is_asgi(target: Any) -> bool:
    """A coroutine function of three arguments, or an object called like one (ASGI 3.0)."""
    if not callable(target) or inspect.isclass(target):
        return False
    called = target if inspect.isroutine(target) else type(target).__call__
    if not inspect.iscoroutinefunction(called):
        return False
    required = [
        item for item in inspect.signature(target).parameters.values()
        if item.default is item.empty and item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)
    ]  # fmt: skip
    return len(required) == 3


def _through(library: Any, transport: Any) -> Behind:
    """A transport that can be called without a loop is; MockTransport can if its handler is an ordinary function."""
    handler = getattr(transport, "handler", None)
    if isinstance(transport, library.BaseTransport) and not inspect.iscoroutinefunction(handler):
        return _Blocking(library, transport)
    return _Awaited(library, transport)


class _Blocking:
    """A transport for synchronous clients."""

    def __init__(self, library: Any, transport: Any) -> None:
        self._library = library
        self._transport = transport

    def __call__(self, request: Request) -> Answered:
        try:
            response = self._transport.handle_request(_request(self._library, request))
            content = b"".join(response.stream)
            response.close()
        except Exception as error:  # noqa: BLE001  whatever it raises is what its caller would have got
            return failed(error)
        return http_answer(self._library, response, content)


class _Awaited:
    """A transport for async clients. `threads`: it may hand work to threads, which no virtual loop waits for."""

    def __init__(self, library: Any, transport: Any, *, threads: bool = False) -> None:
        self._library = library
        self._transport = transport
        self._threads = threads

    def __call__(self, request: Request) -> Answered:
        return awaited(self._send(request), threads=self._threads)

    async def _send(self, request: Request) -> Answered:
        try:
            response = await self._transport.handle_async_request(_request(self._library, request))
            content = b"".join([part async for part in response.stream])
            await response.aclose()
        except Exception as error:  # noqa: BLE001  as above
            return failed(error)
        return http_answer(self._library, response, content)


def awaited(work: Coroutine[Any, Any, Answered], *, threads: bool = False) -> Answered:
    """On the caller's own loop, where it has one; else on the portal's. What was begun there is not cancelled with
    the caller."""
    if in_bridge() and not (threads and isinstance(asyncio.get_running_loop(), VirtualLoop)):
        here: Answered = await_here(_shielded(work))
        return here
    return PORTAL.run(work)


def _shielded(work: Coroutine[Any, Any, Answered]) -> Awaitable[Answered]:
    return asyncio.shield(asyncio.ensure_future(work))


def failed(error: Exception, *, refused: bool = False) -> Answered:
    """An exception instead of an answer. `refused`: it says that nothing was done."""
    return Answered(422 if refused else 500, {"raised": f"{type(error).__name__}: {error}"}, {}, error)


def _request(library: Any, request: Request) -> Any:
    method, url, headers, body = request
    return library.Request(method, url, headers=headers, content=body)


def http_answer(library: Any, response: Any, content: bytes) -> Answered:
    """A response whose body, as it came, is `content`."""
    headers = response.headers
    encoded = Encoded(response.status_code, tuple(headers.raw), content)
    if "content-encoding" in headers:
        content = library.Response(response.status_code, headers=headers, content=content).content
    return answered(response.status_code, headers, content, encoded)
