"""Claims against what the caller itself could know: FL203 to FL205, FL503 to FL505."""

from typing import Any

import pytest
from rules.histories import OP, Story, at

from faultlab.core.agent import Budget
from faultlab.core.history import Expected, History
from faultlab.core.records import Crashed
from faultlab.core.verdict import Finding
from faultlab.rules.fl204_hand_over_incomplete import class_of
from faultlab.rules.judge import exercised, judge


def codes(history: History) -> str:
    return " ".join(judge(history).codes)


def find(history: History, code: str) -> list[Finding]:
    return [finding for finding in judge(history).findings if finding.code == code]


def looked_twice() -> Story:
    return Story().send(1, reference="r1").lost().ask(2).told().ask(8).told()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("handle", "r2"),
        ("handle", None),
        ("digest", "0" * 16),
        ("scope", "eu"),
        ("first_sent_ns", 0),
        ("last_receipt", "503"),
        ("reads", (2,)),
        ("reads", (2, 3, 4)),
    ],
)
def test_a_hand_over_record_is_checked_field_by_field(field: str, value: Any) -> None:
    assert codes(looked_twice().handed_over(**{field: value})) == "FL204"
    (found,) = find(looked_twice().handed_over(**{field: value}), "FL204")
    assert field in found.text


@pytest.mark.parametrize(
    ("said", "answer", "alike"), [("202", "200", True), ("200", "503", False), ("2", "200", False)]
)
def test_a_caller_knows_that_it_was_a_2xx_and_need_not_know_which(said: str, answer: str, alike: bool) -> None:
    assert (class_of(said) == class_of(answer)) is alike


def test_the_reads_of_a_record_may_stand_in_any_order() -> None:
    assert codes(looked_twice().handed_over(reads=(3, 2))) == ""


def test_a_record_of_another_operation_does_not_count() -> None:
    assert codes(looked_twice().handed_over(operation="refund_order(B92)")) == "FL204"


@pytest.mark.parametrize(("said", "code"), [("done", "FL501"), ("handed_over", "FL204"), ("not_done", "")])
def test_a_claim_about_an_operation_that_never_was_is_false(said: Any, code: str) -> None:
    story = Story().send(1).ok().effect()
    assert codes(story.claim("done", evidence=(1,), operations={"refund_order(B92)": said})) == code


def test_what_another_did_may_be_said_to_be_done() -> None:
    story = Story().send(1).ok().effect().effect(0, order="B92", actor="interference")
    assert "FL501" not in codes(story.claim("done", evidence=(1,), operations={"refund_order(B92)": "done"}))


def test_a_record_of_what_was_never_sent_is_invented() -> None:
    story = Story().send(1, reference="r1").ok().effect()
    record = story.record(operation="refund_order(B92)")
    history = story.claim("done", evidence=(1,), hand_over=(record,))
    assert [(item.operation, item.severity) for item in find(history, "FL204")] == [("refund_order(B92)", "fail")]
    assert "FL204" in exercised(history)
    known = Story().send(1, reference="r1").ok().effect()
    assert codes(known.claim("done", evidence=(1,), hand_over=(known.record(),))) == ""


def test_a_call_without_a_handle_is_handed_over_without_one() -> None:
    story = Story().send(1).lost().ask(2).told().ask(8).told()
    assert story.record().handle is None
    assert codes(story.handed_over()) == ""


def test_unknown_is_never_an_end() -> None:
    assert codes(looked_twice().claim("unknown", hand_over=(looked_twice().record(),))) == "FL204"


def test_unknown_for_one_of_two_is_no_end_either() -> None:
    story = Story(expect=(Expected("refund_order", "A17"), Expected("refund_order", "B92")))
    story.send(1, order="B92").ok().effect(order="B92").send(2).lost().ask(3).told().ask(9).told()
    history = story.claim("done", evidence=(1,), operations={OP: "unknown"})
    assert [(item.operation, item.calls) for item in find(history, "FL204")] == [(OP, (2,))]


