"""What a judge says of an attempt, and how verdicts of attempts, cells and groups merge."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

Severity = Literal["veto", "fail", "caution", "note"]
SEVERITIES: tuple[Severity, ...] = ("veto", "fail", "caution", "note")
"""Worst first. A note does not fail an attempt."""

AttemptVerdict = Literal["pass", "fail", "timeout", "infra_error"]
CellVerdict = Literal["PASS", "FAIL", "INCONCLUSIVE"]
Mark = Literal["pass", "harm", "wrong", "inconclusive"]
"""harm: an effect too many or missing, or a false claim; wrong: no harm, wrong move (luck or over-caution)."""

GLYPHS: Mapping[Mark, str] = {"pass": "✓", "harm": "✗", "wrong": "!", "inconclusive": "?"}
ASCII_GLYPHS: Mapping[Mark, str] = {"pass": "+", "harm": "x", "wrong": "!", "inconclusive": "?"}
WORST: tuple[Mark, ...] = ("harm", "wrong", "inconclusive", "pass")


class Finding(NamedTuple):
    """One rule's result, with its evidence."""

    code: str
    severity: Severity
    text: str
    """One line: operation, numbers, what was wrong."""
    operation: str = ""
    """Label of the operation that it is about."""
    calls: tuple[int, ...] = ()
    effects: tuple[str, ...] = ()
    cause: Literal["agent", "server", "interference", "middlebox"] = "agent"


class Score(NamedTuple):
    """How one group of rules fared: operations without a finding, of those that gave it something to judge."""

    group: str
    clean: int
    exercised: int


class Verdict(NamedTuple):
    """The judgement of one attempt."""

    verdict: AttemptVerdict
    mark: Mark
    findings: tuple[Finding, ...] = ()
    """Worst first, then by code. Notes and findings caused by the server are among them."""
    excluded_reason: str = ""
    """Why an infra_error does not count: `fault_not_fired`, `rule_crashed`, ..."""
    knowledge: tuple[tuple[str, str], ...] = ()
    """Operation -> what its receipts had proved when the agent made its claim."""
    queries_before_resend: int = 0
    """Reads about an operation that was sent again after them."""
    scores: tuple[Score, ...] = ()
    """The groups of rules that were exercised; one that is missing has nothing to say."""

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes that failed the attempt, each once, in order."""
        return tuple(sorted({item.code for item in self.findings if item.severity != "note" and item.cause == "agent"}))


def added(scores: Iterable[Score]) -> tuple[Score, ...]:
    """Scores of several attempts as one line a group, in order of their first appearance."""
    sums: dict[str, Score] = {}
    for group, clean, exercised in scores:
        before = sums.get(group, Score(group, 0, 0))
        sums[group] = Score(group, before.clean + clean, before.exercised + exercised)
    return tuple(sums.values())


def merge_cell(verdicts: Iterable[AttemptVerdict]) -> CellVerdict:
    """FAIL if any attempt fails or times out, else INCONCLUSIVE if any is infra_error, else PASS."""
    seen = set(verdicts)
    if seen & {"fail", "timeout"}:
        return "FAIL"
    return "INCONCLUSIVE" if "infra_error" in seen or not seen else "PASS"


def merge_group(cells: Iterable[CellVerdict]) -> CellVerdict:
    """The same, over all twins and the clean run."""
    seen = set(cells)
    if "FAIL" in seen:
        return "FAIL"
    return "INCONCLUSIVE" if "INCONCLUSIVE" in seen or not seen else "PASS"


def worst(marks: Iterable[Mark]) -> Mark:
    """The mark to show where several share a column."""
    seen = set(marks)
    return next((mark for mark in WORST if mark in seen), "inconclusive")
