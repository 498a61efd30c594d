"""Requests to calls and replies to responses, without any HTTP library."""

import json
from string import ascii_letters, digits
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faultlab.core.actions import Reply
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.profiles import PROFILES
from faultlab.core.tools import Toolset, tool
from faultlab.core.world import World
from faultlab.toolsets.shop import SHOP
from faultlab.transports.codec import _ESCAPED, Asked, decode, encode
from faultlab.transports.keys import unquoted

JSON = (b"Content-Type", b"application/json")
NONE = PROFILES["none"]


def ask(
    method: str, target: str, body: Any = b"", *headers: tuple[bytes, bytes], contract: Contract = NONE
) -> Asked | Reply:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return decode(method, target.encode(), [JSON, *headers], raw, SHOP, contract)


def refused(answer: Asked | Reply) -> tuple[int, str]:
    assert isinstance(answer, Reply)
    assert answer.body["status"] == answer.status
    return answer.status, answer.body["detail"]


def test_a_tool_by_its_name() -> None:
    asked = ask(
        "POST",
        "/tools/refund_order",
        {"order_id": "A17", "amount": "40.00", "reference": "r-1"},
        (b"IDEMPOTENCY-KEY", b"k-1"),
        (b"if-match", b'"3"'),
    )
    assert asked == Asked("refund_order", {"order_id": "A17", "amount": "40.00"}, "k-1", "r-1", '"3"')


def test_a_read_has_neither_key_nor_reference() -> None:
    asked = ask("POST", "/tools/get_order", {"order_id": "A17", "reference": "r"}, (b"Idempotency-Key", b"k"))
    assert asked == Asked("get_order", {"order_id": "A17", "reference": "r"})  # the server refuses the argument


@pytest.mark.parametrize(
    ("method", "target", "body", "expected"),
    [
        ("GET", "/v1/orders/A17", b"", Asked("get_order", {"order_id": "A17"})),
        ("GET", "/v1/orders/A%2F17%20%C3%A9", b"", Asked("get_order", {"order_id": "A/17 é"})),
        ("GET", "/v1/orders/A17/refunds", b"", Asked("list_refunds", {"order_id": "A17"})),
        ("GET", "/v1/orders?customer=C1&item=a%20mug", b"", Asked("list_orders", {"customer": "C1", "item": "a mug"})),
        ("GET", "/v1/orders?customer=&item=mug", b"", Asked("list_orders", {"customer": "", "item": "mug"})),
        ("GET", "/v1/%6frders/%41%317", b"", Asked("get_order", {"order_id": "A17"})),
        ("GET", "/v1/orders/A%2517", b"", Asked("get_order", {"order_id": "A%17"})),
        ("HEAD", "/v1/orders/A17", b"", Asked("get_order", {"order_id": "A17"})),
        ("GET", "/v1/accounts/C1", b"", Asked("get_balance", {"account": "C1"})),
        ("POST", "/v1/refunds", {"order_id": "A17"}, Asked("refund_order", {"order_id": "A17"})),
        ("POST", "/v1/reversals", {"order_id": "A17"}, Asked("reverse_refund", {"order_id": "A17"})),
        ("POST", "/v1/orders", {"item": "mug"}, Asked("place_order", {"item": "mug"})),
    ],
)
def test_every_shop_tool_has_a_route(method: str, target: str, body: Any, expected: Asked) -> None:
    assert ask(method, target, body) == expected
    assert all(item.route for item in SHOP.tools.values())


@given(st.text("abc7-._~%/?#[]@!$&'()*+,;= é", min_size=1), st.data())
def test_whatever_is_escaped_a_path_is_the_same(order: str, data: st.DataObject) -> None:
    plain = ["v1", "orders", order]
    escaped = [[f"%{ord(letter):02x}" if data.draw(st.booleans()) else letter for letter in part] for part in plain[:2]]
    target = "/" + "/".join(["".join(part) for part in escaped] + [quote(order, safe="")])
    assert ask("GET", target) == Asked("get_order", {"order_id": order})
    assert ask("POST", "".join([*"/tools/", f"%{ord('g'):02X}", "et_order"]), {}) == Asked("get_order", {})


def test_only_what_needs_no_escape_is_equal_to_it() -> None:
    unreserved = {ord(letter) for letter in f"{ascii_letters}{digits}-._~"}
    for form in ("%{:02x}", "%{:02X}"):
        assert {code for code in range(256) if _ESCAPED.fullmatch(form.format(code))} == unreserved
    assert refused(ask("GET", "/v1%2Forders/A17"))[0] == 404


