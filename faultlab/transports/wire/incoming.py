"""What a peer sends, read by httptools into requests, and the limits of what it may send."""

import asyncio
from http import HTTPMethod

import httptools

from faultlab.core.actions import Reply
from faultlab.engine.errors import problem
from faultlab.transports.wire.heads import count, origin_form, stated_size, without_upgrade
from faultlab.transports.wire.house import House

METHODS = {method.value.encode(): method.value for method in HTTPMethod if method != HTTPMethod.CONNECT}


MARKS = {b"host": 1, b"expect": 2, b"upgrade": 2}
"""What must be looked at; the sum over a plain head, which has one Host, is PLAIN. None of these names is longer."""
PLAIN = 1
SLASH = ord("/")
NO_SUCH_VERSION = problem(505, "version_not_supported", "This server speaks HTTP/1.1 and HTTP/1.0: use one of them.")


OTHER_CODING = problem(501, "transfer_coding", "This server knows the transfer coding chunked: send no other one.")
CHUNKS_IN_1_0 = problem(400, "not_http", "HTTP/1.0 has no Transfer-Encoding: send a Content-Length, or HTTP/1.1.")


class Deaf(httptools.HttpRequestParser):
    """Takes the place of the parser where nothing more is to be read."""

    def feed_data(self, data: bytes) -> None:  # type: ignore[override]
        """It is lost."""


DEAF = Deaf(object())


class Incoming(asyncio.Protocol):
    """The reading half of a connection; `Connection` is the other."""

    __slots__ = (
        "_asks_head", "_body", "_current", "_fed", "_fields", "_headers", "_marks", "_most_body", "_most_head",
        "_parser", "_plain", "_seen", "_size", "_target", "_too_much", "_upgrades", "loop", "since_s", "transport",
    )  # fmt: skip

    transport: asyncio.Transport
    _fed: int
    _seen: int

    def __init__(self, house: House) -> None:
        self._most_head = house.limits.header_bytes
        self._most_body = house.limits.body_bytes
        self._parser = httptools.HttpRequestParser(self)
        self._too_much: Reply | None = None
        self._current = False
        """A request has begun and is not there whole."""
        self._plain = -1
        """The sum of marks of a head that need not be looked at: in the beginning none."""
        self._asks_head = False
        """What was refused is a HEAD: its refusal has no content (RFC 9110 section 9.3.2)."""
        self._upgrades = False
        """It asks for another protocol, so that the parser takes all that follows its head for that one."""
        self.loop = house.loop
        self.since_s = self.loop.time()
        """When the present request, or the idle time before it, began."""

    def _feed(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserUpgrade, httptools.HttpParserError) as error:
            self._stopped(data, error)
        if self._current:
            self._unfinished(len(data))

    def _unfinished(self, size: int) -> None:
        """Some bytes have ended within a request. Those of a field only count with its end, those of a chunk extension
        never: so what is fed and gives nothing has the limit of a head, too."""
        seen = self._size + len(self._body)
        if seen != self._seen:
            self._seen = seen
            self._fed = 0
        else:
            self._fed += size
            if self._fed > self._most_head:
                self._refuse(self._large())

    def _stopped(self, data: bytes, error: Exception) -> None:
        """An Upgrade that is not understood is ignored (RFC 9110 section 7.8): a new parser reads the same request
        without it, and so its body too. Anything else is the end."""
        while self._upgrades and isinstance(error, httptools.HttpParserUpgrade):
            data = self._without_upgrade() + data[error.args[0] :]
            try:
                self._parser.feed_data(data)
            except (httptools.HttpParserUpgrade, httptools.HttpParserError) as another:
                error = another
            else:
                return
        if self._too_much is None and self._parser.get_http_version() == "2.0":
            self._too_much = NO_SUCH_VERSION
        self._refuse(self._too_much or problem(400, "not_http", f"This is not an HTTP/1.1 request: {error}."))

    def _without_upgrade(self) -> bytes:
        parser = self._parser
        self._upgrades = False
        self._parser = httptools.HttpRequestParser(self)
        return without_upgrade(parser.get_method(), self._target, parser.get_http_version(), self._headers)

    # What the parser calls, in order.

    def on_message_begin(self) -> None:
        self._target = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: bytes | bytearray = b""
        self._size = 0
        self._marks = 0
        self._fields: int | None = None
        self._seen = -1
        self._current = True
        self.since_s = self.loop.time()

    def on_url(self, url: bytes) -> None:
        self._target += url
        self._size += len(url)
        if self._size > self._most_head:
            self._stop(self._large())

    def on_header(self, name: bytes, value: bytes) -> None:
        size = len(name)
        self._headers.append((name, value))
        self._size += size + len(value)
        if self._size > self._most_head:
            self._stop(self._large())
        if size < 8:
            self._marks += MARKS.get(name.lower(), 0)

    def _large(self) -> Reply:
        return problem(431, "headers_too_large", f"The header section may have {self._most_head} bytes.")

    def on_headers_complete(self) -> None:
        if self._marks != self._plain or self._target[0] != SLASH or self._parser.get_http_version() != "1.1":
            self._look()

    def _look(self) -> None:
        """At a head that is not plain, or is the first of its connection."""
        version = self._parser.get_http_version()
        if version not in ("1.1", "1.0"):
            self._stop(NO_SUCH_VERSION)
        self._plain = PLAIN
        hosts = count(self._headers, b"host")
        if hosts > 1 or (not hosts and version == "1.1"):
            self._stop(problem(400, "host_invalid", f"A request has one Host field, this one has {hosts}: send one."))
        self._target = origin_form(self._target)
        self._upgrades = self._parser.should_upgrade() and self._parser.get_method() != b"CONNECT"
        if version == "1.1" and not self._upgrades and count(self._headers, b"expect", b"100-continue"):
            if stated_size(self._headers) > self._most_body:
                self._stop(self._large_body())  # instead of asking for it (RFC 9110 section 10.1.1)
            self._continue()

    def on_chunk_header(self) -> None:
        """Fields that come from now on are trailers, which are no header fields (RFC 9110 section 6.5.1).

        At the first chunk: a body that is compressed as well would be taken for what it says (RFC 9112 section 6.1).
        """
        if self._fields is None:
            self._fields = len(self._headers)
            if not count(self._headers, b"transfer-encoding", b"chunked"):
                self._stop(OTHER_CODING)
            if self._parser.get_http_version() == "1.0":
                self._stop(CHUNKS_IN_1_0)

    def _continue(self) -> None:
        """The peer waits until it may send the body."""
        raise NotImplementedError

    def on_body(self, body: bytes) -> None:
        if not self._body:
            self._body = body
        elif type(self._body) is bytes:
            self._body = bytearray(self._body + body)  # a body in many chunks must not be copied with each
        else:
            self._body += body
        if len(self._body) > self._most_body:
            self._stop(self._large_body())

    def _large_body(self) -> Reply:
        return problem(413, "body_too_large", f"A request body may have {self._most_body} bytes.")

    def _stop(self, refusal: Reply) -> None:
        """Ends the parsing from inside a callback; `data_received` answers with the refusal."""
        self._too_much = refusal
        raise ValueError(refusal.body["detail"])

    def _method(self, name: bytes) -> str:
        """Of a request that has one of the rarer methods."""
        if name == b"CONNECT":
            self._stop(problem(501, "no_tunnels", "This is no proxy and makes no tunnels: send plain requests."))
        return name.decode("latin-1")

    def _refuse(self, reply: Reply) -> None:
        """Answer what cannot be read as a request, and close: where it ends is not known."""
        raise NotImplementedError
