"""A complete refusal, and the forms that Retry-After takes in the wild."""

from collections.abc import Mapping
from email.utils import formatdate
from math import ceil
from typing import Literal

from faultlab.core.actions import Reply
from faultlab.core.clock import EPOCH_S, NS, ns
from faultlab.core.titles import TITLES

RetryAfter = Literal["seconds", "date", "zero", "negative", "garbage", "absent", "milliseconds"]
"""RFC 9110 section 10.2.3 knows delay-seconds and an HTTP-date. `milliseconds` is the header retry-after-ms of
Azure OpenAI. The others are what clients meet and must survive."""


def problem(status: int, code: str, detail: str, headers: Mapping[str, str] | None = None) -> Reply:
    """RFC 9457 problem details with the extension member `code`."""
    body = {"type": "about:blank", "title": TITLES[status], "status": status, "code": code, "detail": detail}
    return Reply(status, body, headers or {})


def retry_after(form: RetryAfter, wait_s: float, now_ns: int) -> dict[str, str]:
    """The header that asks a caller to wait `wait_s`, or does not quite."""
    whole_s = ceil(wait_s)
    if form == "absent":
        return {}
    if form == "milliseconds":
        return {"retry-after-ms": str(ceil(wait_s * 1000))}
    if form == "date":
        due_s = EPOCH_S + ceil((now_ns + ns(wait_s)) / NS)
        return {"date": _date(EPOCH_S + now_ns // NS), "retry-after": _date(due_s)}
    texts = {"seconds": str(whole_s), "zero": "0", "negative": str(-whole_s), "garbage": "in a moment"}
    return {"retry-after": texts[form]}


def _date(moment_s: int) -> str:
    return formatdate(moment_s, usegmt=True)
