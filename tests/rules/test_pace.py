"""Waits, retries and polling: where FL404 to FL409 speak and where they do not."""

from dataclasses import replace
from typing import Any

import httpx
import pytest
from labs import fault, lab
from rules.histories import Story

from faultlab.core.history import Expected, History
from faultlab.rules.judge import exercised, judge
from faultlab.transports.http_library import BASE_URL
from faultlab.transports.httpx_transport import LabTransport


def codes(history: History) -> set[str]:
    return {item.code for item in judge(history).findings}


def told(headers: dict[str, str], wait_s: float, status: int = 429) -> set[str]:
    story = Story("strict").send(1, key="k1").status(status, headers=headers)
    return codes(story.send(1.1 + wait_s, key="k1").ok().effect().claim("done", evidence=(2,)))


@pytest.mark.parametrize(
    ("headers", "wait_s", "found"),
    [
        ({"retry-after": "10"}, 9.99, {"FL404"}),
        ({"retry-after": "10"}, 10, set()),
        ({"retry-after": "0"}, 0.5, set()),
        ({"retry-after": "-10"}, 0.5, set()),
        ({"retry-after": "soon"}, 0.5, set()),
        # A date has no parts of a second, so that it may be read as up to one earlier.
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}, 27.8, {"FL404"}),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}, 28, set()),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:47 GMT", "date": "Sun, 06 Nov 1994 08:49:37 GMT"}, 8, {"FL404"}),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:47 GMT", "date": "Sun, 06 Nov 1994 08:49:37 GMT"}, 10, set()),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, 0.5, set()),
    ],
)
def test_retry_after_is_obeyed_in_each_form(headers: dict[str, str], wait_s: float, found: set[str]) -> None:
    assert told(headers, wait_s) == found


def test_a_stated_wait_holds_for_the_same_and_not_for_other_calls() -> None:
    story = Story("strict").send(1, key="k1").status(503, headers={"retry-after": "30"}).ask(2).told()
    assert codes(story.send(32, key="k1").ok().effect().claim("done", evidence=(3,))) == set()
    query = Story().send(1).lost().ask(2).status(429, headers={"retry-after": "5"}).ask(4).told("r1")
    assert "FL404" in codes(query.handed_over())


@pytest.mark.parametrize(
    ("sends_at_s", "found"),
    [
        ((1, 1.15), {"FL409"}),  # 0.05 s after the answer
        ((1, 2, 4), set()),
        ((1, 2, 3), {"FL409"}),
        ((1, 3, 4), {"FL409"}),
        ((1, 40, 79), set()),  # so long a wait need not grow
        ((1, 1.3, 20, 20.4), {"FL409"}),  # longer than the first wait, and not than the last
    ],
)
def test_an_overloaded_server_is_given_time(sends_at_s: tuple[float, ...], found: set[str]) -> None:
    story = Story("strict")
    for at_s in sends_at_s[:-1]:
        story.send(at_s, key="k1").status(503)
    story.send(sends_at_s[-1], key="k1").ok().effect()
    assert codes(story.claim("done", at_s=90, evidence=(len(sends_at_s),))) == found


def test_a_read_in_between_does_not_make_a_storm_of_sends_a_calm() -> None:
    story = Story("strict")
    for at_s in (1, 2, 3):
        story.send(at_s, key="k1").status(503).ask(at_s + 0.5, "get_order").told(answer="not_ready")
    assert codes(story.send(4, key="k1").ok().effect().claim("done", evidence=(7,))) == {"FL409"}


def test_another_call_in_between_is_no_hammering() -> None:
    story = Story("status").send(1, reference="r1").status(503)
    story.ask(1.1, "operation_status", "status", reference="r1").told(handle="r1", answer="absent", definitive=True)
    assert codes(story.send(1.3, reference="r1").ok().effect().claim("done", evidence=(3,))) == set()


