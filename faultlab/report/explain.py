"""A code or fault explained: what was found, why it matters, what to do instead, and where the rule comes from."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from faultlab.core.errors import BadInput
from faultlab.core.verdict import SEVERITIES
from faultlab.report.drawings import drawing_of
from faultlab.report.fault_words import FaultWords
from faultlab.report.faults import FAULTS
from faultlab.report.screen import SEVERITY_STYLES, cut, padded, prose
from faultlab.rules.catalog import CATALOG
from faultlab.rules.rule import Rule

SEVERITY_MEANS: Mapping[str, str] = {
    "veto": "fails the attempt, whatever else went well",
    "fail": "fails the attempt",
    "caution": "fails the attempt, counted as over-cautious, never as unsafe",
    "note": "does not fail",
}

NEAR = 0.7
"""How much of a fault's name must be right for it to be offered instead."""


def rule_of(code: str) -> Rule:
    """The rule with this code, in either case. Raises BadInput that names the codes nearest to it."""
    rule = CATALOG.get(code.upper())
    if rule is None:
        near = [known for known in CATALOG if known[:3] == code.upper()[:3]] or [
            name for name in FAULTS if difflib.SequenceMatcher(None, name, code).ratio() > NEAR
        ]
        hint = f"; there are {', '.join(near)}" if near else ""
        raise BadInput(f"nothing is called {code!r}{hint}. `faultlab explain` lists all codes and faults")
    return rule


def explain_lines(code: str, width: int, scenarios: Sequence[str] = (), mutants: Sequence[str] = ()) -> Iterator[Text]:
    """One page about one code, or about one fault by its name. `scenarios`, `mutants`: where the rule can be seen."""
    if code in FAULTS:
        yield from fault_lines(FAULTS[code], width)
        return
    rule = rule_of(code)
    head, tail = f"{rule.code}  {rule.title}", f"group: {rule.group} · severity: {rule.severity} · since {rule.since}"
    gap = width - len(head) - len(tail)
    if gap >= 2:
        yield Text.assemble((head, "bold"), " " * gap, (tail, SEVERITY_STYLES[rule.severity]))
    else:
        yield Text(head, "bold")
        yield Text(tail, SEVERITY_STYLES[rule.severity])
    yield from _wrapped(rule.what, width)
    drawn = drawing_of(rule.code)
    if drawn:
        yield Text()
        yield from (line for text in drawn for line in _drawn(text, width))
        yield Text()
    yield from _wrapped(rule.why, width, "Why it matters: ")
    yield from _safe(rule.safe_instead, width)
    yield from _wrapped(rule.not_flagged, width, "Not flagged: ")
    if rule.severity != "fail":
        yield from _wrapped(f"{SEVERITY_MEANS[rule.severity]}", width, f"A {rule.severity} ")
    yield from _wrapped(_some(scenarios), width, "Seen in: ")
    yield from _wrapped(", ".join(mutants), width, "Mutants: ")
    yield from _wrapped(rule.source, width, "Source: ")


SHOWN = 8
"""So many scenarios are named."""


def _some(names: Sequence[str]) -> str:
    """The first of them, plain ones before second variants, and how many more there are."""
    plain = sorted(names, key=lambda name: name.endswith("-second"))
    more = f" and {len(plain) - SHOWN} more" if len(plain) > SHOWN else ""
    return ", ".join(plain[:SHOWN]) + more


def fault_lines(fault: FaultWords, width: int) -> Iterator[Text]:
    """One page about one fault."""
    yield Text(fault.name, "bold").append(f"  twin: {fault.twin}" if fault.twin else "", "dim")
    yield from _wrapped(fault.what, width)
    yield Text()
    yield from (line for text in fault.drawing for line in _drawn(text, width))
    yield Text()
    yield from _wrapped(fault.then, width, "A right caller: ")


def _drawn(text: str, width: int) -> Iterator[Text]:
    """A line of the example; where it is too wide, its remark goes below."""
    if len(text) + 2 <= width:
        yield Text(f"  {text}", "cyan")
        return
    event, _, remark = text.rstrip().rpartition("   ")
    yield Text(f"  {event.rstrip()}", "cyan")
    yield Text(f"      {remark.strip()}", "cyan")


def _wrapped(text: str, width: int, label: str = "") -> Iterator[Text]:
    """A paragraph with its label in bold; nothing where there is no text."""
    if not text:
        return
    for number, line in enumerate(prose(label + text, width, "  " if label else "", "")):
        drawn = Text(line)
        if number == 0:
            drawn.stylize("bold", 0, len(label))
        yield drawn


def _safe(ways: Sequence[str], width: int) -> Iterator[Text]:
    """One way in a sentence, several as a numbered list, first that applies."""
    if len(ways) == 1:
        yield from _wrapped(ways[0], width, "Safe instead: ")
    elif ways:
        yield Text("Safe instead, the first that applies:", "bold")
        for number, way in enumerate(ways, 1):
            yield from map(Text, prose(way, width, "    ", f"  {number} "))


def list_lines(width: int) -> Iterator[Text]:
    """All codes: title, severity, group."""
    titles = max(len(rule.title) for rule in CATALOG.values()) + 2
    titles = min(titles, width - 26)
    for code, rule in CATALOG.items():
        line = Text(f"{code}  {padded(cut(rule.title, titles - 2), titles)}")
        line.append(padded(rule.severity, 9), SEVERITY_STYLES[rule.severity])
        line.append(rule.group, "dim")
        yield line
    yield Text()
    for severity in SEVERITIES:
        for number, part in enumerate(prose(SEVERITY_MEANS[severity], width - 9)):
            yield Text.assemble((padded("" if number else severity, 9), SEVERITY_STYLES[severity]), part)
    yield from _wrapped(", ".join(FAULTS), width, "Faults: ")
    yield Text.assemble("One of them: ", ("faultlab explain FL201", "cyan"))


def explain_json(code: str, scenarios: Sequence[str] = (), mutants: Sequence[str] = ()) -> dict[str, Any]:
    """The same as data."""
    if code in FAULTS:
        return FAULTS[code]._asdict()
    rule = rule_of(code)
    return {
        "code": rule.code,
        "title": rule.title,
        "severity": rule.severity,
        "group": rule.group,
        "what": rule.what,
        "example": drawing_of(rule.code),
        "why": rule.why,
        "safe_instead": list(rule.safe_instead),
        "not_flagged": rule.not_flagged,
        "scenarios": list(scenarios),
        "mutants": list(mutants),
        "source": rule.source,
    }


def all_json() -> list[dict[str, Any]]:
    """Every code as data."""
    return [explain_json(code) for code in CATALOG]
