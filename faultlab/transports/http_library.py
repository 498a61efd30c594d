"""What the transports of httpx and httpx2 have in common: the two libraries differ in their names only."""

from collections.abc import AsyncIterator, Callable, Iterator
from functools import lru_cache
from typing import Any, Generic, NoReturn, TypeVar

from faultlab.core.actions import Broken, Cancelled, Dribble, Mangled, Reply, Slow
from faultlab.core.clock import ns
from faultlab.core.errors import CannotPerform
from faultlab.core.records import Receipt
from faultlab.engine.arrival import CONNECTING, mangled
from faultlab.engine.engine import Ticket
from faultlab.engine.errors import problem
from faultlab.engine.session import Session
from faultlab.transports.begin import awaitable_here, begun
from faultlab.transports.codec import Encoded, FewHeaders, decode, encode, framing
from faultlab.transports.wait import await_receipt, wait

FIRST_CALL = "faultlab_call"
"""The entry of a request's extensions that holds the number of its first call."""

LAB_HOST = "lab.invalid"
BASE_URL = f"http://{LAB_HOST}"
"""Where the lab seems to be. The name can never be looked up (RFC 6761 section 6.4)."""

ERRORS = ("ConnectError", "ConnectTimeout", "ReadError", "ReadTimeout", "RemoteProtocolError")
TEXTS = {
    "ConnectError": "[Errno 111] Connection refused",
    "ConnectTimeout": "timed out",
    "ReadError": "[Errno 104] Connection reset by peer",
    "ReadTimeout": "timed out",
    "RemoteProtocolError": "Server disconnected without sending a response.",
}
"""What the libraries say over a real socket on Linux."""

ResponseT = TypeVar("ResponseT")


