"""The admin port: sessions, their histories and verdicts. An agent must never see it."""

import hmac
from collections.abc import Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from faultlab.core.errors import BadInput
from faultlab.core.trace import event_as_json
from faultlab.matrix.claims import claim_from
from faultlab.serve.live import Live
from faultlab.serve.metrics import metrics_text
from faultlab.serve.openapi_admin import admin_document
from faultlab.serve.order import Unfit, order_of
from faultlab.serve.problems import refusal
from faultlab.serve.redacting import without_secrets
from faultlab.serve.sessions import Full, Sessions
from faultlab.serve.views import session_view, verdict_view
from faultlab.transports.parsing import parse_whole

BODY_LIMIT = 1 << 20
PAGE = 100


class Admin:
    """The handlers, over one registry. `data_url` gives the data port's address once it listens."""

    def __init__(self, sessions: Sessions, data_url: Callable[[], str], connections: Callable[[], int]) -> None:
        self._sessions = sessions
        self._data_url = data_url
        self._connections = connections

    async def create(self, request: Request) -> Response:
        """Open a session."""
        live = await self._sessions.open(order_of(await _json(request)))
        place = {"location": f"/sessions/{live.id}"}
        return JSONResponse(session_view(live, self._data_url(), with_task=True), 201, place)

    async def index(self, request: Request) -> Response:
        """Sessions, open ones first; `after` goes on behind one of them."""
        limit = _whole(request.query_params.get("limit"), "limit", PAGE, 1000)
        after = request.query_params.get("after")
        rows = list(self._sessions)
        if after is not None:
            place = next((number for number, live in enumerate(rows, 1) if live.id == after), None)
            if place is None:
                raise Unfit([("after", f"there is no session {after!r}")])
            rows = rows[place:]
        page = rows[:limit]
        left = rows[limit:] and page
        views = [session_view(live, self._data_url()) for live in page]
        return JSONResponse({"sessions": views, "next": left[-1].id if left else None})

    async def read(self, request: Request) -> Response:
        """One session with its task."""
        return JSONResponse(session_view(self._found(request), self._data_url(), with_task=True))

    async def delete(self, request: Request) -> Response:
        """Forget a session and all that it holds."""
        await self._sessions.delete(self._found(request))
        return Response(status_code=204)

    async def history(self, request: Request) -> Response:
        """What has happened, in order: calls, receipts, faults."""
        live = self._found(request)
        await self._sessions.passing(live, live.catch_up)
        events = live.events()
        return JSONResponse({"events": [event_as_json(event) for event in events]})

    async def ledger(self, request: Request) -> Response:
        """The ground truth: every effect."""
        live = self._found(request)
        await self._sessions.passing(live, live.catch_up)
        effects = live.ledger()
        return JSONResponse({"effects": [event_as_json(effect) for effect in effects]})

    async def arm(self, request: Request) -> Response:
        """Add a fault, which counts calls from now on."""
        self._changeable(request)
        data = await _json(request)
        live = self._changeable(request)  # it may have ended while the body came
        data = self._kept(live, data)
        live.fault(data)
        await self._sessions.passing(live, lambda: self._sessions.change(live, [data]))
        return JSONResponse({"faults": _faults(live)}, 201)

    async def disarm(self, request: Request) -> Response:
        """Clear the plan: nothing strikes any more."""
        live = self._changeable(request)
        await self._sessions.passing(live, lambda: self._sessions.change(live, ()))
        return Response(status_code=204)

    def _kept(self, live: Live, data: Any) -> Any:
        """What a session that has not ended may be told: where it is stored, without secrets."""
        return without_secrets(live.session, data) if self._sessions.durable and live.session is not None else data

    def _changeable(self, request: Request) -> Live:
        live = self._found(request)
        if live.ended:
            raise HTTPException(409, "This session has ended; open another one.")
        if self._sessions.shared:
            raise HTTPException(409, "Several servers share this session: its faults are those of its order.")
        return live

    async def claim(self, request: Request) -> Response:
        """The agent's claim, given by whoever runs it; ends the session and gives the verdict."""
        self._claimable(request)
        data = await _json(request)
        live = self._claimable(request)  # another claim may have come meanwhile
        claim = claim_from(self._kept(live, data))
        await self._sessions.passing(live, lambda: self._sessions.end(live, claim))
        return await self.verdict(request)

    def _claimable(self, request: Request) -> Live:
        live = self._found(request)
        if live.ended:
            raise HTTPException(409, "This session has ended; its verdict is at /verdict.")
        return live

    async def verdict(self, request: Request) -> Response:
        """How an ended session was judged."""
        live = self._found(request)
        if live.verdict is None:
            return refusal(409, "There is no claim yet: POST it to /claim of the session's URL, or to /claim here.")
        return JSONResponse(verdict_view(live, live.verdict))

    async def health(self, _request: Request) -> Response:
        """Whether the server takes calls."""
        return JSONResponse({"status": "ok", "sessions": self._sessions.open_count})

    async def metrics(self, _request: Request) -> Response:
        """Counters in the Prometheus text format."""
        return PlainTextResponse(
            metrics_text(self._sessions, self._connections()), media_type="text/plain; version=0.0.4"
        )

    async def document(self, _request: Request) -> Response:
        """This interface as OpenAPI 3.1."""
        return JSONResponse(admin_document())

    def _found(self, request: Request) -> Live:
        name = request.path_params["id"]
        live = self._sessions.get(name) if name.isprintable() else None  # PostgreSQL refuses a text with %00
        if live is None:
            raise HTTPException(404, f"There is no session {name!r}.")
        return live


