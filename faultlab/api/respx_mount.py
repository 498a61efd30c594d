"""A lab in front of a respx router: clients keep calling through the router, the lab stands before its routes."""

import sys
from collections.abc import Callable
from typing import Any

from faultlab.api.behind import awaited, failed, http_answer
from faultlab.api.bridge import bridged, in_bridge
from faultlab.api.front import Request
from faultlab.api.over_http import library
from faultlab.api.relay import Answered
from faultlab.api.session import FrontSession

NAME = "faultlab"
"""The one route that is left in the router; its side effect is the lab."""


def is_router(target: Any) -> bool:
    """Without loading respx for anything else."""
    return any(kind.__name__ == "Router" and kind.__module__.startswith("respx.") for kind in type(target).__mro__)


class Mounted:
    """The routes of a router, behind a lab. Their `calls` count what reached them, the router's what was sent."""

    def __init__(self, router: Any, session: Callable[[], FrontSession]) -> None:
        from respx.router import Router

        self._router = router
        self._session = session
        self._behind: Any = Router(assert_all_called=False)
        self._take_routes()
        router.route(name=NAME).mock(side_effect=self._serve)

    def __call__(self, request: Request) -> Answered:
        """Let the routes answer a request."""
        import httpx

        self._take_routes()
        method, url, headers, body = request
        made = httpx.Request(method, url, headers=headers, content=body)
        if in_bridge():
            return awaited(self._answer(made))
        try:
            response = self._behind.handler(made)
        except Exception as error:  # noqa: BLE001  what a route raises is what its caller would have got
            return failed(error)
        return http_answer(httpx, response, b"".join(response.stream))

    @property
    def origin(self) -> str | None:
        """Scheme and host that all its routes ask for; None: they name none, or several."""
        found: set[tuple[str, str]] = set()
        for route in self._behind.routes:
            told = {pattern.key: str(pattern.value) for pattern in route.pattern if pattern.lookup.value == "eq"}
            if "host" in told:
                found.add((told.get("scheme", "http"), told["host"]))
        scheme, host = found.pop() if len(found) == 1 else ("", "")
        return f"{scheme}://{host}" if host else None

    async def _answer(self, request: Any) -> Answered:
        import httpx

        try:
            response = await self._behind.async_handler(request)
        except Exception as error:  # noqa: BLE001  as above
            return failed(error)
        return http_answer(httpx, response, b"".join([part async for part in response.stream]))

    def _take_routes(self) -> None:
        """Also those that were added since the last request."""
        taken = [route for route in self._router.routes if route.name != NAME]
        if not taken:
            return
        own = [route for route in self._router.routes if route.name == NAME]
        self._router.routes.clear()
        for route in own:
            self._router.routes.add(route, NAME)
        for route in taken:
            self._behind.routes.add(route, route.name)

    def _serve(self, request: Any) -> Any:
        """The side effect: a response, or the awaitable of one for an async client."""
        through = library("httpx")
        if _awaits():
            return bridged(through.send, self._session(), self, request, request.content)
        return through.send(self._session(), self, request, request.content)


def _awaits() -> bool:
    """Whether the router is asked by an async client: a side effect is not told, so it looks who calls."""
    from respx.router import Router

    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code is Router.resolve.__code__:
            return False
        if frame.f_code is Router.aresolve.__code__:
            return True
        frame = frame.f_back  # type: ignore[assignment]  # None at the outermost
    return False
