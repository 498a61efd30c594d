"""A connection on which nothing more is said, and its peer is still listened to."""

import asyncio


class Halved:
    """A transport whose writing side is shut: what is written is lost. All else is as it was."""

    def __init__(self, transport: asyncio.Transport) -> None:
        transport.write_eof()
        self._transport = transport

    def write(self, data: bytes) -> None:
        """It is lost."""

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)
