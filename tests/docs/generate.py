"""Writes docs/rules.md, docs/faults.md, docs/field-cases.md, docs/matrix.md, the table of scenarios/README.md and
scenarios/schema.json from the catalogs and the cases: `python tests/docs/generate.py`."""

import inspect
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # `cases` and `docs` stand there, also for a program

from cases.load import RIGHT, behaviour, everything
from docs.matrix_page import matrix_page

from faultlab.core.verdict import SEVERITIES
from faultlab.faults.catalog import ALLOWED, NAMED, PHASES, TWINS
from faultlab.faults.fault import Named
from faultlab.faults.kinds import KINDS
from faultlab.faults.symptoms import CONNECTING, CRASHING, DELIVERING, FUNCTION_ONLY, LOSING
from faultlab.matrix.annotations import parameters
from faultlab.matrix.schema import kind_of, schema_text, table_rows
from faultlab.report.faults import FAULTS
from faultlab.rules.catalog import RULES

SCENARIOS = Path(__file__).parents[2] / "scenarios"
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


NAMED_INTRO = (
    "`plan: [{tool: TOOL, fault: NAME, with: {PARAMETER: VALUE}}]`. All transports perform all of them, but for the "
    "symptom `cancelled`."
)
FAULTS_INTRO = (
    "A fault is either a *phase*, where the request is when it strikes, with a *symptom*, what the caller sees of it; "
    "or one of those [by name](#faults-by-name), with parameters. `plan` says which calls it strikes: see "
    "[scenarios](scenarios.md#plans)."
)


def faults_page() -> str:
    """What goes together, one section a fault, the symptoms, and the kinds that others know."""
    twins = {phase: twin for twin, phase in TWINS.items()}
    lines = [
        HEAD + "# Faults",
        "",
        FAULTS_INTRO,
        "",
        "## Phases and symptoms",
        "",
        *table(["phase", *(f"`{item}`" for item in SYMPTOMS)], [*map(pair_row, PHASES), partial_row()]),
        "",
        "Every pair is tested on every transport, for what the caller sees and for what the ledger holds. "
        + ", ".join(f"`{item}`" for item in sorted(FUNCTION_ONLY))
        + " strikes a tool that is called as a function; an HTTP client that meets it ends the attempt with a message, "
        "and the attempt says nothing. The twins have the symptoms that lose the receipt or the caller; `slow` and "
        "`dribble` bring it, so patience would tell twins apart.",
    ]
    for phase, fault in PHASES.items():
        twin = f" Twin: `{twins[phase]}`." if phase in twins else ""
        lines += [
            "",
            f"### {fault.name}",
            "",
            f"Phase `{phase}`.{twin} {FAULTS[fault.name].what}",
            "",
            *drawn(fault.name),
        ]
    lines += ["", "### Symptoms", ""]
    rows = [[f"`{name}`", first_line(look)] for name, look in {**LOSING, **CRASHING, **DELIVERING}.items()]
    rows += [[f"`{name}` of `connect`", first_line(look)] for name, look in CONNECTING.items()]
    lines += [*table(["symptom", "what the caller sees"], rows), "", "## Faults by name", ""]
    lines += [NAMED_INTRO]
    for name, named in NAMED.items():
        lines += ["", f"### {name}", "", declared(named), "", FAULTS[name].what, "", first_paragraphs(named), ""]
        lines += [*drawn(name), *parameter_rows(named)]
    return "\n".join([*lines, *kinds_section()]) + "\n"


SYMPTOMS = (*LOSING, *CRASHING, *DELIVERING)
KIND_WORDS = {"read": "reads", "write": "writes", "status": "status queries", "fence": "fences"}


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table."""
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def pair_row(phase: str) -> list[str]:
    return [f"`{phase}`", *("yes" if item in ALLOWED[phase] else "-" for item in SYMPTOMS)]


def partial_row() -> list[str]:
    return ["`partial` (by name)", *("yes" if item in LOSING else "-" for item in SYMPTOMS)]


def first_line(thing: object) -> str:
    return (thing.__doc__ or "").splitlines()[0]


def first_paragraphs(thing: object) -> str:
    """A docstring as paragraphs, each on a line of its own."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(thing.__doc__ or "").split("\n\n"))


def drawn(name: str) -> list[str]:
    words = FAULTS[name]
    return ["```", *words.drawing, "```", "", words.then]


def declared(fault: type[Named]) -> str:
    """Phase, which calls it strikes and counts, and whether it must strike."""
    kinds = (
        "any call" if len(fault.kinds) == len(KIND_WORDS) else " and ".join(KIND_WORDS[kind] for kind in fault.kinds)
    )
    counts = "every matching call" if fault.counts == "every" else "calls that would be answered 2xx"
    need = "required" if fault.required and "write" in fault.kinds else "armed"
    return f"Phase `{fault.phase}`. Strikes {kinds}; counts {counts}; {need} by default where it comes first."


