"""Every exception of httpx and httpx2, and every status, has a decided outcome."""

import asyncio
import importlib
import inspect

import pytest

from faultlab.core.outcome import handle_of, outcome_of_error, outcome_of_exception, outcome_of_response
from faultlab.core.records import Outcome

# Raised before a byte of the request can have left.
NEVER_LEFT = {"ConnectError", "ConnectTimeout", "InvalidURL", "PoolTimeout", "UnsupportedProtocol"}

# Decided, with the reason: bytes may have left, or the name alone does not say.
UNKNOWN = {
    "CloseError": "the request was sent before the connection was closed",
    "CookieConflict": "raised when cookies of an answer are read",
    "DecodingError": "a body came that does not decode",
    "HTTPError": "base class",
    "HTTPStatusError": "the status decides, not the exception",
    "LocalProtocolError": "may come in the middle of a request",
    "NetworkError": "base class",
    "ProtocolError": "base class",
    "ProxyError": "the proxy may have passed the request on",
    "ReadError": "bytes have left",
    "ReadTimeout": "bytes have left",
    "RemoteProtocolError": "bytes have left",
    "RequestError": "base class",
    "RequestNotRead": "says nothing about the wire",
    "ResponseNotRead": "an answer came whose body nobody read",
    "SSEError": "an event stream came that breaks its format",
    "StreamClosed": "an answer came whose body nobody read",
    "StreamConsumed": "says nothing about the wire",
    "StreamError": "base class",
    "TimeoutException": "base class",
    "TooManyRedirects": "a redirected write may have been carried out on the way",
    "TransportError": "base class",
    "WriteError": "bytes may have left",
    "WriteTimeout": "bytes may have left",
}


def exceptions_of(package: str) -> dict[str, type[BaseException]]:
    """Every exception class that the package shows, and every one of its own below those."""
    module = importlib.import_module(package)
    found: dict[str, type[BaseException]] = {}
    queue = [item for _, item in inspect.getmembers(module, inspect.isclass) if issubclass(item, BaseException)]
    while queue:
        kind = queue.pop()
        if kind.__module__.partition(".")[0] == package:
            found[kind.__name__] = kind
            queue += kind.__subclasses__()
    return found


@pytest.mark.parametrize("package", ["httpx", "httpx2"])
def test_every_exception_is_decided(package: str) -> None:
    found = exceptions_of(package)
    assert len(found) >= len(NEVER_LEFT) + 15  # the walk has found the tree
    assert set(found) <= NEVER_LEFT | set(UNKNOWN), "a new exception: decide what it proves"
    for name, kind in found.items():
        error = kind.__new__(kind)  # constructors differ; only the class counts
        expected = Outcome.NOT_APPLIED if name in NEVER_LEFT else Outcome.UNKNOWN
        assert outcome_of_exception(error) is expected, name
        assert outcome_of_error(name) is expected, name


def test_no_decision_is_left_over() -> None:
    assert set(UNKNOWN) <= set(exceptions_of("httpx")) | set(exceptions_of("httpx2"))


def test_a_name_alone_is_not_enough() -> None:
    stranger = type("ConnectError", (Exception,), {"__module__": "somewhere.else"})
    heir = type("MyConnectError", (exceptions_of("httpx")["ConnectError"],), {"__module__": "agent"})
    assert outcome_of_exception(stranger()) is Outcome.UNKNOWN
    assert outcome_of_exception(heir("refused")) is Outcome.NOT_APPLIED


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyboardInterrupt(), TimeoutError(), OSError()])
def test_what_no_library_raises_is_unknown(error: BaseException) -> None:
    assert outcome_of_exception(error) is Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # As httpcore gives h2's events on Python 3.11 and later, where an IntEnum prints as its number.
        ("<StreamReset stream_id:1, error_code:7, remote_reset:True>", Outcome.NOT_APPLIED),
        ("<StreamReset stream_id:1, error_code:ErrorCodes.REFUSED_STREAM, remote_reset:True>", Outcome.NOT_APPLIED),
        ("<StreamReset stream_id:7, error_code:8, remote_reset:True>", Outcome.UNKNOWN),
        ("<StreamReset stream_id:1, error_code:77, remote_reset:True>", Outcome.UNKNOWN),
        ("<ConnectionTerminated error_code:7, last_stream_id:1, additional_data:None>", Outcome.UNKNOWN),
    ],
)
def test_a_refused_stream_was_not_processed(text: str, expected: Outcome) -> None:
    kind = exceptions_of("httpx")["RemoteProtocolError"]
    assert outcome_of_exception(kind(text)) is expected


