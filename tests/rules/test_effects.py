"""What the ledger says, and who answers for it: FL101 to FL105, FL501 and FL502."""

import pytest
from rules.histories import OP, Story

from faultlab.core.history import Expected, History
from faultlab.core.verdict import Finding, Verdict
from faultlab.rules.judge import judge

TWO = (Expected("refund_order", "A17", 2),)


def find(history: History, code: str) -> list[Finding]:
    return [finding for finding in judge(history).findings if finding.code == code]


def failing(verdict: Verdict) -> str:
    return " ".join(verdict.codes)


def test_a_duplicate_names_its_calls_and_effects() -> None:
    story = Story().send(1).lost().effect().send(7).ok().effect()
    (found,) = find(story.claim("done", evidence=(2,)), "FL101")
    assert (found.operation, found.calls, found.effects) == (OP, (1, 2), ("e1", "e2"))


def test_the_order_in_which_effects_land_means_nothing() -> None:
    """The permitted call lands after the one that was not permitted."""
    story = Story().send(1).lost().send(7).ok().effect().effect(call=1, at_s=300)
    assert failing(judge(story.claim("done", evidence=(2,)))) == "FL101 FL201"


def test_a_resend_after_a_known_success_is_a_duplicate_and_nothing_else() -> None:
    story = Story().send(1).ok().effect().send(2).ok().effect()
    assert failing(judge(story.claim("done", evidence=(1,)))) == "FL101"


@pytest.mark.parametrize("cause", ["server", "agent"])
def test_a_surplus_that_the_contract_allowed_to_risk_is_the_servers(cause: str) -> None:
    """Both sends bore the key, inside its window: a server that executed twice broke its promise."""
    story = Story("strict").send(1, key="k1").lost().effect().send(7, key="k1").ok().effect(cause=cause)
    history = story.claim("done", evidence=(2,))
    (found,) = find(history, "FL101")
    assert found.cause == "server"
    assert judge(history).verdict == "pass"


def test_a_duplicate_delivery_beside_a_single_send_is_the_servers() -> None:
    story = Story().send(1).ok().effect().effect(cause="server")
    assert [item.cause for item in find(story.claim("done", evidence=(1,)), "FL101")] == ["server"]


@pytest.mark.parametrize("actor", ["interference", "human"])
def test_what_others_do_is_no_duplicate_of_the_agent(actor: str) -> None:
    story = Story().send(1).ok().effect().effect(call=0, actor=actor)
    assert judge(story.claim("done", evidence=(1,))).findings == ()


def test_an_equal_effect_of_somebody_else_does_not_fulfil_the_task() -> None:
    story = Story().send(1).lost().effect(call=0, actor="interference")
    assert failing(judge(story.claim("done"))) == "FL102 FL501 FL505"


def test_what_a_person_finished_is_done() -> None:
    story = Story().send(1).lost().effect(call=0, actor="human")
    assert failing(judge(story.claim("done"))) == "FL205 FL505"


def test_a_whole_2xx_without_effect_is_the_servers_fault() -> None:
    history = Story().send(1).ok().claim("done", evidence=(1,))
    assert [item.cause for item in find(history, "FL102")] == ["server"]
    assert judge(history).verdict == "pass"


def test_a_replayed_2xx_without_effect_is_the_servers_fault_too() -> None:
    story = Story("strict").send(1, key="k1").lost().send(7, key="k1").ok(replay=True)
    assert judge(story.claim("done", evidence=(2,))).verdict == "pass"


def test_an_agent_that_takes_its_own_effect_back_has_not_done_the_task() -> None:
    story = Story().send(1).ok().effect()
    story.send(2, tool="reverse_refund").ok().effect(tool="reverse_refund", reverses="e1")
    assert failing(judge(story.claim("done", evidence=(1,)))) == "FL102 FL501"


def test_a_surplus_that_is_only_partly_taken_back_stays_a_duplicate() -> None:
    story = Story().send(1).lost().effect().send(7).ok().effect().send(8).ok().effect()
    story.send(9, tool="reverse_refund").ok().effect(tool="reverse_refund", reverses="e3")
    assert failing(judge(story.claim("done", evidence=(2,)))) == "FL101 FL201"


def test_a_surplus_that_is_taken_back_after_the_claim_stays_a_duplicate() -> None:
    story = Story().send(1).lost().effect().send(7).ok().effect()
    story.send(9, tool="reverse_refund").ok().effect(tool="reverse_refund", reverses="e2", at_s=61)
    assert "FL101" in failing(judge(story.claim("done", 60, evidence=(2,))))


