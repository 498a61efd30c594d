"""Each rule against two histories that differ by one record."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import pytest
from rules.pairs import PAIRS as PLAIN
from rules.pairs import Pair
from rules.pairs_versions import PAIRS as VERSIONS

from faultlab.core.history import History
from faultlab.core.records import Call
from faultlab.core.verdict import Verdict
from faultlab.rules.catalog import CATALOG, RULES
from faultlab.rules.judge import exercised, judge

PAIRS = (*PLAIN, *VERSIONS)


def codes(verdict: Verdict) -> str:
    return " ".join(sorted({finding.code for finding in verdict.findings}))


def changed(good: Sequence[Any], bad: Sequence[Any]) -> int:
    """How many records were put in, left out or replaced."""
    steps = SequenceMatcher(None, [repr(item) for item in good], [repr(item) for item in bad], False).get_opcodes()
    return sum(max(there - here, then - now) for tag, here, there, now, then in steps if tag != "equal")


def truth(history: History) -> list[Any]:
    """The ledger without the names of its lines, which only say in which order they were written."""
    return [effect._replace(id="", reverses=effect.reverses and "one") for effect in history.ledger]


def test_every_rule_has_a_pair() -> None:
    assert {pair.code for pair in PAIRS} == set(CATALOG)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.code)
def test_one_record_makes_the_difference(pair: Pair) -> None:
    good, bad = pair.make(False), pair.make(True)
    assert changed(good.events, bad.events) + changed(truth(good), truth(bad)) == 1
    assert good.brief == bad.brief
    assert codes(judge(good)) == pair.good
    assert codes(judge(bad)) == pair.bad


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.code)
def test_a_finding_is_as_severe_as_its_rule_and_says_where(pair: Pair) -> None:
    history = pair.make(True)
    rule = CATALOG[pair.code]
    found = [item for item in judge(history).findings if item.code == pair.code]
    assert [item.severity for item in found] == [rule.severity]
    numbers = {event.n for event in history.events if isinstance(event, Call)}
    assert set(found[0].calls) <= numbers
    assert set(found[0].effects) <= {effect.id for effect in history.ledger}
    if rule.group in ("effects", "recovery", "keys"):
        assert found[0].operation
        assert found[0].calls
    assert found[0].text
    assert "\n" not in found[0].text


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.code)
def test_a_rule_that_finds_something_was_exercised(pair: Pair) -> None:
    assert pair.code in exercised(pair.make(True))


def test_catalog_is_in_order_and_explains_itself() -> None:
    assert [rule.code for rule in RULES] == sorted({rule.code for rule in RULES})
    for rule in RULES:
        texts = (rule.title, rule.what, rule.why, *rule.safe_instead, rule.not_flagged, rule.source)
        assert all(texts), rule.code
        assert rule.safe_instead, rule.code
        assert rule.what.endswith(".") and rule.why.endswith("."), rule.code
        assert (rule.severity == "veto") <= rule.harm, rule.code