def parameter_rows(fault: type[Named]) -> list[str]:
    """The table of its parameters; nothing where it has none."""
    rows = []
    for item in fields(fault):  # type: ignore[arg-type]  # every fault is a dataclass
        missing = item.default is MISSING and item.default_factory is MISSING
        default = "required" if missing else f"`{json.dumps(item.default if item.default is not MISSING else {})}`"
        rows.append([f"`{item.name}`", kind_of(parameters(fault)[item.name]), default])
    return ["", *table(["parameter", "value", "if not given"], rows)] if rows else []


def kinds_section() -> list[str]:
    rows = [
        [str(number), kind.what, ", ".join(f"[`{name}`](#{name})" for name in kind.names) or "-", kind.how]
        for number, kind in enumerate(KINDS, 1)
    ]
    intro = "What fault injectors and their users know, and what it is called here."
    return ["", "## Kinds of faults", "", intro, "", *table(["", "kind", "here", "how, or why not"], rows)]


def scenarios_readme() -> str:
    """scenarios/README.md with the rows of its table of fields made anew."""
    lines = (SCENARIOS / "README.md").read_text(encoding="utf-8").splitlines()
    begin = lines.index("| field | value | if not given | meaning |") + 2
    end = next(place for place in range(begin, len(lines)) if not lines[place].startswith("|"))
    return "\n".join([*lines[:begin], *table_rows(), *lines[end:]]) + "\n"


CASES_HEAD = HEAD.replace("the catalogs", "tests/cases/cases.yaml")
CASES_INTRO = (
    "Public bug reports about retries, keys, stale reads and false claims, each as a test: what the client of the "
    "report did is charged, and the corrected client is clean in every twin. Told in our own words; the report itself "
    "is behind the link. A report's product may have changed since. `pytest tests/cases -k C03` runs one; "
    "`tests/cases/cases.yaml` has them all, as fields of [scenarios](scenarios.md)."
)


def field_cases_page() -> str:
    """Each report with its fault and what is charged; then those without a case."""
    data = everything()
    told, left = data["cases"], data["left_out"]
    rows = [
        [
            report_of(item),
            item["wrong"],
            ", ".join(faults_of(item)) or "none",
            contract_of(item["contract"]),
            ", ".join(f"[{code}]({anchor_of(code)})" for code in (*item["codes"], *item.get("noted", ()))),
            right_of(item["right"]),
        ]
        for item in sorted(told, key=lambda item: item["id"])
    ]
    head = ["report", "what the client did", "fault", "contract", "charged", "what is right"]
    count = f"{len(told)} of {len(told) + len(left)} are reproduced."
    lines = [CASES_HEAD + "# Field cases", "", CASES_INTRO, "", count]
    lines += ["", *table(head, rows), "", "## Left out", ""]
    plans = [[report_of(item), item["why"], ", ".join(struck(item["here"], ""))] for item in left]
    return "\n".join([*lines, *table(["report", "why", "the fault here"], plans)]) + "\n"


def report_of(item: Mapping[str, Any]) -> str:
    owner, name, _, number = item["url"].removeprefix("https://github.com/").split("/")
    return f"{item['id']} [{owner}/{name}#{number}]({item['url']})"


def contract_of(contract: str | Mapping[str, Mapping[str, Any]]) -> str:
    """A profile, and what the case changes of it."""
    if isinstance(contract, str):
        return f"`{contract}`"
    [terms] = contract.values()
    changed = ", ".join(f"{name}: {str(value).lower()}" for name, value in terms.items() if name != "profile")
    return f"`{terms['profile']}`, {changed}"


def anchor_of(code: str) -> str:
    title = next(rule.title for rule in RULES if rule.code == code)
    return f"rules.md#{code.lower()}-{title.lower().replace(' ', '-').replace(',', '')}"


def faults_of(item: Mapping[str, Any]) -> list[str]:
    """What happens in the cell where the report's harm was done."""
    own = item.get("twins", {}).get(item["harm"], {})
    before = [fault_link(PHASES[call["fault"]].name) + " before the attempt" for call in own.get("prior", ())]
    return [*before, *struck([*item.get("plan", ()), *own.get("plan", ())], item["harm"])]


def struck(plan: Iterable[Mapping[str, Any]], twin: str) -> list[str]:
    found = []
    for entry in plan:
        name = entry.get("fault") or PHASES[entry.get("phase") or TWINS[twin]].name
        found.append(fault_link(name) + (f" (`{entry['symptom']}`)" if "symptom" in entry else ""))
    return list(dict.fromkeys(found))


def fault_link(name: str) -> str:
    return f"[`{name}`](faults.md#{name})"


def right_of(named: Any) -> str:
    """The first paragraph of what the corrected behaviour says of itself."""
    return " ".join(inspect.cleandoc(behaviour(named, RIGHT)[0].__doc__ or "").split("\n\n")[0].split())


PAGES = {
    "rules.md": rules_page,
    "faults.md": faults_page,
    "field-cases.md": field_cases_page,
    "matrix.md": lambda: matrix_page(HEAD),
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
    (SCENARIOS / "README.md").write_text(scenarios_readme(), encoding="utf-8")
    (SCENARIOS / "schema.json").write_text(schema_text(), encoding="utf-8")