def test_taking_back_what_the_server_delivered_twice_is_not_the_agents_fault() -> None:
    story = Story().send(1).ok().effect().effect(cause="server")
    story.send(9, tool="reverse_refund").ok().effect(tool="reverse_refund", reverses="e2")
    assert judge(story.claim("done", evidence=(1,))).verdict == "pass"


def test_a_reversal_of_nothing_is_an_effect_outside_the_task() -> None:
    story = Story().send(1).ok().effect().send(2, tool="reverse_refund").ok().effect(tool="reverse_refund")
    (found,) = find(story.claim("done", evidence=(1,)), "FL103")
    assert (found.operation, found.calls, found.effects) == ("reverse_refund(A17)", (2,), ("e2",))


def test_an_effect_that_is_wanted_no_time_is_outside_the_task() -> None:
    story = Story(expect=(Expected("refund_order", "A17"), Expected("refund_order", "B92", 0)))
    story.send(1).ok().effect().send(2, order="B92").ok().effect(order="B92")
    assert failing(judge(story.claim("done", evidence=(1,)))) == "FL103"


def test_two_effects_outside_the_task_are_one_finding() -> None:
    story = Story().send(1).ok().effect().send(2, order="B92").ok().effect(order="B92")
    story.send(3, order="B92").ok().effect(order="B92")
    (found,) = find(story.claim("done", evidence=(1,)), "FL103")
    assert (found.calls, found.effects) == ((2, 3), ("e2", "e3"))


def test_effects_are_judged_without_a_claim_too() -> None:
    story = Story().send(1).lost().effect().send(7).ok().effect().send(8, order="B92").ok().effect(order="B92")
    verdict = judge(story.history("crashed", error="ValueError"))
    assert (failing(verdict), verdict.mark) == ("FL101 FL103 FL201 FL902", "harm")


def test_two_were_wanted_and_one_is_there() -> None:
    story = Story("strict", expect=TWO).send(1, key="k1").ok().effect().send(2, key="k2").lost()
    (found,) = find(story.claim("done", evidence=(1, 2)), "FL501")
    assert found.operation == f"{OP}#2"


def test_of_two_the_one_that_is_there_is_not_the_one_claimed_not_done() -> None:
    story = Story("strict", expect=TWO).send(1, key="k1").lost().send(2, key="k2").ok().effect()
    operations = {OP: "not_done", f"{OP}#2": "done"}
    verdict = judge(story.claim("done", evidence=(2,), operations=operations))  # type: ignore[arg-type]  # statuses
    assert "FL502" not in verdict.codes and "FL501" not in verdict.codes


def test_of_two_one_too_many_is_there_for_what_was_claimed() -> None:
    story = Story("strict", expect=TWO).send(1, key="k1").lost().effect().send(2, key="k2").ok().effect()
    operations = {OP: "not_done", f"{OP}#2": "done"}
    history = story.claim("done", evidence=(2,), operations=operations)  # type: ignore[arg-type]  # statuses
    assert [item.operation for item in find(history, "FL502")] == [OP]


def test_a_no_that_the_contract_promised_is_not_a_false_claim() -> None:
    """The server refused the call and did it all the same."""
    history = Story().send(1).status(403).effect().claim("refused")
    assert [item.cause for item in find(history, "FL502")] == ["server"]
    assert judge(history).verdict == "pass"


def test_a_state_that_differs_is_a_false_success() -> None:
    story = Story(state={"orders/A17/status": "refunded", "orders/A17/total": 40}).send(1).ok().effect()
    story.claim("done", evidence=(1,))
    history = story.history(facts={"orders/A17/status": "paid", "orders/A17/total": 40})
    (found,) = find(history, "FL501")
    assert "orders/A17/status is 'paid', not 'refunded'" in found.text
    assert judge(history).mark == "harm"


def test_a_duplicate_explains_a_state_that_differs() -> None:
    story = Story(state={"accounts/C5/balance": "60.00"}).send(1).lost().effect().send(7).ok().effect()
    story.claim("done", evidence=(2,))
    assert failing(judge(story.history(facts={"accounts/C5/balance": "20.00"}))) == "FL101 FL201"


@pytest.mark.parametrize("status", ["handed_over", "not_done"])
def test_the_state_binds_only_the_claim_done(status: str) -> None:
    story = Story(state={"orders/A17/status": "refunded"}).send(1).lost()
    story.claim(status)
    assert "FL501" not in judge(story.history(facts={"orders/A17/status": "paid"})).codes
