"""What a read was asked and what its answer tells about effects: stored with the receipt, to be judged again."""

from collections.abc import Mapping
from typing import Any

from faultlab.core.answers import handle_reveal, is_fresh
from faultlab.core.canonical import identity_of
from faultlab.core.contract import Contract
from faultlab.core.records import Call, Reveal
from faultlab.core.tools import Toolset


def reveals(
    toolset: Toolset, contract: Contract, call: Call, body: Any, headers: Mapping[str, str]
) -> tuple[Reveal, ...]:
    """`body`: the decoded 2xx answer, or None for a read that gave none (then only what was asked is told)."""
    tool = toolset.tools[call.tool]
    if tool.kind != "read":
        return (handle_reveal(tool.kind, contract, str(call.args.get("reference", "")), body),)
    told = []
    for target, shown_in in tool.shows:
        names = toolset.tools[target].identity
        if not all(name in call.args for name in names):
            continue
        shown = tuple(shown_in(body)) if isinstance(body, Mapping) else ()
        told.append(
            Reveal(
                target,
                identity_of(names, call.args),
                None,
                shown,
                "present" if shown else "absent",
                fresh=is_fresh(body, headers),
            )
        )
    return tuple(told)


def is_negative(told: tuple[Reveal, ...], late: Call) -> bool:
    """An answer about a pending call that does not show its effect."""
    own = {late.key, late.reference} - {None}
    for reveal in told:
        if reveal.handle is not None:
            if reveal.handle in own and reveal.answer != "present":
                return True
        elif reveal.tool == late.tool and reveal.identity in (late.items or (late.identity,)):
            return not own or not own.intersection(reveal.shown)
    return False
