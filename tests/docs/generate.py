"""Writes docs/rules.md and docs/faults.md from the catalogs: `python tests/docs/generate.py`."""

from pathlib import Path

from faultlab.core.verdict import SEVERITIES
from faultlab.faults.catalog import ALLOWED, PHASES, TWINS
from faultlab.faults.symptoms import CONNECTING, LOSING
from faultlab.report.faults import FAULTS
from faultlab.rules.catalog import RULES

DOCS = Path(__file__).parents[2] / "docs"
HEAD = "<!-- Made by tests/docs/generate.py from the catalogs; a test holds it. -->\n\n"


def rules_page() -> str:
    """One section a rule, after a table of all."""
    lines = [
        HEAD + "# Rules",
        "",
        "A rule reads the history of an attempt and its Brief, nothing else. Severities, worst first: "
        + ", ".join(f"`{item}`" for item in SEVERITIES)
        + ". A note does not fail an attempt; a caution fails it and is counted as over-cautious, never as unsafe.",
        "",
        "| code | rule | group | severity | mark |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| [{rule.code}](#{rule.code.lower()}-{rule.title.lower().replace(' ', '-').replace(',', '')}) | {rule.title} "
        f"| {rule.group} | {rule.severity} | {'✗' if rule.harm else '!'} |"
        for rule in RULES
    ]
    for rule in RULES:
        lines += ["", f"## {rule.code} {rule.title}", "", rule.what, "", rule.why, "", "Safe instead:", ""]
        lines += [f"- {item}" for item in rule.safe_instead]
        lines += ["", f"Not flagged: {rule.not_flagged}.", "", f"Source: {rule.source}."]
    return "\n".join(lines) + "\n"


def faults_page() -> str:
    """One section a fault, the symptoms, and the table of what goes together."""
    twins = {phase: twin for twin, phase in TWINS.items()}
    symptoms = [*LOSING]
    lines = [
        HEAD + "# Faults",
        "",
        "A fault is a phase, where the request is when it strikes, and a symptom, what the caller sees of it.",
        "",
        "| phase | " + " | ".join(f"`{item}`" for item in symptoms) + " |",
        "|---|" + "---|" * len(symptoms),
    ]
    lines += [
        f"| `{phase}` | " + " | ".join("yes" if item in ALLOWED[phase] else "-" for item in symptoms) + " |"
        for phase in PHASES
    ]
    for phase, fault in PHASES.items():
        words = FAULTS[fault.name]
        twin = f" Twin: `{twins[phase]}`." if phase in twins else ""
        lines += ["", f"## {fault.name}", "", f"Phase `{phase}`.{twin} {words.what}", "", "```"]
        lines += [*words.drawing, "```", "", words.then]
    lines += ["", "## Symptoms", "", "| symptom | what the caller sees |", "|---|---|"]
    lines += [f"| `{name}` | {(look.__doc__ or '').splitlines()[0]} |" for name, look in LOSING.items()]
    lines += [f"| `{name}` of `connect` | {look.__doc__} |" for name, look in CONNECTING.items()]
    return "\n".join(lines) + "\n"


PAGES = {"rules.md": rules_page, "faults.md": faults_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
