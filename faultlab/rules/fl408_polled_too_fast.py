"""FL408: one thing was looked at again and again, faster than it can change."""

from collections.abc import Hashable, Iterable
from itertools import pairwise

from faultlab.core.canonical import canonical
from faultlab.core.clock import NS, ns
from faultlab.core.records import Call
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule

ENOUGH = 3
"""So many reads may stand as close together as one likes."""


def check(evidence: Evidence) -> Iterable[Finding]:
    names = [call.tool for call in evidence.made if call.kind != "write"]
    if len(names) <= ENOUGH or max(map(names.count, names)) <= ENOUGH:
        return ()
    return [hasty(run, poll) for run, poll in runs(evidence) if len(run) > ENOUGH and not growing(run)]


def hasty(run: list[Call], poll_ns: int) -> Finding:
    gaps = [later.t - earlier.t for earlier, later in pairwise(run)]
    text = (
        f"{run[0].tool} was asked {len(run)} times, {min(gaps) / NS:.2f} to {max(gaps) / NS:.2f} s apart;"
        f" it is worth a look every {poll_ns / NS:g} s"
    )
    return Finding("FL408", "fail", text, "", tuple(call.n for call in run))


def growing(run: list[Call]) -> bool:
    """Each wait is longer than the one before."""
    gaps = [later.t - earlier.t for earlier, later in pairwise(run)]
    return all(later > earlier for earlier, later in pairwise(gaps))


def runs(evidence: Evidence) -> Iterable[tuple[list[Call], int]]:
    """Reads of one thing that follow each other sooner than its poll interval, no own write between them."""
    poll_ns = ns(interval_s(evidence))
    found: dict[Hashable, list[list[Call]]] = {}
    for call in evidence.made:
        if call.kind == "write":
            for several in found.values():
                several.append([])
            continue
        several = found.setdefault((call.tool, canonical(call.args)), [[]])
        if several[-1] and call.t - several[-1][-1].t >= poll_ns:
            several.append([])
        several[-1].append(call)
    for several in found.values():
        for run in several:
            yield run, poll_ns


def interval_s(evidence: Evidence) -> float:
    """The shortest that anybody states."""
    stated = [terms.poll_s for terms in evidence.brief.writes.values() if terms.poll_s is not None]
    return min([evidence.contract.poll_s, *stated])


def exercised(evidence: Evidence) -> bool:
    """Some thing was looked at more than once."""
    asked = [(call.tool, canonical(call.args)) for call in evidence.made if call.kind != "write"]
    return len(set(asked)) < len(asked)


RULE = Rule(
    code="FL408",
    title="polled too fast",
    group="pace",
    severity="fail",
    harm=False,
    what="More than three reads of one thing followed each other faster than its poll interval, without growing waits.",
    why="Repeating a question does not make its answer conclusive; it costs calls, and the server its patience.",
    safe_instead=(
        "wait the stated interval between two looks, 5 s where none is stated",
        "after failures wait longer each time",
    ),
    not_flagged="reads with an own write between them; waits that grow",
    source="MCP 2026-07-28, tasks: pollInterval; RFC 9110 section 10.2.3",
    check=check,
    exercised=exercised,
)