@tool(route="GET /v1/rows/{size}")
def get_rows(world: World, size: int, ratio: float, whole: bool, kind: str = "") -> dict[str, Any]:
    """Read rows."""
    return {}


@tool(route="POST /v1/rows")
def add_rows(world: World, tags: list[int], size: int = 0) -> dict[str, Any]:
    """Add rows."""
    return {}


@tool(route="GET /v1/rows/newest")
def get_newest(world: World) -> dict[str, Any]:
    """Read the newest row."""
    return {}


def test_texts_of_a_path_and_query_become_what_the_schema_says() -> None:
    rows = Toolset.of("rows", get_rows, get_newest)

    def asked(target: bytes) -> Asked | Reply:
        return decode("GET", target, [], b"", rows, NONE)

    wanted = {"ratio": 0.5, "whole": True, "kind": "7", "size": 10}
    assert asked(b"/v1/rows/10?ratio=0.5&whole=true&kind=7") == Asked("get_rows", wanted)
    assert asked(b"/v1/rows/ten?whole=yes") == Asked("get_rows", {"size": "ten", "whole": "yes"})
    assert asked(b"/v1/rows/newest") == Asked("get_newest", {})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('"\\ud800"', "surrogates not allowed"),
        ("1e999", "beyond the range of a number"),
        ("NaN", "NaN is not JSON"),
        ("[" * 101 + "]" * 101, "nested more than 100 deep"),
        ("[" * 20_000, "nested more than 100 deep"),
    ],
)
def test_json_in_a_form_query_or_path_is_held_to_the_same_limits(text: str, says: str) -> None:
    rows, form = Toolset.of("rows", get_rows, add_rows), [(b"content-type", b"application/x-www-form-urlencoded")]
    quoted = quote(text, safe="").encode()
    for answer in (
        decode("POST", b"/v1/rows", form, b"tags=" + quoted, rows, NONE),
        decode("POST", b"/tools/add_rows", form, b"tags[]=1&tags[]=" + quoted, rows, NONE),
        decode("GET", b"/v1/rows/1?ratio=" + quoted, [], b"", rows, NONE),
        decode("GET", b"/v1/rows/" + quoted, [], b"", rows, NONE),
    ):
        status, detail = refused(answer)
        assert status == 400 and says in detail


@pytest.mark.parametrize(
    ("method", "target", "status", "says"),
    [
        ("POST", "/tools/refund", 404, "There is no tool 'refund'. Tools: get_order, list_refunds"),
        (
            "POST",
            "/refunds",
            404,
            "Nothing is at /refunds. Every tool is at POST /tools/NAME. Routes: POST /v1/refunds",
        ),
        ("GET", "/v1/orders/", 404, "Nothing is at /v1/orders/"),
        ("HEAD", "/tools/get_order", 405, "HEAD is not allowed at /tools/get_order; use POST."),
        ("HEAD", "/v1/refunds", 405, "HEAD is not allowed at /v1/refunds; use POST."),
        ("GET", "/tools/get_order", 405, "GET is not allowed at /tools/get_order; use POST."),
        ("DELETE", "/v1/orders", 405, "DELETE is not allowed at /v1/orders; use GET, POST."),
    ],
)
def test_a_wrong_address_is_answered_with_the_right_ones(method: str, target: str, status: int, says: str) -> None:
    answer = ask(method, target)
    got, detail = refused(answer)
    assert got == status
    assert says in detail or all(part in detail for part in says.split(" Routes: "))
    if status == 405:
        assert isinstance(answer, Reply)
        assert answer.headers == {"allow": detail.rpartition("use ")[2].rstrip(".")}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "not JSON"),
        (b'{"amount": NaN}', "NaN is not JSON"),
        (b"[" * 100_000, "not JSON: lists and objects are nested more than 100 deep"),
        (b'{"amount": %s1%s}' % (b"[" * 100, b"]" * 100), "nested more than 100 deep"),
        (b'{"amount": 1e999}', "1e999 is beyond the range of a number"),
        (b'{"amount": [-%s.0]}' % (b"9" * 400), "is beyond the range of a number"),
        (b'{"order_id": "\xff"}', "not UTF-8"),
        (b'{"order_id": "\\ud800"}', "not UTF-8"),
        (b'["A17"]', "must be a JSON object"),
        (b'{"reference": 5}', "reference must be a string, not 5"),
    ],
)
def test_a_wrong_body_is_a_400_that_says_why(body: bytes, says: str) -> None:
    status, detail = refused(ask("POST", "/tools/refund_order", body))
    assert status == 400
    assert says in detail


