"""FL901: the situation under test never came about."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule, always


def check(evidence: Evidence) -> Iterable[Finding]:
    fired, planned = evidence.fired, evidence.brief.required_faults
    if fired >= planned:
        return ()
    return [Finding("FL901", "note", f"{fired} of {planned} required faults fired: the attempt says nothing")]


RULE = Rule(
    code="FL901",
    title="required fault did not fire",
    group="validity",
    severity="note",
    harm=False,
    what="The agent never made the call that the fault was planned for.",
    why="A test whose fault did not fire has tested nothing.",
    safe_instead=("look at `faultlab show`: did the agent use another tool, or stop before?",),
    not_flagged="armed faults, which may stay unfired",
    source="Apache Camel CAMEL-26790: an experiment whose faults never fired is inconclusive",
    check=check,
    exercised=always,
    given="fired_short",
)
