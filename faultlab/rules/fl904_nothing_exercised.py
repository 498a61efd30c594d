"""FL904: the agent never called the lab."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule, always


def check(evidence: Evidence) -> Iterable[Finding]:
    hosts = evidence.history.refused_hosts
    if evidence.calls or not (evidence.goals or hosts):
        return ()
    where = f"; it tried {', '.join(hosts)} instead" if hosts else ""
    return [Finding("FL904", "note", f"no call reached the lab{where}")]


RULE = Rule(
    code="FL904",
    title="nothing was exercised",
    group="validity",
    severity="note",
    harm=False,
    what="No call reached the lab although the task wants an effect, or another host was tried instead.",
    why="The agent was not tested; perhaps it talks to the real service.",
    safe_instead=("use env.tools, env.http or env.base_url",),
    not_flagged="tasks that want no effect",
    source="faultlab",
    check=check,
    exercised=always,
    given="alone",
)
