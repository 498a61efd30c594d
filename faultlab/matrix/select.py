"""Which groups, cells and attempts a user chose."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from faultlab.core.errors import BadInput
from faultlab.matrix.row import Job
from faultlab.matrix.scenario import Group, Scenario

SMOKE = (
    ("lost-receipt", "none"),
    ("lost-receipt", "status"),
    ("lost-receipt", "settle"),
    ("lost-receipt", "strict"),
    ("two-intended", "strict"),
    ("refund-with-user", "none"),
)
"""The groups of `--suite smoke`."""

SUITES = ("boundary", "natural", "broken_promise", "smoke")
_WORD = re.compile(r"\(|\)|[^\s()]+")

CellKey = tuple[str, str, str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Names as the user gave them; empty ones select everything."""

    contracts: tuple[str, ...] = ()
    suite: str = ""
    twins: tuple[str, ...] = ()
    expression: str = ""

    def jobs(self, jobs: Sequence[Job], groups: Sequence[Group], failed: Collection[CellKey] | None) -> list[Job]:
        """The jobs that remain; they keep their numbers' order and are numbered anew."""
        known = {twin for group in groups for twin in group.twins}
        for twin in self.twins:
            if twin not in known:
                raise BadInput(f"unknown twin {twin!r}; the chosen groups have: {', '.join(sorted(known))}")
        kept = [job for job in jobs if self._wants(job, groups[job.group], failed)]
        return [job._replace(number=number) for number, job in enumerate(kept, 1)]

    def _wants(self, job: Job, group: Group, failed: Collection[CellKey] | None) -> bool:
        names = (job.agent, group.scenario.id, group.contract.name, job.twin)
        if self.twins and job.twin not in self.twins:
            return False
        if failed is not None and names not in failed:
            return False
        return not self.expression or matches(self.expression, " ".join(names))


def select(scenarios: Sequence[Scenario], selection: Selection) -> list[Group]:
    """The groups of the scenarios under the chosen contracts and suite. Raises BadInput for unknown names."""
    groups = [group for scenario in scenarios for group in scenario.groups()]
    known = dict.fromkeys(group.contract.name for group in groups)
    for name in selection.contracts:
        if name not in known:
            raise BadInput(f"unknown contract {name!r}; the chosen scenarios have: {', '.join(known)}")
    if selection.suite and selection.suite not in SUITES:
        raise BadInput(f"unknown suite {selection.suite!r}; known: {', '.join(SUITES)}")
    if selection.contracts:
        groups = [group for group in groups if group.contract.name in selection.contracts]
    if selection.suite == "smoke":
        groups = [group for group in groups if (group.scenario.id, group.contract.name) in SMOKE]
    elif selection.suite:
        groups = [group for group in groups if group.scenario.suite == selection.suite]
    if not groups:
        raise BadInput("no group is left of what was chosen; `faultlab scenarios` lists them")
    return groups


def matches(expression: str, text: str) -> bool:
    """pytest's -k: words joined by and, or, not and parentheses; a word matches anywhere in `text`."""
    words = _WORD.findall(expression)
    value, rest = _either(words, text.lower(), expression)
    if rest:
        raise _wrong(expression, rest[0])
    return value


def _wrong(expression: str, word: str) -> BadInput:
    return BadInput(f"-k {expression!r}: {word!r} is out of place; write words with and, or, not and parentheses")


def _either(words: list[str], text: str, whole: str) -> tuple[bool, list[str]]:
    value, words = _both(words, text, whole)
    while words and words[0] == "or":
        other, words = _both(words[1:], text, whole)
        value = value or other
    return value, words


def _both(words: list[str], text: str, whole: str) -> tuple[bool, list[str]]:
    value, words = _one(words, text, whole)
    while words and words[0] == "and":
        other, words = _one(words[1:], text, whole)
        value = value and other
    return value, words


def _one(words: list[str], text: str, whole: str) -> tuple[bool, list[str]]:
    if not words or words[0] in ("and", "or", ")"):
        raise _wrong(whole, words[0] if words else "the end")
    if words[0] == "not":
        value, rest = _one(words[1:], text, whole)
        return not value, rest
    if words[0] == "(":
        value, rest = _either(words[1:], text, whole)
        if not rest or rest[0] != ")":
            raise _wrong(whole, rest[0] if rest else "the end")
        return value, rest[1:]
    return words[0].lower() in text, words[1:]