def _faults(live: Live) -> list[Mapping[str, Any]]:
    """Those that were added since the plan was last cleared."""
    added: list[Mapping[str, Any]] = []
    for change in live.changes:
        added = [*added, *change.faults] if change.faults else []
    return added


async def _json(request: Request) -> Any:
    """Raises HTTPException: 413 for a body that is too large, 415 for another type, 400 for no JSON."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, f"The body is {kind or 'of no type'}; send application/json.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_LIMIT:
            raise HTTPException(413, f"A body may have {BODY_LIMIT} bytes.")
    try:
        return parse_whole(bytes(body) or b"{}")
    except ValueError as error:
        raise HTTPException(400, f"The body is not JSON: {error}.") from None


def _whole(text: str | None, name: str, default: int, most: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= most):
        raise Unfit([(name, f"is {text!r}; it must be a whole number from 1 to {most}")])
    return int(text)


class Token:
    """Lets in who bears the token (RFC 6750); without one, everybody who can reach the port.

    The scheme's name is in either case (RFC 9110 section 11.1).
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._token is not None and scope["type"] == "http" and not self._borne(scope):
            answer = refusal(401, "This port needs the token: Authorization: Bearer TOKEN.", (), CHALLENGE)
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _borne(self, scope: Scope) -> bool:
        assert self._token is not None
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, token = given.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.lstrip(b" "), self._token.encode())


CHALLENGE = {"www-authenticate": "Bearer"}
CLOSE = {"connection": "close"}


class Heads:
    """Refuses what the data port refuses too, and h11 lets pass: two lengths (RFC 9112 section 6.3), other versions."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._refusal(scope) if scope["type"] == "http" else None
        await (self._app if answer is None else answer)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        names = [name for name, _ in scope["headers"]]
        if scope["http_version"] not in ("1.1", "1.0"):
            return refusal(505, "This server speaks HTTP/1.1 and HTTP/1.0: use one of them.", (), CLOSE)
        if b"transfer-encoding" in names and b"content-length" in names:
            return refusal(400, "A request has a Transfer-Encoding or a Content-Length, not both.", (), CLOSE)
        return None


def _unfit(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Unfit)
    errors = [{"place": place, "detail": said} for place, said in error.problems]
    return refusal(422, str(error), errors)


def _bad(_request: Request, error: Exception) -> Response:
    return refusal(422, str(error))


def _full(_request: Request, error: Exception) -> Response:
    return refusal(503, str(error), (), {"retry-after": "1"})


def _http(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, error.detail, (), error.headers)


def _left(_request: Request, _error: Exception) -> Response:
    """The client has gone in the middle of its request: nobody hears this."""
    return Response(status_code=400)


def admin_app(admin: Admin, token: str | None) -> Starlette:
    """The application. Paths and methods are those of `serve/openapi_admin.py`; a test compares them."""
    routes = [
        Route("/sessions", admin.create, methods=["POST"]),
        Route("/sessions", admin.index, methods=["GET"]),
        Route("/sessions/{id}", admin.read, methods=["GET"]),
        Route("/sessions/{id}", admin.delete, methods=["DELETE"]),
        Route("/sessions/{id}/history", admin.history, methods=["GET"]),
        Route("/sessions/{id}/ledger", admin.ledger, methods=["GET"]),
        Route("/sessions/{id}/faults", admin.arm, methods=["POST"]),
        Route("/sessions/{id}/faults", admin.disarm, methods=["DELETE"]),
        Route("/sessions/{id}/claim", admin.claim, methods=["POST"]),
        Route("/sessions/{id}/verdict", admin.verdict, methods=["GET"]),
        Route("/health", admin.health, methods=["GET"]),
        Route("/metrics", admin.metrics, methods=["GET"]),
        Route("/openapi.json", admin.document, methods=["GET"]),
    ]
    handlers = {Unfit: _unfit, BadInput: _bad, Full: _full, HTTPException: _http, ClientDisconnect: _left}
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Heads), Middleware(Token, token=token)],
        exception_handlers=handlers,
    )
    app.router.redirect_slashes = False  # to wherever the Host field says
    return app
