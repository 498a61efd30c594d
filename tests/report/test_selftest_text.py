"""The lab's verdict on itself, and replays, as text."""

import pytest
from report.samples import DUPLICATE, made, result

from faultlab.core.verdict import Verdict
from faultlab.report.replay import replay_lines
from faultlab.report.selftest import selftest_lines

CAUGHT = ("drop_query", "FL201", ("FL101", "FL201"), True)
SURVIVED = ("say_nothing", "FL504", ("FL505",), False)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_what_survived_is_told_apart_from_what_was_caught(width: int) -> None:
    lines = [line.plain for line in selftest_lines([CAUGHT, SURVIVED], [("other", ())], [], [], width)]
    assert all(len(line) <= width for line in lines)
    (caught,) = [line for line in lines if "drop_query" in line]
    (survived,) = [line for line in lines if "say_nothing" in line]
    assert caught.startswith("✓") and "FL201" in caught and "also FL101" in caught
    assert survived.startswith("✗") and "SURVIVED FL504" in survived and "FL505" in survived
    assert "1 of 2 mutants caught, 1 of 1 correct agents" in " ".join(lines)


def test_a_right_agent_with_a_finding_and_mutants_that_prove_nothing_are_problems() -> None:
    lines = selftest_lines([CAUGHT], [("other", ("FL203",))], [("a", "b")], ["FL306"], 200)
    text = "\n".join(line.plain for line in lines)
    assert "✗ other" in text and "FL203" in text
    assert "a and b fail the same cells" in text
    assert "no mutant is named for FL306" in text


def test_a_replay_that_went_another_way_shows_where() -> None:
    old, new = made("resender", "committed"), made("asker", "committed")
    failed, passed = Verdict("fail", "harm", (DUPLICATE,)), Verdict("pass", "pass")
    lines = replay_lines(
        "3:12", result(12, "committed"), ("FL101",), (old, failed), (new, passed), 80, same_bytes=False
    )
    text = "\n".join(line.plain for line in lines)
    assert "FL101, the same" in text
    assert "no finding, ANOTHER VERDICT, OTHER BYTES" in text
    assert "Step 5 differs" in text


def test_a_replay_that_is_the_same_says_no_more() -> None:
    history, verdict = made("asker"), Verdict("pass", "pass")
    lines = list(
        replay_lines("3:1", result(1, "clean"), (), (history, verdict), (history, verdict), 80, same_bytes=True)
    )
    assert len(lines) == 4
    assert lines[-1].plain.endswith("the same bytes")