class Library(Generic[ResponseT]):
    """One HTTP library, and how a call goes through the lab with it."""

    def __init__(self, module: Any, response: Callable[..., ResponseT]) -> None:
        self._response = response
        self._errors: dict[str, Callable[..., Exception]] = {name: getattr(module, name) for name in ERRORS}
        self._whole: Callable[[bytes], Any] = module.ByteStream
        self._half = half_stream(module)
        self._headers: Callable[[FewHeaders], Any] = lru_cache(maxsize=1024)(module.Headers)
        """Parsed once: the headers of most replies differ in the length of their body only."""

    def exchange(self, session: Session, request: Any) -> ResponseT:
        """One request and its response, for a synchronous caller."""
        ticket = self._begin(session, request, request.read())
        if not isinstance(ticket, Ticket):
            session.clock.until(session.clock.now() + session.latency_ns)
            return self._refuse(ticket)
        patience_ns = patience(session, request, ticket)
        return self._respond(session, request, ticket, wait(session, ticket, patience_ns))

    async def aexchange(self, session: Session, request: Any) -> ResponseT:
        """The same for an async caller. Raises BadInput under trio."""
        awaitable_here()
        ticket = self._begin(session, request, await request.aread())
        if not isinstance(ticket, Ticket):
            await session.clock.auntil(session.clock.now() + session.latency_ns)
            return self._refuse(ticket)
        patience_ns = patience(session, request, ticket)
        return self._respond(session, request, ticket, await await_receipt(session, ticket, patience_ns))

    def _begin(self, session: Session, request: Any, body: bytes) -> Ticket | Reply | Exception:
        """A tool call under way; or, for a request that is none, the refusal, due after one latency."""
        url = request.url
        if url.host != LAB_HOST:
            return self._stranger(session, request)
        headers, contract = request.headers.raw, session.brief.contract
        asked = decode(request.method, url.raw_path, headers, body, session.engine.toolset, contract)
        if isinstance(asked, Reply):
            session.check(session.clock.now())
            return asked
        # One request object is one call of its maker: a transport that retries sends the same object again.
        first = request.extensions.get(FIRST_CALL, 0)
        ticket = begun(session, asked, first)
        request.extensions.setdefault(FIRST_CALL, ticket.call.n)
        if type(ticket.delivery) is Cancelled:
            # Only the caller itself could do that to its request; the attempt is not the agent's to answer for.
            session.engine.server.broken = CannotPerform(
                "the symptom 'cancelled' strikes a tool called as a function (env.tools, env.atools);"
                f" an HTTP client cannot show it: {request.method} {url}"
            )
            raise session.engine.server.broken
        return ticket

    def _stranger(self, session: Session, request: Any) -> Exception:
        """The error for a request to another host."""
        session.check(session.clock.now())
        host = request.url.host
        if host not in session.refused_hosts:
            session.refused_hosts.append(host)
        text = (
            f"{request.method} {request.url} goes to {host!r}, which is not the lab. This client reaches only"
            f" the lab: use paths without a host, or {BASE_URL} (env.base_url)."
        )
        return self._errors["ConnectError"](text, request=request)

    def _refuse(self, refusal: Reply | Exception) -> ResponseT:
        if isinstance(refusal, Exception):
            raise refusal
        return self._build(encode(refusal))

    def _respond(self, session: Session, request: Any, ticket: Ticket, receipt: Receipt) -> ResponseT:
        """The receipt in the library's own terms: a response, half of one, or its own exception."""
        delivery = ticket.delivery
        if receipt.error is None:
            if isinstance(delivery, Slow | Dribble):
                delivery = delivery.reply
            if isinstance(delivery, Reply):
                return self._build(encoded(session, delivery))
            assert isinstance(delivery, Mangled)
            body = mangled(delivery).encode(errors="replace")
            return self._build(Encoded(delivery.reply.status, framing(b"application/json", len(body)), body))
        if receipt.status is None:
            raise self._errors[receipt.error](TEXTS[receipt.error], request=request)
        assert isinstance(delivery, Broken)
        assert delivery.reply is not None
        status, headers, body = encoded(session, delivery.reply)
        broken = self._half(body, self._errors["RemoteProtocolError"])
        return self._response(status, headers=headers, stream=broken)

    def _build(self, answer: Encoded) -> ResponseT:
        """A response whose body is there already.

        `_content` is what the library itself keeps of a body it has read: with it, reading costs nothing (a tenth
        of a call). Should a version not know it, the stream holds the same bytes and is read instead.
        """
        response: Any = self._response(
            answer.status, headers=self._headers(answer.headers), stream=self._whole(answer.body)
        )
        response._content = answer.body
        return response  # type: ignore[no-any-return]  # Any because of the private member


def patience(session: Session, request: Any, ticket: Ticket) -> int | None:
    """How long the caller waits, by the client's timeouts; None: for ever. Without any, the session's."""
    timeout = request.extensions.get("timeout")
    if timeout is None:
        return session.patience_ns
    delivery = ticket.delivery
    phase = "connect" if isinstance(delivery, Broken) and delivery.how in CONNECTING else "read"
    wait_s = timeout.get(phase)
    return None if wait_s is None else ns(wait_s)


def encoded(session: Session, reply: Reply) -> Encoded:
    """A reply as bytes. A body that is not JSON is the toolset's fault: the caller gets a 500."""
    try:
        return encode(reply)
    except (TypeError, ValueError) as error:
        session.engine.server.broken = error
        return encode(problem(500, "tool_failed", f"The tool's result is not JSON: {error}"))


def half_stream(module: Any) -> Callable[[bytes, Callable[..., Exception]], Any]:
    """A body that breaks off after its first half, as a stream of `module`."""

    class Half(module.SyncByteStream, module.AsyncByteStream):  # type: ignore[misc]  # the base depends on `module`
        def __init__(self, body: bytes, error: Callable[..., Exception]) -> None:
            self._body = body
            self._error = error

        def __iter__(self) -> Iterator[bytes]:
            yield self._first()
            self._end()

        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield self._first()
            self._end()

        def _first(self) -> bytes:
            return self._body[: len(self._body) // 2]

        def _end(self) -> NoReturn:
            size = len(self._body)
            raise self._error(
                "peer closed connection without sending complete message body"
                f" (received {size // 2} bytes, expected {size})"
            )

    return Half
