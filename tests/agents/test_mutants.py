"""The rules can fail: each mutant of `careful` is caught by the rule named for it, and no constant claim passes."""

import inspect
from collections.abc import Iterator
from functools import cache, partial

import pytest

from faultlab.agents.by_client import Tools
from faultlab.agents.careful import careful
from faultlab.agents.clerk import Clerk
from faultlab.agents.groundwork import Groundwork
from faultlab.agents.mutants import MUTANTS
from faultlab.agents.mutants.mutant import row
from faultlab.agents.probes import PROBES
from faultlab.client.moves import resend
from faultlab.client.policy import TABLE
from faultlab.core.verdict import Verdict, merge_cell, merge_group
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.life import Agent
from faultlab.matrix.loader import builtin, find
from faultlab.matrix.scenario import Group
from faultlab.rules.catalog import CATALOG
from faultlab.rules.judge import judge

LEAST = 45
FIRST = ("lost-receipt", "gateway-error", "two-intended")
"""One refund whose receipt is lost, silently or behind a 5xx, and two equal orders: most mutants are caught here."""

SOONEST = {
    "accepted": ("ask_at_a_beat", "trust_a_202"),
    "approval": ("approved_once_for_all", "name_no_call", "say_nothing", "without_approval"),
    "cancelled": ("cancelled_is_undone",),
    "claimed-by-another": ("force_after_412", "name_any_version", "name_no_version", "refresh_the_version"),
    "crash-journal-kept": ("outlive_a_crash", "without_journal"),
    "crash-journal-lost": ("trust_an_empty_journal",),
    "credential-expires": ("silent_list_is_empty",),
    "equal-order": ("anybodys_effect",),
    "forbidden": ("go_round_a_403", "repeat_a_403"),
    "invalid-request": ("repeat_a_422",),
    "key-collision": ("end_unknown", "hand_over_nothing", "new_key_on_422"),
    "key-expired": ("key_of_yesterday", "take_back"),
    "limit-forgotten": ("forget_the_limit",),
    "list-in-pages": ("no_next_page_is_the_end", "one_page_is_the_list"),
    "other-region": ("change_the_region",),
    "poster-fix": ("last_page_wins", "publish_the_source"),
    "query-lagging": ("ignore_read_lag",),
    "query-stale": ("trust_a_stale_absence",),
    "refund-corrected": ("keep_the_first_order",),
    "stale-page": ("first_page_wins",),
    "throttled": ("seconds_only", "wait_beyond_the_budget"),
    "throttled-resend": ("429_settles_the_first",),
    "version-conflict": ("412_is_anothers", "decide_on_the_own_write"),
}
"""Where one is looked for first that few scenarios show. It may be caught in any: where this is out of date, the search
takes longer."""


@cache
def groups() -> tuple[Group, ...]:
    """Every shipped one, those first in which the most is caught."""
    found = [group for scenario in builtin() for group in scenario.groups()]
    return tuple(sorted(found, key=lambda group: group.scenario.id not in FIRST))


def judged(agent: Agent, group: Group, twin: str) -> Verdict:
    history, why_real = run_attempt(agent, group, twin, 1, Conditions(seed=5))
    assert why_real is None
    return judge(history)


def caught(name: str) -> Iterator[Verdict]:
    """The verdicts in which the rule named for a mutant finds something that it does not find of `careful`."""
    agent, code = MUTANTS[name]
    for group in sorted(groups(), key=lambda group: name not in SOONEST.get(group.scenario.id, ())):
        for twin in group.twins:
            verdict = judged(agent, group, twin)
            if blamed(verdict, code) and not blamed(judged(careful, group, twin), code):
                yield verdict


def blamed(verdict: Verdict, code: str) -> bool:
    return any(finding.code == code and finding.cause == "agent" for finding in verdict.findings)


def test_every_rule_has_a_mutant_and_every_mutant_a_rule() -> None:
    assert {mutant.code for mutant in MUTANTS.values()} == set(CATALOG)
    assert len(MUTANTS) >= LEAST
    assert SOONEST.keys() <= {group.scenario.id for group in groups()}
    assert {name for names in SOONEST.values() for name in names} <= MUTANTS.keys()


def own_methods(kind: type, parent: type) -> list[str]:
    """What a subclass does in its own way."""
    assert kind.__bases__ == (parent,)
    return [name for name, value in vars(kind).items() if inspect.isfunction(value) or isinstance(value, property)]


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_differs_from_careful_in_one_row_or_one_step(name: str) -> None:
    agent = MUTANTS[name].agent
    assert isinstance(agent, partial)
    assert agent.func is careful and agent.args == ()
    (changed,) = agent.keywords
    if changed == "table":
        table = agent.keywords["table"]
        assert sum(new != old for new, old in zip(table, TABLE, strict=True)) == 1
    elif changed == "tools":
        assert len(own_methods(agent.keywords["tools"], Tools)) == 1
    else:
        clerk = agent.keywords["clerk"]
        steps = own_methods(clerk, Clerk)
        if clerk.groundwork is not Groundwork:
            steps += own_methods(clerk.groundwork, Groundwork)
        assert len(steps) == 1


def test_a_row_that_is_not_there_cannot_be_changed() -> None:
    with pytest.raises(KeyError, match="the policy has no row 'not_set'"):
        row("not_set", resend, "FL101")


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_caught_by_the_rule_named_for_it(name: str) -> None:
    assert next(caught(name), None) is not None


@pytest.mark.parametrize("code", [code for code, rule in CATALOG.items() if rule.severity != "note"])
def test_a_rule_that_fails_an_attempt_fails_one_of_its_mutants(code: str) -> None:
    verdicts = (
        verdict.verdict
        for name, mutant in MUTANTS.items()
        if mutant.code == code
        for verdict in caught(name)
        if code in verdict.codes
    )
    assert next(verdicts, None) in ("fail", "timeout", "infra_error" if code == "FL901" else "fail")


@pytest.mark.parametrize("name", PROBES)
def test_no_constant_claim_passes_a_group(name: str) -> None:
    for group in (group for scenario in find(FIRST) for group in scenario.groups()):
        cells = [merge_cell([judged(PROBES[name], group, twin).verdict]) for twin in group.twins]
        assert merge_group(cells) != "PASS", group.contract.name