def test_a_body_that_is_no_json_at_all() -> None:
    text = (b"content-type", b"text/plain")
    answer = decode("POST", b"/v1/refunds", [text], b"order_id=A17", SHOP, NONE)
    known = "application/json or application/x-www-form-urlencoded"
    assert refused(answer) == (415, f"The body is text/plain; send {known}.")


def test_what_counts_as_json() -> None:
    for kind in (b"application/json; charset=utf-8", b"application/merge-patch+json", b"APPLICATION/JSON"):
        answer = decode("POST", b"/v1/refunds", [(b"content-type", kind)], b'{"order_id": "A17"}', SHOP, NONE)
        assert answer == Asked("refund_order", {"order_id": "A17"})
    assert decode("POST", b"/v1/refunds", [], b"", SHOP, NONE) == Asked("refund_order", {})
    pair = b'{"order_id": "\\ud83d\\ude00"}'
    assert decode("POST", b"/v1/refunds", [], pair, SHOP, NONE) == Asked("refund_order", {"order_id": "\U0001f600"})


@pytest.mark.parametrize(
    ("rule", "header", "key"),
    [
        ("either", "k-1", "k-1"),
        ("either", '"k-1"', "k-1"),
        ("either", r'"a\"b\\c"', r'a"b\c'),
        ("either", '"k', '"k'),
        ("either", r'"k\n"', r'"k\n"'),
        ("either", '""', ""),
        ("never", '"k-1"', '"k-1"'),
        ("never", "k-1", "k-1"),
        ("required", '"k-1"', "k-1"),
        ("required", "k-1", None),
        ("required", '"a"b"', None),
        ("either", '"abc";a=1', "abc"),
        ("required", r'"a\"c"; a; b="x\";"; c=?1; d=:aGk=:; e=t/1; f=-1.5; *g=@0', 'a"c'),
        ("either", '"";a', ""),
        ("either", '"a", "b"', None),
        ("either", '"a";x=1,"b"', None),
        ("required", '"a", "b"', None),
        ("required", '"a";A=1', None),
        ("required", '"a" ;a', None),
        ("never", '"a", "b"', '"a", "b"'),
    ],
)
def test_the_quotes_of_a_key(rule: Any, header: str, key: str | None) -> None:
    contract = Contract(name="x", key=KeyRules(quoted=rule))
    answer = ask("POST", "/v1/refunds", {}, (b"Idempotency-Key", header.encode()), contract=contract)
    if key is None:
        status, detail = refused(answer)
        assert (status, header in detail) == (400, True)
    else:
        assert answer == Asked("refund_order", {}, key)


@given(st.text(), st.sampled_from(["", ";a", "; a=1;b=?0"]))
@example('\\"', "")
def test_every_text_can_be_quoted(key: str, parameters: str) -> None:
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    assert unquoted(f'"{quoted}"{parameters}') == key
    assert unquoted(f'"{quoted}", "b"') is None


def test_a_key_that_stands_twice() -> None:
    twice = [(b"Idempotency-Key", b"k-1"), (b"idempotency-key", b"k-1")]
    assert refused(ask("POST", "/v1/refunds", {}, *twice)) == (400, "The Idempotency-Key header stands twice.")


def test_a_reply_as_bytes() -> None:
    status, headers, body = encode(Reply(200, {"id": "é", "n": 1.5}, {"retry-after": "3"}))
    assert status == 200
    assert json.loads(body) == {"id": "é", "n": 1.5}
    assert dict(headers) == {
        b"content-type": b"application/json",
        b"content-length": str(len(body)).encode(),
        b"retry-after": b"3",
    }


def test_a_problem_has_its_own_media_type_and_a_vendors_error_has_not() -> None:
    answer = ask("POST", "/nowhere")
    assert isinstance(answer, Reply)
    assert dict(encode(answer).headers)[b"content-type"] == b"application/problem+json"
    vendor = encode(Reply(400, {"error": {"type": "idempotency_error"}}))
    assert dict(vendor.headers)[b"content-type"] == b"application/json"


def test_headers_of_one_reply_do_not_leak_into_the_next() -> None:
    encode(Reply(409, {"a": 1}, {"retry-after": "1"}))
    assert b"retry-after" not in dict(encode(Reply(409, {"a": 1})).headers)
