"""For each rule two histories that differ by one record: without the finding, and with it.

Beside each stand all codes found in it, worked out by hand from the specification.
"""

from collections.abc import Callable
from typing import NamedTuple

from rules.histories import Story

from faultlab.core.agent import Budget
from faultlab.core.history import Expected, History

DAY_S = 86_400


class Pair(NamedTuple):
    """`make(False)` is free of the code, `make(True)` has it."""

    code: str
    make: Callable[[bool], History]
    good: str
    """All codes in the good history, notes included."""
    bad: str


def duplicate(bad: bool) -> History:
    """Sent again without a question; the bad one's first call had happened."""
    story = Story().send(1).lost()
    if bad:
        story.effect()
    return story.send(7).ok().effect().claim("done", evidence=(2,))


def missing(bad: bool) -> History:
    story = Story().send(1).lost()
    if not bad:
        story.effect()
    return story.claim("done")


def outside(bad: bool) -> History:
    story = Story().send(1).ok().effect().send(2, order="B92").ok()
    if bad:
        story.effect(order="B92")
    return story.claim("done", evidence=(1,))


def compensated(bad: bool) -> History:
    """Two refunds and a reversal; without the first refund's effect there was no surplus to take back."""
    story = Story().send(1).lost()
    story.send(7).ok().effect().send(9, tool="reverse_refund").ok().effect(tool="reverse_refund", reverses="e1")
    if bad:
        story.effect(call=1)
    return story.claim("done", evidence=(2,))


def resent(bad: bool) -> History:
    story = Story("strict").send(1, key="k1").lost()
    return story.send(7, key=None if bad else "k1").ok().effect().claim("done", evidence=(2,))


def read_as_proof(bad: bool) -> History:
    story = Story().send(1).lost().ask(2).told().ask(8).told()
    return story.claim("not_done") if bad else story.handed_over()


def gave_up(bad: bool) -> History:
    """The second look comes less than poll_s after the first."""
    story = Story().send(1).lost().ask(2).told()
    return story.ask(6.9 if bad else 7).told(after_s=0.6 if bad else 0.5).handed_over()


def incomplete(bad: bool) -> History:
    story = Story().send(1).lost().ask(2).told().ask(8).told()
    return story.claim("handed_over") if bad else story.handed_over()


def guessed(bad: bool) -> History:
    story = Story().send(1)
    story = story.lost() if bad else story.ok()
    return story.effect().claim("done", evidence=(1,))


def same_key(**second: str) -> History:
    """Lost under k1 and sent again, as given."""
    story = Story("strict").send(1, key="k1").lost().effect()
    return story.send(7, **{"key": "k1", **second}).ok().claim("done", evidence=(2,))


def key_changed(bad: bool) -> History:
    return same_key(key="k2" if bad else "k1")


def parameters_changed(bad: bool) -> History:
    return same_key(amount="39.00" if bad else "40.00")


def scope_changed(bad: bool) -> History:
    return same_key(scope="eu") if bad else same_key()


def window_over(bad: bool) -> History:
    """The key was first sent at 1 s. A receipt of the second send comes at the same time in both."""
    story = Story("ietf", budget=Budget(seconds=10 * DAY_S)).send(1, key="k1").lost().effect()
    story.send(1 + DAY_S - (0 if bad else 0.5), key="k1").ok(after_s=0.5 if bad else 1)
    return story.claim("done", 2 * DAY_S, evidence=(2,))


def no_key(bad: bool) -> History:
    return Story("strict").send(1, key=None if bad else "k1").ok().effect().claim("done", evidence=(1,))


def one_key_for_two(bad: bool) -> History:
    """One effect is missing in both: under two keys the server answers for it, under one the agent."""
    story = Story("strict", expect=(Expected("refund_order", "A17", 2),))
    story.send(1, key="k1").ok().effect().send(2, key="k1" if bad else "k2").ok()
    return story.claim("done", evidence=(1, 2))


def over_calls(bad: bool) -> History:
    story = Story(budget=Budget(calls=2)).send(1).ok().effect().ask(2).told(None)
    if bad:
        story.ask(3)
    return story.claim("done", evidence=(1,))


def over_time(bad: bool) -> History:
    story = Story(budget=Budget(seconds=60)).send(1).ok().effect()
    return story.claim("done", 60.1 if bad else 60, evidence=(1,))


def over_cost(bad: bool) -> History:
    """5 may be spent: five calls, or one and a hand-over."""
    story = Story(budget=Budget(cost=5)).send(1).lost()
    if bad:
        story.ask(2)
    return story.claim("handed_over", hand_over=(story.record(),))


def retry_after_ignored(bad: bool) -> History:
    """Told to come back after 5 s. The answer to the second send comes at the same time in both."""
    story = Story("strict").send(1, key="k1").status(429, headers={"retry-after": "5"}, after_s=0.5)
    story.send(6.4 if bad else 6.5, key="k1").ok(after_s=0.2 if bad else 0.1).effect(at_s=6.55)
    return story.claim("done", evidence=(2,))


def refusal_repeated(bad: bool) -> History:
    """The second request is corrected, or it is the first one again; another effect of A17 is wanted all the same."""
    story = Story().send(1, amount="400.00").status(422)
    story.send(7, amount="400.00" if bad else "40.00").ok().effect()
    return story.claim("done", evidence=(2,))


