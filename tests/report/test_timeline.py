"""A timeline tells both sides: what was lost, what the caller cannot know, and what came late."""

from collections.abc import Sequence

import pytest
from report.samples import made

from faultlab.core.history import History
from faultlab.core.records import Ask, HandOver
from faultlab.report.timeline import Timeline, timeline_of
from faultlab.report.timeline_line import Line
from faultlab.report.timeline_text import arrow, layout_for, timeline_lines
from faultlab.report.words import middle_cut, said, truth

WIDTHS = (60, 80, 120)


def drawn(history: History, width: int) -> list[str]:
    return [line.plain for line in timeline_lines(timeline_of(history), width)]


def calls(timeline: Timeline, start: str) -> list[Line]:
    return [line for line in timeline.lines if line.caller.startswith(start)]


def position(lines: Sequence[Line], text: str) -> int:
    return next(number for number, line in enumerate(lines) if text in f"{line.caller} {line.server}")


def test_a_request_that_never_arrives_is_broken_and_one_whose_receipt_is_lost_is_not() -> None:
    lost, kept = timeline_of(made("asker", "never")), timeline_of(made("asker", "committed"))
    assert [line.way for line in calls(lost, "#2")] == ["lost"]
    assert [line.way for line in calls(kept, "#2")] == ["sent"]
    assert not calls(lost, "#2")[0].ledger
    assert calls(kept, "#2")[0].ledger.startswith("e1 ")
    assert [line.way for line in kept.lines if line.fault] == ["no_answer"]


def test_the_unknown_period_lasts_from_the_loss_to_the_proof() -> None:
    timeline = timeline_of(made("resender", "committed"))
    unknown = [line.unknown for line in timeline.lines]
    first, last = unknown.index(True), len(unknown) - 1 - unknown[::-1].index(True)
    assert all(unknown[first : last + 1])
    assert timeline.lines[first].fault
    assert timeline.lines[last].caller.startswith("#3")
    assert timeline.unknown == ("refund_order(A17)",)


def test_without_a_fault_nothing_is_ever_unknown() -> None:
    timeline = timeline_of(made("asker"))
    assert not any(line.unknown for line in timeline.lines)
    assert not timeline.unknown


def test_it_stays_unknown_to_the_end_where_nothing_settles_it() -> None:
    timeline = timeline_of(made("asker", "never"))
    assert timeline.lines[-1].unknown


@pytest.mark.parametrize("twin", ["late_network", "late_server"])
def test_a_late_effect_stands_at_its_own_time_between_the_query_and_its_answer(twin: str) -> None:
    history = made("asker", twin)
    lines = timeline_of(history).lines
    landed = next(line for line in lines if line.ledger)
    assert landed.t_ns == history.ledger[0].t
    assert position(lines, "#3 list_refunds") < lines.index(landed) < position(lines, "#4 list_refunds")
    assert "#2" in landed.server and not landed.caller


def test_an_effect_that_lands_after_the_claim_is_still_told() -> None:
    history = made("resender", "late_network")
    lines = timeline_of(history).lines
    assert lines[-1].t_ns == history.ledger[-1].t > history.events[-1].t
    assert lines[-1].again


def test_only_the_effect_too_many_is_marked() -> None:
    lines = timeline_of(made("resender", "committed")).lines
    assert [line.again for line in lines if line.ledger] == [False, True]


def test_a_replay_is_told_apart_from_a_second_effect() -> None:
    history = made("asker", "committed", "strict")
    call = next(event for event in history.events if getattr(event, "tool", "") == "refund_order")
    keyed = [event._replace(key="k") if event is call else event for event in history.events]
    again = call._replace(n=9, key="k", t=99)  # type: ignore[union-attr]  # a Call
    answer = next(event for event in history.events if getattr(event, "status", None) == 200)
    reply = answer._replace(call=9, t=100, headers={"idempotent-replayed": "true"})  # type: ignore[union-attr]  # a Receipt
    history.events[:] = [*keyed[:-1], again, reply, keyed[-1]]
    line = calls(timeline_of(history), "#9")[0]
    assert "key of #2" in line.server and "again" in line.server
    assert not line.ledger


