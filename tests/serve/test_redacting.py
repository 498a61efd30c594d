"""No secret of a caller gets to where it would be stored, however it was written; all else arrives as it was sent."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faultlab.engine.session import Session
from faultlab.records.scrub import REDACTED, suspicious
from faultlab.serve.live import Live
from faultlab.serve.order import order_of
from faultlab.serve.redacting import Redacting, redacted, without_secrets
from faultlab.transports.codec import Asked
from faultlab.transports.wire.speech import Request

FORM = (b"content-type", b"application/x-www-form-urlencoded")
SECRET = "sk_live_SECRET99"
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in SECRET)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.text("k_livetoken: ='\"\\@/"),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["password", "api_key", "n"]), inner),
    max_leaves=6,
)


def session(**more: Any) -> Session:
    made = Live("x", order_of({"contract": "strict", "twin": "clean", **more}), 0.0).session
    assert made is not None
    return made


def asked(target: str, body: str, *headers: tuple[bytes, bytes], method: str = "POST") -> Asked:
    answer = Redacting().read(session(), Request(method, target.encode(), headers, body.encode(), True))
    assert isinstance(answer, Asked)
    return answer


@pytest.mark.parametrize(
    ("target", "body", "headers"),
    [
        ("/tools/place_order", f'{{"item": "{SECRET}"}}', ()),
        ("/tools/place_order", f'{{"item": "\\n{SECRET}"}}', ()),
        ("/tools/place_order", f'{{"item": "{ESCAPED}"}}', ()),
        ("/tools/place_order", f'{{"{SECRET}": [{{"a": "{ESCAPED}"}}]}}', ()),
        ("/tools/place_order", '{"item": {"pass\\u0077ord": "SECRET99"}, "cookie": ["SECRET99", 5]}', ()),
        ("/tools/place_order", '{"item": ["Authorization", "SECRET99"]}', ()),
        ("/tools/place_order", urlencode({"item": SECRET}).replace("_", "%5F"), (FORM,)),
        ("/tools/place_order", "api%5Fkey=SECRET99", (FORM,)),
        ("/tools/refund_order", json.dumps({"reference": SECRET}), ((b"idempotency-key", SECRET.encode()),)),
        ("/tools/refund_order", "{}", ((b"if-match", SECRET.encode()),)),
    ],
)
def test_a_secret_is_redacted_however_it_was_written(target: str, body: str, headers: Any) -> None:
    call = asked(target, body, *headers)
    assert "SECRET99" not in str(call) and REDACTED in str(call)


def test_a_secret_in_a_query_or_path() -> None:
    assert "SECRET99" not in str(asked("/v1/orders?item=sk%5Flive%5FSECRET99", "", method="GET"))
    assert "SECRET99" not in str(asked("/v1/orders/sk_liv%65_SECRET99", "", method="GET"))


def test_members_beside_a_secret_stay() -> None:
    args = {"customer": "password: 'x", "item": "Ann's mug", "quantity": 1}
    call = asked("/tools/place_order", json.dumps(args))
    assert call.args == {**args, "customer": f"password: '{REDACTED}'"}


def test_two_keys_that_look_like_secrets_stay_two() -> None:
    one, other = [
        asked("/tools/refund_order", "{}", (b"idempotency-key", key)).key for key in (b"sk_live_AAAA", b"sk_live_BBBB")
    ]
    assert one != other
    claim = Request("POST", b"/claim", (), b'{"hand_over": [{"handle": "sk_live_AAAA"}]}', True)
    assert json.loads(redacted(session(), claim).body)["hand_over"][0]["handle"] == one


def test_a_claim_that_is_no_json_is_left_to_be_refused() -> None:
    request = Request("POST", b"/claim", (), b'{"text": "\xff sk_live_SECRET99', True)
    assert redacted(session(), request) == request


def _plain(value: Any) -> bool:
    return not suspicious(json.dumps(value, ensure_ascii=False))


@given(JSON)
@example({"password": {"type": "string"}, "token": None, "api": "v1"})
def test_json_without_secrets_stays_and_json_stays_json(value: Any) -> None:
    clean = without_secrets(session(), value)
    assert without_secrets(session(), clean) == clean
    assert clean == value or not _plain(value)


@given(JSON, st.sampled_from([SECRET, f" {SECRET}.", f"\n{SECRET}\n", f"a\\{SECRET}"]))
def test_a_text_by_its_shape_is_found_anywhere(value: Any, secret: str) -> None:
    for around in ([value, secret], {"a": secret, "b": value}, [{secret: value}], {"x": [[secret]], "y": value}):
        assert "SECRET99" not in str(without_secrets(session(), json.loads(json.dumps(around))))


def test_a_scenario_that_declares_secrets_keeps_them() -> None:
    kept = session(scenario="poster-fix", contract=None, twin=None)
    assert kept.brief.expectation.secrets
    assert without_secrets(kept, {"password": SECRET}) == {"password": SECRET}
