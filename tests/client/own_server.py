"""A server on a socket of its own: it notes each request, and answers as the test says, or cuts the connection."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple


class Seen(NamedTuple):
    """A request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


Answer = tuple[int, Mapping[str, str], bytes]


class OwnServer:
    """`answer(seen)`; None: the connection is cut."""

    def __init__(self, answer: Callable[[Seen], Answer | None]) -> None:
        self.answer = answer
        self.seen: list[Seen] = []
        self.url = ""

    @property
    def paths(self) -> list[str]:
        return [item.path for item in self.seen]

    @property
    def keys(self) -> list[str | None]:
        return [item.headers.get("idempotency-key") for item in self.seen]


@contextmanager
def serving(answer: Callable[[Seen], Answer | None]) -> Iterator[OwnServer]:
    server = OwnServer(answer)

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            named = {name.lower(): value for name, value in self.headers.items()}
            seen = Seen(self.command, self.path, named, body)
            server.seen.append(seen)
            if (answer := server.answer(seen)) is None:
                self.close_connection = True
                return
            status, headers, content = answer
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content)), "Connection": "close"}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _take  # noqa: N815 - named by the library

        def log_message(self, *_: Any) -> None:
            pass

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{listener.server_address[1]}"
    thread = Thread(target=listener.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()
