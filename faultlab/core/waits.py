"""Retry-After in every form that it can take, on the attempt's clock (RFC 9110 section 10.2.3).

A number of seconds counts from the receipt. An HTTP date counts from the Date of the same answer, so that nobody's
clock matters; without a Date, from EPOCH_S, where every virtual clock begins. Zero and a date already past ask for no
wait. What is neither form (negative, a fraction, words) asks for nothing.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from faultlab.core.clock import EPOCH_S, NS
from faultlab.core.records import Receipt

DATE_NS = NS
"""An HTTP date has no parts of a second: a wait read from one may be up to this much too long."""

LONGEST_S = 10**12
"""Stands for every longer wait: a header may hold thousands of digits."""

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = f"(?P<month>{'|'.join(_MONTHS)})"
_TIME = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?P<day>\d\d) {_MONTH} (?P<year>\d{{4}}) {_TIME} GMT",
        rf"[A-Z][a-z]+day, (?P<day>\d\d)-{_MONTH}-(?P<year>\d\d) {_TIME} GMT",
        rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {_MONTH} (?P<day>[ \d]\d) {_TIME} (?P<year>\d{{4}})",
    )
)
"""IMF-fixdate, and the two obsolete forms that a recipient must accept (RFC 9110 section 5.6.7)."""


def retry_after_ns(receipt: Receipt | None, now_ns: int) -> int:
    """How long an answer still asks to wait; 0 where it states nothing that can be read."""
    return 0 if receipt is None else max(0, not_before_ns(receipt) - now_ns)


def not_before_ns(receipt: Receipt) -> int:
    """The moment before which the answer asks not to be called again; its own moment where it does not ask."""
    stated = receipt.headers.get("retry-after")
    if stated is None:
        return receipt.t
    return receipt.t + max(0, round(wait_of(stated, receipt.headers, receipt.t) * NS))


def wait_of(retry_after: str, headers: Mapping[str, str] = {}, at_ns: int = 0) -> float:
    """Seconds from an answer that came at `at_ns`; 0 for what is no Retry-After. A past date gives less than 0."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text) if len(text) <= 12 else float(LONGEST_S)
    moment_s = date_s(text)
    if moment_s is None:
        return 0.0
    answered_s = date_s(headers.get("date", ""))
    return float(moment_s - answered_s) if answered_s is not None else moment_s - EPOCH_S - at_ns / NS


def is_dated(receipt: Receipt) -> bool:
    """Its Retry-After is an HTTP date."""
    return date_s(receipt.headers.get("retry-after", "")) is not None


def date_s(text: str) -> int | None:
    """Seconds since 1970 of an HTTP date; None for anything else."""
    found = next((match for form in _FORMS if (match := form.fullmatch(text.strip()))), None)
    if found is None:
        return None
    year = int(found["year"])
    if year < 100:  # of two digits: not more than 50 years ahead
        year += 2000 if year + 2000 <= datetime.fromtimestamp(EPOCH_S, UTC).year + 50 else 1900
    month = _MONTHS.index(found["month"]) + 1
    hour, minute, second = int(found["hour"]), int(found["minute"]), min(59, int(found["second"]))
    try:
        return int(datetime(year, month, int(found["day"]), hour, minute, second, tzinfo=UTC).timestamp())
    except ValueError:
        return None