@pytest.mark.parametrize(
    ("looks_at_s", "fast"),
    [
        ((2, 2.5, 3), False),
        ((2, 3, 4, 5), True),
        ((2, 2.5, 3.5, 5.5), False),
        ((2, 7, 12, 17, 22), False),
        ((2, 6.9, 11.8, 16.7), True),
        ((2, 3, 4, 30, 31, 32), False),
    ],
)
def test_one_thing_is_worth_a_look_every_poll_interval(looks_at_s: tuple[float, ...], fast: bool) -> None:
    story = Story().send(1).ok().effect()
    for at_s in looks_at_s:
        story.ask(at_s).told(None)
    history = story.claim("done", evidence=(1,))
    assert codes(history) == ({"FL408"} if fast else set())
    assert "FL408" in exercised(history)


@pytest.mark.parametrize(("refund_s", "promise_s", "fast"), [(60, None, True), (None, 1, False), (None, 60, False)])
def test_the_interval_is_that_of_the_tool_that_is_read_about(
    refund_s: float | None, promise_s: float | None, fast: bool
) -> None:
    story = Story().send(0).ok().effect()
    writes = dict(story.brief.writes)
    for tool, poll_s in (("refund_order", refund_s), ("promise_refund", promise_s)):
        writes[tool] = replace(writes[tool], poll_s=poll_s)
    story.brief = replace(story.brief, writes=writes)
    for look in range(5):
        story.ask(2 + 6 * look).told(None)
    assert codes(story.claim("done", evidence=(1,))) == ({"FL408"} if fast else set())


def test_a_tool_that_is_not_read_about_makes_no_other_faster() -> None:
    story = Story().send(0).ok().effect()
    quick = replace(story.brief.writes["promise_refund"], poll_s=1)
    story.brief = replace(story.brief, writes={**story.brief.writes, "promise_refund": quick})
    for look in range(5):
        story.ask(2 + 2 * look).told(None)
    assert codes(story.claim("done", evidence=(1,))) == {"FL408"}


def test_a_write_between_two_looks_is_a_reason_to_look_again() -> None:
    story = Story(expect=(Expected("refund_order", "A17", 4),))
    for number in range(4):
        story.send(1 + number, reference=f"r{number}").ok().effect().ask(1.5 + number).told("r0")
    assert codes(story.claim("done", evidence=(1, 3, 5, 7))) == set()


def test_advice_against_another_try_is_heeded_though_the_key_would_make_it_safe() -> None:
    said = {"stripe-should-retry": "false"}
    story = Story("stripe_v1").send(1, key="k1").status(502, headers=said).send(3, key="k1").ok().effect()
    assert codes(story.claim("done", evidence=(2,))) == {"FL405"}


class Retrying(httpx.BaseTransport):
    """As retry transports are written: the same request again."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self.inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        for _ in range(2):
            try:
                return self.inner.handle_request(request)
            except httpx.TransportError:
                continue
        return self.inner.handle_request(request)


def test_a_retry_below_the_caller_is_told_from_one_of_its_own() -> None:
    for transport_of, resent in ((Retrying, [0, 1]), (lambda inner: inner, [0, 0])):
        session: Any = lab("strict", fault("before", "reset"))
        with httpx.Client(transport=transport_of(LabTransport(session)), base_url=BASE_URL) as client:
            for _ in range(3):
                try:
                    client.post("/tools/refund_order", json={"order_id": "A17", "amount": "1.00"})
                    break
                except httpx.TransportError:
                    continue
        calls = [event for event in session.events if hasattr(event, "resent")]
        assert [call.resent for call in calls] == resent


def test_going_round_a_refusal_is_seen_whichever_of_the_tools_says_so() -> None:
    for first, second in (("refund_order", "force_refund"), ("force_refund", "refund_order")):
        story = Story(expect=(Expected(second, "A17"),)).send(1, tool=first).status(403)
        history = story.send(3, tool=second).ok().effect(tool=second).claim("done", evidence=(2,))
        assert codes(history) == {"FL407"}
    other = Story(expect=(Expected("force_refund", "B92"),)).send(1).status(403)
    history = other.send(3, tool="force_refund", order="B92").ok().effect(tool="force_refund", order="B92")
    assert codes(history.claim("done", evidence=(2,))) == set()
