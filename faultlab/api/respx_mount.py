"""A lab in front of a respx router: clients keep calling through the router, the lab stands before its routes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from faultlab.api.behind import awaited, failed, http_answer
from faultlab.api.bridge import bridged, in_bridge
from faultlab.api.front import Request
from faultlab.api.over_http import library
from faultlab.api.relay import Answered
from faultlab.api.session import FrontSession

DETOURS = ("resolve", "aresolve", "assert_all_called", "rollback")
"""The methods of a router that a lab replaces."""


def is_router(target: Any) -> bool:
    """Without loading respx for anything else."""
    return any(kind.__name__ == "Router" and kind.__module__.startswith("respx.") for kind in type(target).__mro__)


class Mounted:
    """The routes of a router, behind a lab. Their `calls` count what reached them, the router's what was sent.

    Routes, names and calls stay where they are: only the router's way from a request to a route leads through the lab.
    """

    def __init__(self, router: Any, session: Callable[[], FrontSession]) -> None:
        from respx.router import Router

        self._router = router
        self._session = session
        self._depth = len(router._snapshots)
        self._behind: Any = Router(assert_all_called=False, assert_all_mocked=router._assert_all_mocked)
        self._behind.routes = router.routes  # the very list: also routes that are added or taken away later
        for name in DETOURS:
            setattr(router, name, getattr(self, f"_{name}"))

    def __call__(self, request: Request) -> Answered:
        """Let the routes answer a request."""
        import httpx

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
            told = {pattern.key: str(pattern.value) for pattern in route.pattern or () if pattern.lookup.value == "eq"}
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

    # What the router does instead of its own.

    def _resolve(self, request: Any) -> Any:
        through = library("httpx")
        with self._recorded(request) as resolved:
            resolved.response = through.send(self._session(), self, request, request.content)
        return resolved

    async def _aresolve(self, request: Any) -> Any:
        through = library("httpx")
        with self._recorded(request) as resolved:
            resolved.response = await bridged(through.send, self._session(), self, request, request.content)
        return resolved

    @contextmanager
    def _recorded(self, request: Any) -> Iterator[Any]:
        import httpx
        from respx.models import ResolvedRoute

        resolved: Any = ResolvedRoute()  # type: ignore[no-untyped-call]  # respx's own
        try:
            yield resolved
        except Exception:
            self._router.record(request)
            raise
        self._router.record(request, response=resolved.response)
        if isinstance(resolved.response.stream, httpx.ByteStream):
            resolved.response.read()  # as respx does, so that a test may look into `calls`

    def _assert_all_called(self) -> None:
        """A request that was lost on its way was a call of its route all the same."""
        routes = self._router.routes
        sent = [call.request for call in self._router.calls]
        asked = [next((route for route in routes if _fits(route, request)), None) for request in sent]
        assert all(route.called or route in asked for route in routes), "RESPX: some routes were not called!"

    def _rollback(self) -> None:
        """The end of the mock takes the lab away; what comes late still finds the routes."""
        from respx.models import RouteList

        if len(self._router._snapshots) <= self._depth:
            self._behind.routes = RouteList(self._router.routes)
            for name in DETOURS:
                vars(self._router).pop(name, None)
        type(self._router).rollback(self._router)


def _fits(route: Any, request: Any) -> bool:
    return not route.pattern or bool(route.pattern.match(request))
