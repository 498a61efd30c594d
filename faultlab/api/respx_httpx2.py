"""Lets respx intercept httpx2: `respx.mock(using=HTTPX2)`.

respx knows httpx alone: routes get httpx requests and give httpx responses. This translates at httpcore2, below
httpx2, and turns the exceptions of routes and labs into those that httpx2 knows.
"""

# respx's own methods bear no types.
# mypy: disable-error-code="no-untyped-call"

from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import httpcore2
import httpx
from respx.mocks import HTTPCoreMocker

HTTPX2 = "httpx2"
"""The name by which respx knows it."""


class _Translated:
    """A body whose exceptions are httpcore2's."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        except httpx.HTTPError as error:
            raise _translated(error) from error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._stream:
                yield part
        except httpx.HTTPError as error:
            raise _translated(error) from error


def _translated(error: httpx.HTTPError) -> Exception:
    """httpx names its exceptions as httpcore2 does, except for what has no counterpart below it."""
    kind = getattr(httpcore2, type(error).__name__, None)
    return error if kind is None else kind(str(error))


class Httpx2Mocker(HTTPCoreMocker):
    """respx's own mocker for httpcore, one package further."""

    name = HTTPX2
    targets: ClassVar[list[str]] = [target.replace("httpcore.", "httpcore2.") for target in HTTPCoreMocker.targets]

    @classmethod
    def _send_sync_request(cls, httpx_request: Any, **kwargs: Any) -> Any:
        try:
            return super()._send_sync_request(httpx_request, **kwargs)
        except httpx.HTTPError as error:
            raise _translated(error) from error

    @classmethod
    async def _send_async_request(cls, httpx_request: Any, **kwargs: Any) -> Any:
        try:
            return await super()._send_async_request(httpx_request, **kwargs)
        except httpx.HTTPError as error:
            raise _translated(error) from error

    @classmethod
    def from_sync_httpx_response(cls, httpx_response: Any, target: Any, **kwargs: Any) -> Any:
        return httpcore2.Response(
            status=httpx_response.status_code,
            headers=httpx_response.headers.raw,
            content=_Translated(httpx_response.stream),
            extensions=httpx_response.extensions,
        )
