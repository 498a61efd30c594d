"""Retry-After in every form of RFC 9110 section 10.2.3, on the attempt's clock."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultlab.core.clock import EPOCH_S, NS, ns
from faultlab.core.records import Outcome, Receipt
from faultlab.core.waits import LONGEST_S, date_s, is_dated, not_before_ns, retry_after_ns, wait_of

START = datetime.fromtimestamp(EPOCH_S, UTC)


def answer(at_s: float, **headers: str) -> Receipt:
    return Receipt(
        1, ns(at_s), Outcome.NOT_APPLIED, 429, {}, {name.replace("_", "-"): v for name, v in headers.items()}
    )


def http_date(at_s: float) -> str:
    return format_datetime(START + timedelta(seconds=at_s), usegmt=True)


@pytest.mark.parametrize(
    ("stated", "wait_s"),
    [("0", 0), ("7", 7), (" 7 ", 7), ("120", 120), ("007", 7)]
    + [(text, 0) for text in ("-5", "+5", "1.5", "1e3", "soon", "", "5, 10", "5s", "\u0665", "Fri", "0x10")],
)
def test_seconds_and_what_is_no_number_of_seconds(stated: str, wait_s: float) -> None:
    assert not_before_ns(answer(10, retry_after=stated)) == ns(10 + wait_s)
    assert not is_dated(answer(10, retry_after=stated))


@pytest.mark.parametrize(
    "stated",
    ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"],
)
def test_the_three_forms_of_a_date_mean_the_same(stated: str) -> None:
    assert date_s(stated) == 784_111_777  # the example of RFC 9110 section 5.6.7


@pytest.mark.parametrize(
    "stated",
    [
        "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 +0100",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "06 Nov 1994",
        "tomorrow",
    ],
)
def test_what_is_no_date_asks_for_nothing(stated: str) -> None:
    assert date_s(stated) is None
    assert retry_after_ns(answer(10, retry_after=stated), ns(10)) == 0


def test_a_year_of_two_digits_is_not_more_than_fifty_years_ahead() -> None:
    assert date_s("Sunday, 06-Nov-70 08:49:37 GMT") == int(datetime(2070, 11, 6, 8, 49, 37, tzinfo=UTC).timestamp())
    assert date_s("Sunday, 06-Nov-94 08:49:37 GMT") == 784_111_777


def test_a_date_counts_from_the_date_of_the_answer_whatever_the_clocks_say() -> None:
    said = answer(10, date="Sun, 06 Nov 1994 08:49:37 GMT", retry_after="Sun, 06 Nov 1994 08:50:07 GMT")
    assert not_before_ns(said) == ns(40)
    assert is_dated(said)


def test_without_a_date_of_its_own_an_answer_is_read_on_the_attempts_clock() -> None:
    assert not_before_ns(answer(10, retry_after=http_date(25))) == ns(25)
    # Its own Date is no date.
    assert not_before_ns(answer(10, retry_after=http_date(25), date="now")) == ns(25)


def test_a_date_already_past_asks_for_nothing() -> None:
    assert not_before_ns(answer(10, retry_after=http_date(4))) == ns(10)
    assert wait_of(http_date(4), {"date": http_date(10)}) == -6


def test_a_number_of_any_length_is_a_wait() -> None:
    assert not_before_ns(answer(0, retry_after="9" * 5000)) == LONGEST_S * NS


def test_what_is_left_of_a_wait_shrinks_and_ends() -> None:
    said = answer(10, retry_after="20")
    assert [retry_after_ns(said, ns(at_s)) for at_s in (10, 29, 30, 31)] == [ns(20), ns(1), 0, 0]
    assert retry_after_ns(None, 0) == retry_after_ns(answer(10), ns(10)) == 0


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**6))
def test_a_date_written_by_another_hand_is_read_as_it_was_meant(at_s: int, answered_s: int) -> None:
    said = answer(answered_s, date=http_date(answered_s), retry_after=http_date(at_s))
    assert not_before_ns(said) == ns(max(at_s, answered_s))


@given(st.text(max_size=40))
def test_no_header_breaks_it_or_asks_for_less_than_nothing(stated: str) -> None:
    assert not_before_ns(answer(5, retry_after=stated)) >= ns(5)


def test_a_number_of_twelve_digits_is_that_number_and_a_longer_one_the_longest_wait() -> None:
    assert wait_of("9" * 12) == 10**12 - 1
    assert wait_of("1" + "0" * 12) == wait_of("9" * 4000) == LONGEST_S


def test_a_year_of_two_digits_is_at_most_fifty_years_ahead() -> None:
    """RFC 9110 section 5.6.7: one that seems to be more than 50 years in the future is in the past."""
    latest = START.year + 50
    assert date_s(f"Friday, 01-May-{latest % 100:02} 00:00:00 GMT") == date_s(f"Fri, 01 May {latest} 00:00:00 GMT")
    assert date_s(f"Friday, 01-May-{latest % 100 + 1:02} 00:00:00 GMT") == date_s(
        f"Fri, 01 May {latest - 99} 00:00:00 GMT"
    )


def test_a_leap_second_is_a_time_of_day() -> None:
    """RFC 9110 section 5.6.7 lets a second be 60; a clock without leap seconds has none between its neighbours."""
    leap = date_s("Sat, 31 Dec 2016 23:59:60 GMT")
    assert leap is not None
    last, first = date_s("Sat, 31 Dec 2016 23:59:59 GMT"), date_s("Sun, 01 Jan 2017 00:00:00 GMT")
    assert last is not None and first is not None and last <= leap <= first