def expected_of(status: int) -> Outcome:
    """SEMANTICS 2, read as ranges."""
    if 200 <= status < 300 and status != 202:
        return Outcome.APPLIED
    if 400 <= status < 500 and status not in (408, 499):
        return Outcome.NOT_APPLIED
    return Outcome.UNKNOWN


@pytest.mark.parametrize("status", range(100, 600))
def test_every_status_is_decided(status: int) -> None:
    assert outcome_of_response(status, {}) is expected_of(status)


@pytest.mark.parametrize("status", range(100, 600))
def test_a_contract_may_say_that_a_status_precedes_every_effect(status: int) -> None:
    assert outcome_of_response(status, {}, rejects_before_effect={status}) is Outcome.NOT_APPLIED


def test_what_a_body_changes() -> None:
    assert outcome_of_response(200, "garbage", fits=False) is Outcome.UNKNOWN
    assert outcome_of_response(200, {}, provisional=True) is Outcome.UNKNOWN
    assert outcome_of_response(200, {}, redirected_write=True) is Outcome.UNKNOWN
    assert outcome_of_response(200, {"ok": False}) is Outcome.APPLIED
    assert outcome_of_response(200, {"ok": False}, ok_declared=True) is Outcome.NOT_APPLIED
    assert outcome_of_response(409, {"code": "in_flight"}) is Outcome.UNKNOWN
    assert outcome_of_response(409, {"error": {"code": "idempotency_key_in_use"}}) is Outcome.UNKNOWN
    assert outcome_of_response(409, {"code": "conflict"}) is Outcome.NOT_APPLIED


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (409, {"code": "in_flight"}),
        (409, {"error": {"code": "idempotency_key_in_use"}}),
        (400, {"__type": "com.amazonaws.dynamodb.v20120810#TransactionInProgressException"}),
        (409, {"Errors": [{"Code": "RequestInProgress"}]}),
        (422, {"errorCode": "704"}),
        (409, {"errorType": "IdempotencyAlreadyInProgressError"}),
    ],
)
def test_a_request_in_flight_is_known_by_each_vendors_name(status: int, body: object) -> None:
    assert outcome_of_response(status, body) is Outcome.UNKNOWN
    assert outcome_of_response(status, {}) is Outcome.NOT_APPLIED


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([{"status": 201}, {"status": 200}], Outcome.APPLIED),
        ([{"status": 422}, {"status": 404}], Outcome.NOT_APPLIED),
        ([{"status": 201}, {"status": 422}], Outcome.UNKNOWN),
        ([{"status": 503}], Outcome.UNKNOWN),
        ([{"status": 202}], Outcome.UNKNOWN),
        ([{}], Outcome.UNKNOWN),
        ([], Outcome.UNKNOWN),
        ("garbage", Outcome.UNKNOWN),
    ],
)
def test_a_207_is_what_its_items_agree_on(items: object, expected: Outcome) -> None:
    assert outcome_of_response(207, {"items": items}) is expected


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_settles_nothing_and_neither_does_what_came_after_one(status: int) -> None:
    assert outcome_of_response(status, {}) is Outcome.UNKNOWN
    assert outcome_of_response(200, {}, redirected_write=True) is Outcome.UNKNOWN


def test_an_accepted_request_may_name_its_monitor() -> None:
    assert handle_of(202, {"operation": "job-7"}) == "job-7"
    for status, body in ((202, {}), (202, {"operation": 7}), (202, None), (404, {"operation": "job-7"}), (None, {})):
        assert handle_of(status, body) is None