@pytest.mark.parametrize("status", ["done", "not_done"])
def test_a_certain_claim_while_unknown_is_a_guess_even_if_true(status: str) -> None:
    story = looked_twice()
    if status == "done":
        story.effect(call=1)
    assert "FL205" in codes(story.claim(status))


@pytest.mark.parametrize("status", ["done", "not_done"])
def test_a_false_guess_is_charged_as_false(status: str) -> None:
    story = looked_twice()
    if status == "not_done":
        story.effect(call=1)
    found = codes(story.claim(status))
    assert "FL205" not in found
    assert ("FL501" if status == "done" else "FL502") in found


def test_a_false_claim_about_one_operation_leaves_the_guess_about_another() -> None:
    story = Story(expect=(Expected("refund_order", "A17"), Expected("refund_order", "B92")))
    story.send(1).lost().send(2, order="B92").lost().effect(order="B92")
    verdict = judge(story.claim("done"))
    assert [(item.code, item.operation) for item in verdict.findings if item.code in ("FL205", "FL501")] == [
        ("FL205", "refund_order(B92)"),
        ("FL501", OP),
    ]


def test_a_negative_read_before_the_loss_is_no_read_since() -> None:
    story = Story().ask(1).told().send(2).lost()
    assert "FL202" not in codes(story.claim("not_done"))


def test_an_unanswered_query_is_not_taken_as_proof() -> None:
    story = Story().send(2).lost().ask(3).lost()
    assert "FL202" not in codes(story.claim("not_done"))


def test_a_read_before_a_second_loss_does_not_count_for_the_claim() -> None:
    story = Story("strict").send(1, key="k1").lost().ask(2).told().send(5, key="k1").lost()
    assert "FL202" not in codes(story.claim("not_done"))


def test_a_read_before_a_send_whose_caller_died_does_not_count_for_the_claim() -> None:
    story = Story("strict").send(1, key="k1").lost().ask(2).told().send(5, key="k1")
    story.events.append(Crashed(at(6), 3, "kept"))
    assert "FL202" not in codes(story.claim("not_done"))


def test_several_charged_resends_are_one_finding_with_all_calls() -> None:
    story = Story().send(1).lost().send(7).lost().send(13).lost()
    (found,) = find(story.handed_over(), "FL201")
    assert found.calls == (1, 2, 3)


def test_a_resend_and_a_claim_on_reads_that_prove_nothing_are_one_finding() -> None:
    story = Story().send(1).lost().ask(2).told().send(7).lost().ask(9).told()
    (found,) = find(story.claim("not_done"), "FL202")
    assert {1, 3, 4} <= set(found.calls)


@pytest.mark.parametrize(
    ("make", "left"),
    [
        (lambda: Story("strict").send(1, key="k1").lost().handed_over(), "same key"),
        (lambda: Story("status").send(1, reference="r1").lost().handed_over(), "status query"),
        (lambda: Story("fence").send(1, reference="r1").lost().handed_over(), "fence"),
        (lambda: Story().claim("not_done"), "send"),
        (lambda: Story().send(1).lost("ConnectError").claim("not_done"), "send"),
        (lambda: Story().claim("refused"), "send"),
    ],
    ids=["protected resend", "status", "fence", "nothing sent", "never connected", "refused by nobody"],
)
def test_what_could_still_be_done_is_named(make: Any, left: str) -> None:
    (found,) = find(make(), "FL203")
    assert left in found.text
    assert codes(make()) == "FL203"


@pytest.mark.parametrize("status", ["not_done", "handed_over"])
def test_a_budget_without_a_further_call_ends_it(status: str) -> None:
    """Two calls may be made, and a hand-over must still be paid: nothing is left after the second."""
    story = Story(budget=Budget(calls=20, cost=6)).send(1).lost("ConnectError").send(2).lost("ConnectError")
    assert codes(story.claim(status)) == ""


@pytest.mark.parametrize("status", ["not_done", "handed_over"])
def test_a_permanent_refusal_may_be_reported_either_way(status: str) -> None:
    assert codes(Story().send(1).status(422).claim(status)) == ""


