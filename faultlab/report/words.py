"""Small pieces of a history in few words: arguments, bodies, handles, times, what was said and what is true."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from faultlab.core.canonical import label
from faultlab.core.clock import NS
from faultlab.core.contract import Contract
from faultlab.core.history import History
from faultlab.core.records import Call, Claim

HANDLE = 10
"""Characters of a key or reference that a timeline shows; the history holds all."""

ITEM = 24
"""Characters of one value that a timeline shows."""


def arguments(args: Mapping[str, Any]) -> str:
    """The values alone, in the tool's own order: `A17 40.00`."""
    return " ".join(_short(value) for value in args.values())


def body_words(body: Any) -> str:
    """A body by its values: `A17 paid 40.00`; lists by how many they hold."""
    if isinstance(body, Mapping):
        return " ".join(filter(None, (_member(name, value) for name, value in body.items()))) or "empty"
    return _short(body)


def _member(name: str, value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"{len(value)} {name.removesuffix('s') if len(value) == 1 else name}"
    if value is None or isinstance(value, Mapping):
        return ""
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return _short(value)


def _short(value: Any) -> str:
    return middle_cut(str(value), ITEM)


def middle_cut(text: str, width: int) -> str:
    """Both ends of a long text: what tells two keys of one agent apart is often the last letter."""
    if len(text) <= width:
        return text
    tail = width * 6 // 10
    return f"{text[: width - tail - 1]}…{text[-tail:]}"


def handle_words(call: Call, contract: Contract) -> str:
    """The key where one is honoured, else the reference; and the condition."""
    words = []
    if call.key is not None:
        words.append(f"key {_handle(call.key)}")
    elif call.reference is not None and call.kind == "write":
        words.append(f"ref {_handle(call.reference)}")
    if call.if_match is not None:
        words.append(f"if-match {_handle(call.if_match)}")
    return " ".join(words)


def _handle(text: str) -> str:
    return middle_cut(text, HANDLE)


TIED = "\N{NO-BREAK SPACE}"
"""Keeps a number and its unit in one line; drawn as a blank."""


def seconds(t_ns: int) -> str:
    """`5 s`, `0.05 s`, with a blank at which no line breaks."""
    return f"{t_ns / NS:.2f}".rstrip("0").rstrip(".") + f"{TIED}s"


def said(history: History) -> str:
    """What the agent claims, or how it ended without a claim."""
    claim = history.claim
    if claim is None:
        return f"nothing: {history.end}" + (f", {history.error}" if history.error else "")
    text = f', "{claim.text}"' if claim.text else ""
    parts = "".join(f"; {operation}: {status}" for operation, status in differing(claim))
    return f"{claim.status}{text}{parts}"


def differing(claim: Claim) -> Iterator[tuple[str, str]]:
    """The operations of which it says something else than of the whole."""
    return ((operation, status) for operation, status in claim.operations.items() if status != claim.status)


def truth(history: History) -> Iterator[str]:
    """For each operation that was wanted or took effect: how often, against how often it was wanted."""
    reversed_ids = {effect.reverses for effect in history.ledger if effect.reverses}
    happened = Counter((effect.tool, effect.identity) for effect in history.ledger if effect.reverses is None)
    back = Counter((effect.tool, effect.identity) for effect in history.ledger if effect.id in reversed_ids)
    wanted = {(item.tool, item.identity): item.exactly for item in history.brief.expectation.effects}
    for key in dict.fromkeys([*wanted, *happened]):
        count, aim = happened[key], wanted.get(key, 0)
        taken = f", {back[key]} taken back" if back[key] else ""
        asked = f" ({aim} wanted)" if count - back[key] != aim else ""
        effect = f"took effect {times(count)}" if count else "never took effect"
        yield f"{label(*key)} {effect}{taken}{asked}"


def times(count: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
