"""FL601: what was written or said rests on a revision that was known to be superseded."""

from collections.abc import Iterable, Iterator

from faultlab.core.canonical import label
from faultlab.core.operation import same_parameters
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule
from faultlab.rules.seen import Seen, View, Written, differences, named_version, newest, seen
from faultlab.rules.words import carries, says


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if evidence.sighted else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    facts = seen(evidence)
    for written in facts.writes:
        why = next(iter([*older_condition(written, facts), *copied(written)]), None)
        if why is not None:
            call = written.call
            name = label(call.tool, call.identity)
            yield Finding("FL601", "fail", f"{name}: #{call.n} {why[0]}", name, (*sorted(why[1]), call.n))
    claim = evidence.claim
    if claim is not None and claim.text:
        own = {written.object for written in facts.writes}
        for older, last in superseded(view for view in facts.views if view.object not in own):
            said = [old for old, new in differences(older, last).values() if says(claim.text, old)]
            if said and not any(says(claim.text, new) for _, new in differences(older, last).values()):
                text = f"the claim says {said[0]!r}, of {versions(older, last)}"
                yield Finding("FL601", "fail", text, "", (older.call, last.call))
                return


def superseded(views: Iterable[View]) -> Iterator[tuple[View, View]]:
    """Each older version that was seen of a thing, with the newest."""
    by_object: dict[str, list[View]] = {}
    for view in views:
        by_object.setdefault(view.object, []).append(view)
    for same in by_object.values():
        last = newest(same)
        if last is not None and last.version is not None:
            for view in same:
                if view.version is not None and view.version < last.version:
                    yield view, last


def older_condition(written: Written, facts: Seen) -> Iterator[tuple[str, set[int]]]:
    """A condition that names a version older than one seen. The same write once more is another matter."""
    call, last = written.call, newest(written.of_it)
    version = named_version(call.if_match)
    if last is None or last.version is None or version is None or version >= last.version:
        return
    earlier = (item.call for item in facts.writes if item.call.n < call.n and item.call.tool == call.tool)
    if not any(same_parameters(item, call) for item in earlier):
        yield f"names version {version}, and #{last.call} had shown version {last.version}", {last.call}


def copied(written: Written) -> Iterator[tuple[str, set[int]]]:
    """An argument that an older version of another thing said and the newest does not."""
    others = [view for view in written.before if view.object != written.object]
    for older, last in superseded(others):
        for member, (old, new) in differences(older, last).items():
            if carries(written.call.args, old) and not carries(written.call.args, new):
                yield f"carries {member} {old!r}, of {versions(older, last)}", {older.call, last.call}


def versions(older: View, last: View) -> str:
    return f"{older.object} version {older.version} (#{older.call}); #{last.call} had shown version {last.version}"


def exercised(evidence: Evidence) -> bool:
    """Two versions of one thing were seen."""
    return evidence.sighted and next(superseded(seen(evidence).views), None) is not None


RULE = Rule(
    code="FL601",
    title="stale page won",
    group="versions",
    severity="fail",
    harm=False,
    what="A write or the claim rests on a revision older than one that the agent had already seen.",
    why="What arrives last is not what was written last: a cache or an archive hands out old copies.",
    safe_instead=(
        "keep the higher revision, in whatever order they arrive",
        "where nothing says which is later, keep both and report the conflict",
    ),
    not_flagged="pages without a revision; a claim that names both; the same conditional write sent again",
    source="RFC 9111 section 4.2.4: a stale response; Lamport: the order of arrival is not the order of events",
    check=check,
    exercised=exercised,
    given="sighted",
)