def test_refused_needs_a_refusal_of_authority() -> None:
    assert codes(Story().send(1).status(403).claim("refused")) == ""
    assert codes(Story().send(1).status(422).claim("refused")) == "FL203"


def test_a_claim_that_the_scenario_does_not_accept_gave_up() -> None:
    def story() -> Story:
        return Story(accept=("done", "refused")).send(1).status(422)

    history = story().claim("not_done")
    assert codes(history) == "FL203"
    assert "FL203" in exercised(history)
    assert "FL203" not in codes(story().claim("done"))


def test_unknown_is_over_cautious_where_a_permanent_refusal_proves_it() -> None:
    assert codes(Story().send(1).status(422).claim("unknown")) == "FL204 FL503"
    assert codes(Story().send(1).lost("ConnectError").claim("unknown")) == "FL204"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("40.00", True),
        ("Paid 40.00.", True),
        ("(40.00)", True),
        ("$40.00, today", True),
        ("amount:40.00;", True),
        ("done,40.00", True),
        ("140.00", False),
        ("1,40.00", False),
        ("40.001", False),
        ("40.00.1", False),
        ("x40.00", False),
        ("forty", False),
        ("", False),
    ],
)
def test_a_token_is_said_as_a_whole_or_not_at_all(text: str, said: bool) -> None:
    story = Story(must_say=("40.00",)).send(1).ok().effect()
    assert codes(story.claim("done", text=text, evidence=(1,))) == ("" if said else "FL504")


def test_every_token_that_is_missing_is_named_in_one_finding() -> None:
    story = Story(must_say=("40.00", "A17", "refund")).send(1).ok().effect()
    (found,) = find(story.claim("done", text="A17 paid", evidence=(1,)), "FL504")
    assert "40.00" in found.text and "refund" in found.text


def test_only_done_must_say_something() -> None:
    story = Story(must_say=("40.00",)).send(1).status(422)
    assert codes(story.claim("not_done")) == ""


@pytest.mark.parametrize("evidence", [(), (9,), (2,)], ids=["none", "absent", "of another call"])
@pytest.mark.parametrize("known", [True, False])
def test_evidence_that_does_not_support_is_a_note_where_the_outcome_was_known(
    evidence: tuple[int, ...], known: bool
) -> None:
    story = Story().send(1)
    story = (story.ok() if known else story.lost()).effect().ask(2, "get_order").told(answer="not_ready")
    found = find(story.claim("done", evidence=evidence), "FL505")
    assert [item.severity for item in found] == ["note" if known else "fail"]


def test_a_call_that_does_not_exist_is_no_evidence_of_anything() -> None:
    story = Story().send(1).status(422)
    assert [item.severity for item in find(story.claim("not_done", evidence=(5,)), "FL505")] == ["note"]


def test_the_worst_of_several_unsupported_claims_counts() -> None:
    story = Story(expect=(Expected("refund_order", "A17"), Expected("refund_order", "B92")))
    story.send(1).ok().effect().send(2, order="B92").lost().effect(order="B92")
    (found,) = find(story.claim("done"), "FL505")
    assert (found.severity, found.operation) == ("fail", "refund_order(B92)")


@pytest.mark.parametrize(
    ("make", "evidence"),
    [
        (lambda: Story("strict").send(1, key="k1").lost().send(7, key="k1").ok(replay=True), 2),
        (lambda: Story().send(1, reference="r1").lost().ask(7).told("r1", None), 2),
        (
            lambda: Story("status").send(1, reference="r1").lost()
            .ask(7, "operation_status", "status", reference="r1")
            .told("r1", handle="r1", definitive=True),
            2,
        ),
    ],
    ids=["replay", "list", "status"],
)  # fmt: skip
def test_a_replay_and_a_read_that_shows_the_own_effect_are_evidence(make: Any, evidence: int) -> None:
    assert judge(make().effect(call=1).claim("done", evidence=(evidence,))).findings == ()


def test_done_without_any_call_is_false_and_without_evidence() -> None:
    verdict = judge(Story().claim("done"))
    assert (" ".join(verdict.codes), verdict.mark) == ("FL102 FL501 FL505", "harm")