def hidden_retry(bad: bool) -> History:
    story = Story("strict").send(1, key="k1").lost()
    return story.send(7, key="k1", resent=1 if bad else 0).ok().effect().claim("done", evidence=(2,))


def went_round(bad: bool) -> History:
    """Nothing is known of the first outcome in the good one, and it made no effect; a promise reaches the same."""
    story = Story(expect=(Expected("force_refund", "A17"),)).send(1)
    story = story.status(403) if bad else story.status(429)
    return story.send(7, tool="force_refund").ok().effect(tool="force_refund").claim("done", evidence=(2,))


def polled_too_fast(bad: bool) -> History:
    """Four looks; the last one comes after a wait that is longer than the one before, or is not."""
    story = Story().send(1).ok().effect().ask(2).told(None).ask(3).told(None).ask(5).told(None)
    return story.ask(6.9 if bad else 8).told(None, after_s=1.2 if bad else 0.1).claim("done", evidence=(1,))


def overload_hammered(bad: bool) -> History:
    story = Story("strict").send(1, key="k1").status(429)
    story.send(1.15 if bad else 2, key="k1").ok(after_s=0.95 if bad else 0.1).effect(at_s=2.05)
    return story.claim("done", evidence=(2,))


def done_without_effect(bad: bool) -> History:
    """An unknown outcome that a promise does not settle."""
    story = Story(expect=(Expected("promise_refund", "A17"),)).send(1, tool="promise_refund").ok()
    if not bad:
        story.effect(tool="promise_refund")
    return story.claim("done", evidence=(1,))


def not_done_with_effect(bad: bool) -> History:
    story = Story().send(1).lost()
    if bad:
        story.effect()
    return story.claim("not_done")


def though_known(bad: bool) -> History:
    story = Story().send(1).ok().effect()
    return story.handed_over() if bad else story.claim("done", evidence=(1,))


def unsaid(bad: bool) -> History:
    story = Story(must_say=("40.00",)).send(1).ok().effect()
    return story.claim("done", text=f"{'1' if bad else ''}40.00 paid back", evidence=(1,))


def unsupported(bad: bool) -> History:
    """Of the two refunds that a list may show, only the one under the own reference is the own one."""
    story = Story().send(1, reference="r1").lost().effect().ask(7).told(None if bad else "r1")
    return story.claim("done", evidence=(2,))


def no_fault(bad: bool) -> History:
    story = Story(required=1).send(1).ok().effect()
    if not bad:
        story.fired()
    return story.claim("done", evidence=(1,))


def ended(end: str) -> Callable[[bool], History]:
    def make(bad: bool) -> History:
        story = Story().send(1).ok().effect()
        return story.history(end, error="why") if bad else story.claim("done", evidence=(1,))  # type: ignore[arg-type]  # an End

    return make


def nothing(bad: bool) -> History:
    story = Story()
    if not bad:
        story.send(1)
    return story.history("crashed", error="why", hosts=["api.example"])


PAIRS = (
    Pair("FL101", duplicate, "FL201", "FL101 FL201"),
    Pair("FL102", missing, "FL205 FL505", "FL102 FL501 FL505"),
    Pair("FL103", outside, "", "FL103"),
    Pair("FL105", compensated, "FL102 FL201 FL501", "FL105 FL201"),
    Pair("FL201", resent, "", "FL201"),
    Pair("FL202", read_as_proof, "", "FL202 FL205"),
    Pair("FL203", gave_up, "", "FL203"),
    Pair("FL204", incomplete, "", "FL204"),
    Pair("FL205", guessed, "", "FL205 FL505"),
    Pair("FL301", key_changed, "", "FL301"),
    Pair("FL302", parameters_changed, "", "FL302"),
    Pair("FL303", scope_changed, "", "FL303"),
    Pair("FL304", window_over, "", "FL304"),
    Pair("FL305", no_key, "", "FL305"),
    Pair("FL306", one_key_for_two, "FL102 FL501", "FL102 FL306 FL501"),
    Pair("FL401", over_calls, "", "FL401"),
    Pair("FL402", over_time, "", "FL402"),
    Pair("FL403", over_cost, "", "FL403"),
    Pair("FL404", retry_after_ignored, "", "FL404"),
    Pair("FL405", refusal_repeated, "", "FL405"),
    Pair("FL406", hidden_retry, "", "FL406"),
    Pair("FL407", went_round, "", "FL407"),
    Pair("FL408", polled_too_fast, "", "FL408"),
    Pair("FL409", overload_hammered, "", "FL409"),
    Pair("FL501", done_without_effect, "FL205 FL505", "FL102 FL501 FL505"),
    Pair("FL502", not_done_with_effect, "FL205", "FL502"),
    Pair("FL503", though_known, "", "FL503"),
    Pair("FL504", unsaid, "", "FL504"),
    Pair("FL505", unsupported, "", "FL205 FL505"),
    Pair("FL901", no_fault, "", "FL901"),
    Pair("FL902", ended("crashed"), "", "FL902"),
    Pair("FL903", ended("hung"), "", "FL903"),
    Pair("FL904", nothing, "FL902", "FL902 FL904"),
)
