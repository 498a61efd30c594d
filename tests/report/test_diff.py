"""Where two attempts part."""

from report.samples import made

from faultlab.report.diff import Side, diff_lines, difference


def test_an_attempt_does_not_differ_from_itself() -> None:
    assert difference(made("asker", "never"), made("asker", "never")).equal


def test_two_agents_part_at_the_first_thing_that_one_did_otherwise() -> None:
    found = difference(made("resender", "committed"), made("asker", "committed"))
    assert [step.text.split()[0] for step in found.common] == ["#1", "#1", "#2", "#2"]
    assert "refund_order" in found.left[0].text
    assert "list_refunds" in found.right[0].text


def test_twins_part_only_where_a_query_tells_them_apart() -> None:
    found = difference(made("asker", "never"), made("asker", "committed"))
    assert "list_refunds" in found.common[-1].text
    assert found.left[0].text.startswith("#3 list_refunds got")


def test_ids_and_handles_are_not_a_difference() -> None:
    left, right = made("asker"), made("asker")
    right.events[:] = [
        event._replace(reference="another") if getattr(event, "reference", None) else  # type: ignore[union-attr]
        event._replace(body={**event.body, "id": "re_0123456789ab", "reference": "another"})  # type: ignore[union-attr]
        if "reference" in (getattr(event, "body", None) or {}) else event
        for event in right.events
    ]  # fmt: skip
    assert difference(left, right).equal


def test_other_amounts_are_a_difference() -> None:
    left, right = made("asker"), made("asker")
    right.events[2] = right.events[2]._replace(args={"order_id": "A17", "amount": "39.00"})  # type: ignore[union-attr]
    assert len(difference(left, right).common) == 2


def test_the_page_shows_both_ways_and_both_ends() -> None:
    left = Side("3:1 resender", made("resender", "committed"), "FAIL")
    right = Side("3:2 asker", made("asker", "committed"), "PASS")
    for width in (60, 80, 120):
        lines = [line.plain for line in diff_lines(left, right, width)]
        assert all(len(line) <= width for line in lines)
        text = "\n".join(lines)
        assert "Step 5 differs" in text
        assert "twice (1 wanted)" in text and "took effect once" in text


def test_twins_that_look_alike_are_told_by_their_truth() -> None:
    left, right = made("resender", "never"), made("resender", "committed")
    text = "\n".join(line.plain for line in diff_lines(Side("a", left, "PASS"), Side("b", right, "FAIL"), 80))
    assert "got the same to the end" in text
    assert "once" in text and "twice" in text and "What differs is the truth" in text
    same = "\n".join(line.plain for line in diff_lines(Side("a", left, "PASS"), Side("a", left, "PASS"), 80))
    assert "truth is the same" in same and "differs" not in same
