"""Secrets go, everything else and the JSON around them stays."""

import json
from unittest.mock import ANY

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faultlab.records.scrub import REDACTED, scrub


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Authorization: Bearer abc.def-123", f"Authorization: {REDACTED}"),
        ("authorization=Basic dXNlcjpwYXNz", f"authorization={REDACTED}"),
        ("sent bearer 0123456789abcdef to it", f"sent bearer {REDACTED} to it"),
        ("the key is sk_live_51Habc0 here", f"the key is {REDACTED} here"),
        ("rk_test_51Habc0", REDACTED),
        ("sk-ant-REDACTED", REDACTED),
        ("password=hunter2&user=me", f"password={REDACTED}&user=me"),
        ("{'api_key': 'abc', 'x': 'y'}", f"{{'api_key': '{REDACTED}', 'x': 'y'}}"),
        ("run --api-key abc --seed 7", f"run --api-key {REDACTED} --seed 7"),
        ("run --token=abc --seed 7", f"run --token={REDACTED} --seed 7"),
        ("postgresql://me:hunter2@host/lab", f"postgresql://me:{REDACTED}@host/lab"),
        ('["Cookie", "sid=1; b=2"]', f'["Cookie", "{REDACTED}"]'),
        ('{"password":1234,"n":1}', f'{{"password":"{REDACTED}","n":1}}'),
        ('{"STRIPE_SECRET_KEY":"abc"}', f'{{"STRIPE_SECRET_KEY":"{REDACTED}"}}'),
        (
            '{"access_token":"a","refreshToken":"b"}',
            f'{{"access_token":"{REDACTED}","refreshToken":"{REDACTED}"}}',
        ),
        (
            '{"customer":"password: \'x","item":"Ann\'s mug"}',
            f'{{"customer":"password: \'{REDACTED}\'","item":"Ann\'s mug"}}',
        ),
        ("password='it\\'s' and more", f"password='{REDACTED}' and more"),
    ],
)
def test_a_secret_is_redacted(text: str, clean: str) -> None:
    assert scrub(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        '{"idempotency_key":"k-1","reference":"r-1","key":"k-1"}',
        '{"password":null,"next_page_token":"p2","api":"v1"}',
        '{"password":{"type":"string"}}',
        "task-1 asks me@example.com about http://127.0.0.1:8080/tools/refund_order",
        "a token of thanks, a secret wish",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert scrub(text) == text


@given(secret=st.text(min_size=1), other=st.text())
@example(secret='a"b\\', other='"password"')
@example(secret="\\", other="")
def test_json_stays_json_at_both_depths(secret: str, other: str) -> None:
    body = json.dumps({"n": 1, "password": secret, "after": [2]})
    record = json.dumps({"body": body, "n": 3})
    assert json.loads(scrub(body)) == {"n": 1, "password": REDACTED, "after": [2]}
    outer = json.loads(scrub(record))
    assert outer["n"] == 3
    assert json.loads(outer["body"]) == {"n": 1, "password": REDACTED, "after": [2]}
    json.loads(scrub(json.dumps({"text": other, "more": [other, {other: other}]})))


@given(
    name=st.sampled_from(["password", "api_key", "cookie", "authorization"]),
    sign=st.sampled_from([": ", "=", ':"', "='", ": '"]),
    secret=st.text().map("x{}".format),
    other=st.text("abc' \n\t\\é"),
)
@example(name="password", sign=": '", secret="x", other="Ann's mug")
def test_what_a_text_holds_takes_nothing_from_the_text_after_it(name: str, sign: str, secret: str, other: str) -> None:
    record = {"note": f"{name}{sign}{secret}", "item": other, "n": 1}
    assert json.loads(scrub(json.dumps(record))) == {**record, "note": ANY}


def test_nothing_changes_the_second_time() -> None:
    once = scrub('{"authorization":"Bearer abcdefgh","note":"password: x"}')
    assert scrub(once) == once
