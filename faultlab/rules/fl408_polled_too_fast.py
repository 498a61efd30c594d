"""FL408: one thing was looked at again and again, faster than it can change."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
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
    if len(names) <= ENOUGH or max(Counter(names).values()) <= ENOUGH:
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
    about = told_of(evidence)
    for several in between_writes(evidence):
        poll_ns = interval_ns(evidence, {tool for run in several for call in run for tool in about.get(call.n, ())})
        for run in several:
            for near in parted(run, poll_ns):
                yield near, poll_ns


def between_writes(evidence: Evidence) -> Iterable[list[list[Call]]]:
    """The reads of each thing, in the rows between own writes."""
    found: dict[Hashable, list[list[Call]]] = {}
    written = 0
    for call in evidence.made:
        if call.kind == "write":
            written = call.n
            continue
        several = found.setdefault((call.tool, canonical(call.args)), [[]])
        if several[-1] and several[-1][-1].n < written:
            several.append([])
        several[-1].append(call)
    return found.values()


def parted(run: list[Call], poll_ns: int) -> Iterable[list[Call]]:
    """A row, cut where the interval was waited out."""
    near: list[Call] = []
    for call in run:
        if near and call.t - near[-1].t >= poll_ns:
            yield near
            near = []
        near.append(call)
    yield near


def told_of(evidence: Evidence) -> Mapping[int, set[str]]:
    """Read -> the write tools that it tells about, or was asked about."""
    found = {
        number: {reveal.tool for reveal in receipt.reveals if reveal.tool}
        for number, receipt in evidence.receipts.items()
    }
    for operation in evidence.operations:
        for read in operation.reads:
            found.setdefault(read.call, set()).add(operation.tool)
    return found


def interval_ns(evidence: Evidence, tools: Iterable[str]) -> int:
    """The shortest that the tools read about state; the contract speaks for one that states none, and for no tool."""
    writes, usual_s = evidence.brief.writes, evidence.contract.poll_s
    stated = [writes[tool].poll_s or usual_s for tool in tools if tool in writes]
    return ns(min(stated, default=usual_s))


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
        "wait the interval that the tool states, else that of the contract, else 5 s, between two looks",
        "after failures wait longer each time",
    ),
    not_flagged="reads with an own write between them; waits that grow",
    source="MCP 2026-07-28, tasks: pollInterval; RFC 9110 section 10.2.3",
    check=check,
    exercised=exercised,
)
