"""FL604: the version is fresh, what is written was decided on an older one."""

from collections.abc import Iterable, Iterator, Sequence

from faultlab.core.canonical import canonical, label
from faultlab.core.history import WriteTerms
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule
from faultlab.rules.seen import View, Written, differences, named_version, seen


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if evidence.sighted else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    writes = seen(evidence).writes
    sent = first_sent(writes)
    for written, first in zip(writes, sent, strict=True):
        terms = evidence.brief.writes[written.call.tool]
        if why := next(stale(written, first, terms), None):
            call = written.call
            name = label(call.tool, call.identity)
            yield Finding("FL604", "fail", f"{name}: #{call.n} {why[0]}", name, (why[1], call.n))


def basis(written: Written) -> View | None:
    """The view that a write rests on: of the version that it names, else the last one."""
    views, version = written.of_it, named_version(written.call.if_match)
    named = (view for view in reversed(views) if view.version is not None and view.version == version)
    return next(named, views[-1] if views else None)


def stale(written: Written, first: int, terms: WriteTerms) -> Iterator[tuple[str, int]]:
    """How the arguments rest on what a member said before, and the view that says otherwise.

    `first`: the call that sent the same arguments first.
    """
    fresh = basis(written)
    if fresh is None:
        return
    args, again = written.call.args, first < fresh.call
    wrong = {name: new for name, new in fresh.body.items() if name in terms.depends_on and args.get(name) != new}
    carried = [(name, args[name]) for name in wrong if name in args]
    for older in written.of_it if again or carried else ():
        if older.call >= fresh.call:
            break
        if not again and all(older.body.get(name) != value for name, value in carried):
            continue  # most views, and quickly told
        for member, (old, new) in differences(older, fresh).items():
            if member not in wrong:
                continue
            told = f"while #{fresh.call} shows {member} {new!r}"
            if args.get(member) == old:
                yield f"carries {member} {old!r}, {told}", fresh.call
            elif again:
                yield f"repeats arguments that were decided before, {told}", fresh.call


def first_sent(writes: Sequence[Written]) -> list[int]:
    """Beside each write, the first call that sent the same arguments to the same thing, perhaps itself."""
    asked = [(written.object, canonical(written.call.args)) for written in writes]
    first: dict[tuple[str, str], int] = {}
    for what, written in zip(asked, writes, strict=True):
        first[what] = min(written.call.n, first.get(what, written.call.n))
    return [first[what] for what in asked]


def exercised(evidence: Evidence) -> bool:
    """A write of a thing whose deciding members had changed between two looks."""
    if not evidence.sighted:
        return False
    for written in seen(evidence).writes:
        deciding, fresh = evidence.brief.writes[written.call.tool].depends_on, basis(written)
        if fresh is not None and any(
            member in deciding for older in written.of_it for member in differences(older, fresh)
        ):
            return True
    return False


RULE = Rule(
    code="FL604",
    title="fresh version, stale decision",
    group="versions",
    severity="fail",
    harm=False,
    what="A write names the version that was read last, but its arguments were decided on an older one.",
    why="The condition is met, and so nothing stops it from undoing the change that the 412 had protected.",
    safe_instead=("after a 412 read again, and make the arguments again from what the thing says now",),
    not_flagged="changes of members that the tool does not list in depends_on",
    source="RFC 9110 section 13.1.1; Kung and Robinson, 1981: validate what was read, not only the number",
    check=check,
    exercised=exercised,
    given="sighted",
)