def test_what_is_handed_over_is_read_below_the_claim() -> None:
    history = made("asker", "never")
    claim = history.claim
    assert claim is not None and type(claim.hand_over[0]) is HandOver
    lines = timeline_of(history).lines
    place = position(lines, "CLAIM handed_over, rests on #3, #4")
    assert "refund_order(A17)" in lines[place + 1].caller
    assert "asked in #3 #4" in lines[place + 1].caller


def test_a_question_and_its_answer_are_told() -> None:
    history = made("asker")
    history.events.insert(0, Ask(0, "Which order?", "It is A17."))
    text = "\n".join(drawn(history, 80))
    assert "Which order?" in text and "It is A17." in text


def test_an_attempt_without_a_claim_says_how_it_ended() -> None:
    history = made("endless")
    assert timeline_of(history).lines[-1].caller.startswith("END over_budget")
    assert said(history).startswith("nothing: over_budget")


def test_truth_counts_what_the_ledger_holds_against_what_was_wanted() -> None:
    assert list(truth(made("resender", "committed"))) == ["refund_order(A17) took effect twice (1 wanted)"]
    assert list(truth(made("asker", "never"))) == ["refund_order(A17) never took effect (1 wanted)"]
    assert list(truth(made("asker"))) == ["refund_order(A17) took effect once"]


@pytest.mark.parametrize("width", [50, *WIDTHS, 200])
@pytest.mark.parametrize("agent", ["resender", "asker"])
@pytest.mark.parametrize("symptom", ["timeout", "status", "garbled"])
def test_no_line_is_wider_than_the_terminal(width: int, agent: str, symptom: str) -> None:
    for twin in ("never", "committed", "late_network", "late_server"):
        assert all(len(line) <= width for line in drawn(made(agent, twin, "status", symptom), width))


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_lost_in_a_narrow_terminal(width: int) -> None:
    text = " ".join("\n".join(drawn(made("resender", "committed"), width)).split())
    for part in (
        "#3 refund_order",
        "lost_receipt",
        "ReadTimeout",
        "caller knows: UNKNOWN",
        "e1",
        "e2",
        "again",
        "CLAIM done",
    ):
        assert part in text, part


@pytest.mark.parametrize("width", WIDTHS)
def test_arrows_and_ledger_stand_in_their_columns(width: int) -> None:
    layout = layout_for(width)
    lines = drawn(made("resender", "committed"), width)
    network = layout.time + layout.caller
    arrows = [line[network : network + layout.network] for line in lines if "▶" in line or "╳" in line]
    assert arrows and all(part[0] in "─╳" and part[-1] == " " for part in arrows)
    if layout.ledger:
        ledger = network + layout.network + layout.server
        assert [line[ledger : ledger + 2] for line in lines if "committed" in line] == ["e1", "e2"]


@pytest.mark.parametrize("width", [4, 8, 18])
def test_solid_and_broken_arrows_differ_at_every_width(width: int) -> None:
    shapes = [arrow(way, width) for way in ("sent", "answer", "lost", "no_answer", "late")]
    assert len(set(shapes)) == len(shapes)
    assert {len(shape) for shape in shapes} == {width}
    assert (
        "╳" in shapes[2] and "╳" in shapes[3] and not any("╳" in shape for shape in (shapes[0], shapes[1], shapes[4]))
    )


def test_two_keys_that_differ_in_their_last_letter_look_different() -> None:
    one, other = (middle_cut(f"t_fc65dd00ffa4-refund-A17-k{number}", 10) for number in (1, 2))
    assert one != other
    assert len(one) == len(other) == 10


def test_only_an_operation_that_ended_otherwise_is_told_apart() -> None:
    history = made("asker")
    claim = history.claim
    assert claim is not None
    history.events[-1] = claim._replace(operations={"refund_order(A17)": "done", "refund_order(B92)": "handed_over"})
    text = "\n".join(drawn(history, 80))
    assert "refund_order(B92): handed_over" in text and "refund_order(A17)" not in text
