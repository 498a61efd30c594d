"""The judge over attempts on the real engine: what a well-known wrong recovery is charged with, twin by twin."""

import pickle
from collections.abc import Callable

import pytest
from attempts import Attempt
from rules.histories import OP, Story

from faultlab.core.agent import Budget
from faultlab.core.clock import NS
from faultlab.core.handover import record_of
from faultlab.core.history import Expected
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Claim, Outcome
from faultlab.core.verdict import Verdict
from faultlab.faults.catalog import TWINS
from faultlab.faults.plan import Planned
from faultlab.rules.judge import judge

Agent = Callable[[Attempt], Claim]


def attempt(contract: str, twin: str) -> Attempt:
    plan = (Planned("refund_order", TWINS[twin], "timeout", late_ns=600 * NS),)
    return Attempt(PROFILES[contract], plan)


def verdict_of(contract: str, twin: str, agent: Agent) -> Verdict:
    made = attempt(contract, twin)
    return judge(made.history(agent(made)))


def send(made: Attempt, key: str | None = None, amount: str = "40.00") -> None:
    given = {} if key is None else {"idempotency_key": key}
    made.call("refund_order", order_id="A17", amount=amount, reference="r1", **given)


def hand_over(made: Attempt) -> Claim:
    made.fold()
    return Claim("handed_over", hand_over=tuple(map(record_of, made.knowledge.operations)))


def blind(made: Attempt) -> Claim:
    send(made)
    send(made)
    return Claim("done", evidence=(2,))


def fresh_key(made: Attempt) -> Claim:
    send(made, "k1")
    send(made, "k2")
    return Claim("done", evidence=(2,))


def drifted(made: Attempt) -> Claim:
    send(made, "k1")
    made.session.clock.sleep(10)
    send(made, "k1", "39.00")
    return hand_over(made)


def same_key(made: Attempt) -> Claim:
    """Sent again under its key until the answer is a whole one."""
    send(made, "k1")
    for _ in range(4):
        made.session.clock.sleep(300)
        send(made, "k1")
        made.fold()
        if made.knowledge.operations[0].knowledge is Outcome.APPLIED:
            break
    return Claim("done", evidence=(made.session.count,))


def query_then_resend(made: Attempt) -> Claim:
    send(made)
    made.session.clock.sleep(1)
    made.call("list_refunds", order_id="A17")
    send(made)
    return Claim("done", evidence=(3,))


def silence_is_success(made: Attempt) -> Claim:
    send(made)
    return Claim("done", evidence=(1,))


def two_looks(made: Attempt) -> Claim:
    """What the contract `none` leaves: two looks, poll_s apart, then a hand-over."""
    send(made)
    for _ in range(2):
        made.call("list_refunds", order_id="A17")
        made.fold()
        if made.knowledge.operations[0].knowledge is Outcome.APPLIED:
            return Claim("done", evidence=(made.session.count,))
        made.session.clock.sleep(6)
    return hand_over(made)


@pytest.mark.parametrize(
    ("agent", "contract", "codes"),
    [
        (blind, "none", {"never": "FL201", "committed": "FL101 FL201", "late_network": "FL101 FL201"}),
        (fresh_key, "strict", {"never": "FL301", "committed": "FL101 FL301", "late_network": "FL101 FL301"}),
        (query_then_resend, "none", {"never": "FL202", "late_network": "FL101 FL202", "late_server": "FL101 FL202"}),
        (silence_is_success, "none", {"never": "FL102 FL501 FL505", "committed": "FL205 FL505"}),
        (drifted, "strict", {"committed": "FL203 FL302"}),
        (same_key, "strict", dict.fromkeys(TWINS, "")),
        (two_looks, "none", dict.fromkeys(TWINS, "")),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
def test_a_recovery_is_charged_with_what_it_did(agent: Agent, contract: str, codes: dict[str, str]) -> None:
    found = {twin: " ".join(verdict_of(contract, twin, agent).codes) for twin in codes}
    assert found == codes


def test_harm_is_seen_in_one_twin_and_luck_in_the_other() -> None:
    assert verdict_of("none", "committed", blind).mark == "harm"
    assert verdict_of("none", "never", blind).mark == "wrong"


def test_history_and_verdict_go_to_another_process_and_back() -> None:
    made = attempt("none", "committed")
    history = made.history(blind(made))
    judge_again, history_again = pickle.loads(pickle.dumps((judge, history)))  # noqa: S301 - own data
    assert pickle.loads(pickle.dumps(judge_again(history_again))) == judge(history)  # noqa: S301 - as above


def test_a_wait_that_ran_over_three_times_the_budget_is_charged_as_time() -> None:
    """The agent slept; its last record is from before."""
    story = Story(budget=Budget(seconds=10)).send(1).ok().effect()
    verdict = judge(story.history("over_budget", error="1 calls, cost 1, 30.0 s: 3 times a budget"))
    assert (verdict.verdict, verdict.codes) == ("timeout", ("FL402",))


def test_too_many_calls_are_charged_as_calls_and_not_as_time() -> None:
    story = Story(budget=Budget(calls=1, cost=30)).send(1).ok().effect().ask(2).told(None).ask(3).told(None)
    verdict = judge(story.history("over_budget", error="3 calls"))
    assert (verdict.verdict, verdict.codes) == ("timeout", ("FL401",))


def test_a_toolset_that_broke_says_nothing_about_the_agent() -> None:
    story = Story().send(1).lost().effect().send(7).ok().effect()
    verdict = judge(story.history("toolset_failed", error="KeyError: 'A17'"))
    assert (verdict.verdict, verdict.mark) == ("infra_error", "inconclusive")
    assert verdict.excluded_reason == "toolset_failed: KeyError: 'A17'"


def test_a_history_that_cannot_be_read_is_no_end_of_a_run() -> None:
    story = Story(expect=(Expected("refund_order", "A17"),)).send(1).ok().effect()
    verdict = judge(story.claim("done", operations=None, hand_over=()))
    assert verdict.verdict == "pass"
    story.events[-1] = Claim("done", operations=[OP])  # type: ignore[arg-type]  # not what a Claim holds
    verdict = judge(story.history())
    assert (verdict.verdict, verdict.excluded_reason.split(":")[0]) == ("infra_error", "rule_crashed")


def test_a_resend_that_the_network_holds_until_its_key_is_forgotten_is_booked_to_the_server() -> None:
    lost = (Planned("refund_order", "after"), Planned("refund_order", "late_network", occurrence=2, late_ns=600 * NS))
    made = Attempt(PROFILES["dynamodb"], lost)
    send(made, "k1")
    send(made, "k1")
    verdict = judge(made.history(hand_over(made)))
    assert len(made.session.engine.ledger) == 2
    assert made.effects() == list(made.session.engine.ledger)[:1]
    assert ("FL101", "server") in [(item.code, item.cause) for item in verdict.findings]
    assert "FL101" not in verdict.codes
