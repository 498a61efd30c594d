"""client: an httpx or httpx2 client whose unsafe requests are operations: a transport around each of its transports.

Its caller sees what a bare client would have given: the response, or the library's own exception. Responses of
operations are read whole, for half a response proves nothing.
"""

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple

from faultlab.client.answers import SAFE, HttpAnswer, receipt_of
from faultlab.client.http_headers import carried, missing, place, secrets
from faultlab.client.http_messages import PASS, SOURCE, First, as_first, as_text, keyed, packed, rebuilt, request_again
from faultlab.client.leaving import HeaderMissing
from faultlab.client.result import Result
from faultlab.client.tool_spec import ToolSpec, contract_from
from faultlab.core.canonical import digest
from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.core.multipart import steady
from faultlab.core.records import Outcome
from faultlab.records.journal_rows import OperationRow

Do = Callable[[ToolSpec, OperationRow], Result]
Ado = Callable[[ToolSpec, OperationRow], Awaitable[Result]]
NewRow = Callable[[Mapping[str, Any], str | None, str], OperationRow]


class Exchange:
    """One request of the wrapped client on its way, and what really came back for it."""

    def __init__(self, request: Any, contract: Contract) -> None:
        self.request = request
        self.contract = contract
        self.response: Any = None
        self.error: Exception | None = None
        self.redirected = False
        """The last response is a redirect, and the answer."""

    def to_send(self, sent: First, key: str | None) -> Any:
        self.response = self.error = None
        return keyed(as_first(self.request, sent), self.contract.key, key)

    def failed(self, error: Exception) -> Exception:
        self.error = error
        return error

    def take(self, response: Any, *, sent_before: bool) -> dict[str, Any]:
        """A redirect is what came of a request: it is kept, and given again. Whatever the client makes of it is an
        operation of its own. After a send of unknown outcome, in whichever life, it says nothing about that one."""
        self.response = response
        self.redirected = response.has_redirect_location and not sent_before
        if self.redirected:
            return packed(response)
        return result_in(response, self.contract)

    def given(self, library: Any, result: Result) -> Any:
        """What the caller gets: what came last, or what the journal or a query has; else the library's exception."""
        if self.response is not None and self._answers(result):
            self.response.extensions = {**self.response.extensions, SOURCE: result}
            return self.response
        if (stored := rebuilt(library, self.request, result)) is not None:
            return stored
        text = "no request was sent now: it was handed over before"
        error = self.error or library.ReadTimeout(text, request=self.request)
        error.add_note(result.for_model())
        raise error

    def _answers(self, result: Result) -> bool:
        """The last response is the answer. A redirect of unknown outcome is none: the client would follow it, and send
        what may have been done already."""
        if self.response.has_redirect_location:
            return self.redirected
        return result.outcome is not Outcome.APPLIED or bool(self.response.is_success)


def result_in(response: Any, contract: Contract) -> dict[str, Any]:
    """A complete response that is a result, as the journal keeps it. Raises HttpAnswer for any other."""
    receipt = receipt_of(response.status_code, response.headers, response.content, contract)
    if receipt.outcome is not Outcome.APPLIED:
        raise HttpAnswer(response)
    return packed(response)


class Wrapped(NamedTuple):
    """A client that is ready to be wrapped: its tool, and the way into it."""

    spec: ToolSpec
    connect: Callable[[Do, Ado, NewRow], None]


def wrapped(
    http: Any, *, name: str, contract: Contract | str | Mapping[str, Any], query: Callable[..., Any] | None
) -> Wrapped:
    """Prepare a client. BadInput: it is none of httpx or httpx2, or the contract cannot be kept for it."""
    loaded = (sys.modules[item] for item in ("httpx", "httpx2") if item in sys.modules)
    library: Any = next((item for item in loaded if isinstance(http, item.Client | item.AsyncClient)), None)
    if library is None:
        raise BadInput(f"wrap() takes a Client or AsyncClient of httpx or httpx2, not {type(http).__name__}")
    terms = contract_from(contract)
    if terms.key is not None and terms.key.first_sent_header is not None:
        raise BadInput(f"wrap() cannot send {terms.key.first_sent_header}; guard a function that does")
    spec = ToolSpec(
        name=name,
        function=_again(http, terms, library.AsyncClient),
        contract=terms,
        identity=("method", "url", "digest"),
        query=query,
        identity_is_all=True,
    ).checked()

    def connect(do: Do, ado: Ado, new: NewRow) -> None:
        transport = _transport(library, spec, do, ado, lambda request, content: _row(new, http, request, content))
        http._transport = transport(http._transport)
        http._mounts = {pattern: item and transport(item) for pattern, item in http._mounts.items()}

    return Wrapped(spec, connect)


