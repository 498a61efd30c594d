"""A request about the attempt: its task, a question, its claim. It passes the gate like a call; no fault strikes it."""

from collections.abc import Callable
from typing import Protocol

from faultlab.core.actions import Reply
from faultlab.engine.session import Session
from faultlab.transports.codec import encode
from faultlab.transports.wire.exchange import Peer
from faultlab.transports.wire.responses import whole
from faultlab.transports.wire.speech import Request


class Underway(Protocol):
    """What a connection is busy with."""

    def gone(self) -> bool:
        """The peer sends no more, and may have left, before it had an answer. Whether one may still come."""


class Beside:
    """Answers one request. A claim ends its attempt durably: its answer comes after that."""

    __slots__ = ("_answer", "_peer", "_reply", "_request")

    def __init__(self, answer: Callable[[Session, Request], Reply], request: Request, peer: Peer) -> None:
        self._answer = answer
        self._request = request
        self._peer = peer
        self._reply: Reply | None = None

    def enter(self, session: Session) -> None:
        self._peer.gate.enter(session, lambda: self._work(session), self._release)

    def _work(self, session: Session) -> None:
        self._reply = self._answer(session, self._request)

    def _release(self) -> None:
        peer, keep = self._peer, self._request.keep_alive and self._reply is not None
        if self._reply is not None and not peer.transport.is_closing():
            peer.transport.write(whole(encode(self._reply), close=not keep, bodyless=self._request.method == "HEAD"))
        peer.answered(keep)

    def gone(self) -> bool:
        """Nothing is to be taken back: what it asked for happens."""
        return True