def _transport(
    library: Any, spec: ToolSpec, do: Do, ado: Ado, row_of: Callable[[Any, bytes], OperationRow]
) -> Callable[[Any], Any]:
    """The class of transports for one wrapped client, of either library. A function that sends takes what `_again`
    does; method and URL are in the request at hand already."""

    class Operations(library.BaseTransport, library.AsyncBaseTransport):  # type: ignore[misc]  # depends on `library`
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        def handle_request(self, request: Any) -> Any:
            if _passes(spec.name, request):
                return self._inner.handle_request(request)
            row = row_of(request, request.read())
            exchange = Exchange(request, spec.contract)

            def send(*, sent_before: bool, idempotency_key: str | None = None, **args: Any) -> Any:
                try:
                    outgoing = exchange.to_send(_first(args), idempotency_key)
                    response = self._inner.handle_request(outgoing)
                    response.read()
                except Exception as error:  # noqa: BLE001 - kept for the caller, and raised
                    raise exchange.failed(error) from None
                return exchange.take(response, sent_before=sent_before)

            return exchange.given(library, do(spec.calling(send), row))

        async def handle_async_request(self, request: Any) -> Any:
            if _passes(spec.name, request):
                return await self._inner.handle_async_request(request)
            row = row_of(request, await request.aread())
            exchange = Exchange(request, spec.contract)

            async def send(*, sent_before: bool, idempotency_key: str | None = None, **args: Any) -> Any:
                try:
                    outgoing = exchange.to_send(_first(args), idempotency_key)
                    response = await self._inner.handle_async_request(outgoing)
                    await response.aread()
                except Exception as error:  # noqa: BLE001 - kept for the caller, and raised
                    raise exchange.failed(error) from None
                return exchange.take(response, sent_before=sent_before)

            return exchange.given(library, await ado(spec.calling(send), row))

        def close(self) -> None:
            self._inner.close()

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Operations


def _first(args: Mapping[str, Any]) -> First:
    return First(args["body"], args["content_type"], args.get("headers"), args.get("secrets", ()))


def _passes(tool: str, request: Any) -> bool:
    """It asks for no change, or belongs to an operation already. HeaderMissing: that had a secret, and this has not."""
    if request.method not in SAFE and (lacks := missing(request, request.extensions.get(PASS, ()))):
        raise HeaderMissing(
            tool,
            f"{', '.join(lacks)} came with the first request, and secrets are not kept: give it to the client and call "
            "reconcile() again, or make the request again",
        )
    return request.method in SAFE or PASS in request.extensions


def _row(new: NewRow, http: Any, request: Any, content: bytes) -> OperationRow:
    content_type, headers = request.headers.get("content-type", ""), carried(request)
    same = as_text(steady(content_type, content))
    where = place(headers)
    args = {
        "method": request.method,
        "url": str(request.url),
        "digest": digest([same, where] if where else same),
        "body": as_text(content),
        "content_type": content_type,
        "headers": headers,
        "secrets": secrets(request, http),
    }
    return new(args, request.extensions.get("run"), request.extensions.get("operation", ""))


def _again(http: Any, contract: Contract, asynchronous: type) -> Callable[..., Any]:
    """Sends an operation of an earlier life, with what the client adds to its requests now (authorization). No
    redirect is followed, and none is the answer: nobody is here who would go on with it."""

    def send(
        method: str,
        url: str,
        digest: str,
        body: str,
        content_type: str,
        headers: Mapping[str, str] | None = None,
        secrets: Sequence[str] = (),
        idempotency_key: str = "",
        sent_before: bool = False,
    ) -> Any:
        first = First(body, content_type, headers, secrets)
        request = request_again(http, contract.key, method, url, idempotency_key, first)
        return http.send(request, follow_redirects=False)

    if isinstance(http, asynchronous):

        @wraps(send)
        async def asend(**arguments: Any) -> Any:
            return result_in(await send(**arguments), contract)

        return asend

    @wraps(send)
    def send_now(**arguments: Any) -> Any:
        return result_in(send(**arguments), contract)

    return send_now
