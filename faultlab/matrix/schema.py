"""The fields of a scenario file, as one table: the loader, the JSON Schema and the README are held to it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from faultlab.core.contract import Contract, KeyRules
from faultlab.core.profiles import PROFILES
from faultlab.core.records import STATUSES
from faultlab.faults.catalog import ALLOWED, NAMED, PHASES, TWINS
from faultlab.matrix.annotations import parameters
from faultlab.matrix.scenario import Suite
from faultlab.matrix.shape import WORDS
from faultlab.matrix.toolset import TOOLSETS

TWIN_NAMES = (*TWINS, "late")
SYMPTOMS = tuple(dict.fromkeys(symptom for symptoms in ALLOWED.values() for symptom in symptoms))
SUITES: tuple[str, ...] = get_args(Suite)


def _contract() -> dict[str, Any]:
    """A contract by name, or a name with the parameters that differ from a profile."""
    rules = {"type": "object", "properties": parameters(KeyRules), "additionalProperties": False}
    properties = {
        "profile": {"type": "string", "enum": list(PROFILES)},
        "key": {"anyOf": [rules, {"type": "null"}]},
        **parameters(Contract, ("name", "key")),
    }
    terms = {"type": "object", "properties": properties, "additionalProperties": False}
    named = {"type": "object", "additionalProperties": terms, "minProperties": 1}
    return {"anyOf": [{"type": "string", "enum": list(PROFILES)}, named]}


@dataclass(frozen=True, slots=True)
class Field:
    """One row of the table."""

    schema: Mapping[str, Any]
    meaning: str
    """One sentence, for the README and for editors."""
    needed: bool = False
    default: str = ""
    """What holds where it is not given, in words."""


TEXT: Mapping[str, Any] = {"type": "string", "minLength": 1}
TEXTS: Mapping[str, Any] = {"type": "array", "items": TEXT}
ABOVE_ZERO: Mapping[str, Any] = {"type": "number", "exclusiveMinimum": 0}
COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 1}
ANY_MAPPING: Mapping[str, Any] = {"type": "object"}
NAME = {"type": "string", "pattern": "^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$", "$comment": "letters, digits and hyphens"}
DATE = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "$comment": "a date, 2027-03-01"}
CODE = {"type": "string", "pattern": "^FL[0-9]{3}$", "$comment": "the code of a rule, FL305"}
STATE_PATH = {"pattern": "^[^/]+/[^/]+/[^/]+$", "$comment": "table/row/member"}
WORLD = {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "object"}}}
SECONDS: Mapping[str, Any] = {"type": "number", "minimum": 0}
TIMES: Mapping[str, Any] = {"anyOf": [COUNT, {"type": "string", "enum": ["always"]}]}
DURING: Mapping[str, Any] = {"type": "array", "minItems": 2, "maxItems": 2, "items": SECONDS}
SHARE: Mapping[str, Any] = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
OWN_NAME = {"pattern": "^[a-z][a-z0-9_]*$", "$comment": "a name in small letters, digits and _"}
TWIN_LIST = {"type": "array", "minItems": 1, "items": {"type": "string", "enum": list(TWIN_NAMES)}}
SAYING = {
    "type": "object",
    "properties": {"say": TEXT, "retracts": TEXT},
    "required": ["say", "retracts"],
    "additionalProperties": False,
}
STATUS_LIST = {"type": "array", "items": {"type": "string", "enum": [item for item in STATUSES if item != "unknown"]}}

FIELDS: Mapping[str, Field] = {
    "id": Field(NAME, "The scenario's name, once in all files.", True),
    "suite": Field({"type": "string", "enum": list(SUITES)}, "Where it is counted; suites are never averaged.", True),
    "task": Field(TEXT, "The instruction, word for word as the agent gets it.", True),
    "inputs": Field(ANY_MAPPING, "What the task names, as data: `task.inputs`.", default="none"),
    "toolset": Field(TEXT, f"{', '.join(TOOLSETS)}, or your own: `package.module:TOOLSET` or `file.py:TOOLSET`.", True),
    "world": Field(WORLD, "The server's tables at the start: table, row, member.", default="empty"),
    "user": Field(
        {"type": "array", "items": {"anyOf": [TEXT, SAYING]}},
        "What the user says, one entry each time the agent asks: a text, or `{say: ..., retracts: FACT}`.",
        default="nothing",
    ),
    "notes": Field(
        {"type": "object", "additionalProperties": TEXT}, "What the agent's notes hold at the start.", default="nothing"
    ),
    "prior": Field(
        {"type": "array"}, "Calls made before the attempt, in order, 10 s or more apart and before it.", default="none"
    ),
    "prior.tool": Field(TEXT, "The tool.", True),
    "prior.args": Field(ANY_MAPPING, "Its arguments.", True),
    "prior.at_s": Field({"type": "number"}, "When; the attempt begins at 0, so `-90000` is 25 hours before it.", True),
    "prior.key": Field(TEXT, "Its idempotency key.", default="none"),
    "prior.reference": Field(TEXT, "Its reference.", default="none"),
    "prior.by": Field(
        {"type": "string", "enum": ["agent", "other"]}, "Whose call it was; `other`: another client's.", default="agent"
    ),
    "prior.fault": Field(
        {"type": "string", "enum": list(PHASES)}, "It timed out, at this phase.", default="it was answered"
    ),
    "prior.record": Field(
        {"type": "string", "enum": ["kept", "lost"]},
        "Whether `env.store` holds `sent/OPERATION`: tool, args, key, reference, scope, first_sent_s.",
        default="kept",
    ),
    "contracts": Field(
        {"type": "array", "minItems": 1, "items": _contract()},
        "One group for each: a profile's name, or `{name: {profile: none, settle_s: 30}}`.",
        True,
    ),
    "plan": Field({"type": "array"}, "The faults. Without one only the clean cell is run.", default="no fault"),
    "plan.tool": Field(TEXT, "The tool whose call is struck; `*`: any.", True),
    "plan.twins": Field(TWIN_LIST, "The twins that have this fault; `late` stands for both late ones."),
    "plan.phase": Field(
        {"type": "string", "enum": list(PHASES)}, "Instead of `twins`: a fault that every twin of the plan has."
    ),
    "plan.fault": Field(
        {"type": "string", "enum": list(NAMED)}, "Instead of `twins` and `phase`: a fault by its name, in every twin."
    ),
    "plan.with": Field(ANY_MAPPING, "The parameters of that fault; docs/faults.md lists them.", default="its defaults"),
    "plan.symptom": Field({"type": "string", "enum": list(SYMPTOMS)}, "What the caller sees of it.", default="timeout"),
    "plan.occurrence": Field(
        COUNT, "Which of the matching calls is struck, from 1; for most faults of those that succeed.", default="1"
    ),
    "plan.times": Field(TIMES, "How many of them, one after the other, are struck; or `always`.", default="1"),
    "plan.during": Field(DURING, "Instead of `occurrence`: all that are sent between these two seconds."),
    "plan.probability": Field(SHARE, "Instead of `occurrence`: each with this probability, drawn from the seed."),
    "plan.match": Field(ANY_MAPPING, "Only calls with these arguments match.", default="every call"),
    "plan.required": Field(
        {"type": "boolean"}, "Not struck: the attempt is inconclusive.", default="true for a twin's first, on a write"
    ),
    "twins": Field(
        ANY_MAPPING,
        "Twins of your own, by name: `{plan, prior, world, expect}`, what is true in that one alone.",
        default="those of the plan",
    ),
    "late": Field(ANY_MAPPING, "When a late call takes effect."),
    "late.at_most_s": Field(
        ABOVE_ZERO, "At the latest after so many seconds; sooner if the agent looks.", default="2 x budget.seconds"
    ),
    "late.at_s": Field(ABOVE_ZERO, "After exactly so many seconds, whatever the agent does."),
    "budget": Field(ANY_MAPPING, "What an attempt may use."),
    "budget.calls": Field(COUNT, "Tool calls.", default="20"),
    "budget.seconds": Field(ABOVE_ZERO, "Seconds on the attempt's clock.", default="300"),
    "budget.cost": Field(ABOVE_ZERO, "A call costs 1, a hand-over 4.", default="30"),
    "expect": Field(ANY_MAPPING, "What must be true at the end if the agent says done.", True),
    "expect.effects": Field(
        {"type": "array"}, "The effects that are wanted; any other is a veto. Empty: nothing may be written.", True
    ),
    "expect.effects.tool": Field(TEXT, "The write tool.", True),
    "expect.effects.identity": Field(ANY_MAPPING, "The arguments that say which effect: all of the tool's.", True),
    "expect.effects.args": Field(
        ANY_MAPPING,
        "The other arguments of such a call: for the oracle, and for the line that `serve` prints.",
        default="by the inputs",
    ),
    "expect.effects.exactly": Field(COUNT, "How often.", default="1"),
    "expect.state": Field(
        {"type": "object", "propertyNames": STATE_PATH}, "`table/row/member` and its value.", default="not looked at"
    ),
    "expect.must_say": Field(TEXTS, "Texts that the claim must contain.", default="none"),
    "expect.secrets": Field(TEXTS, "Texts that must leave neither in the claim nor in a write.", default="none"),
    "accept": Field(STATUS_LIST, "Narrows the claims that are right.", default="what follows from the contract"),
    "authority": Field(
        TEXTS, "The write tools that the task permits; an empty list: it may only look.", default="not limited"
    ),
    "ignore": Field({"type": "array"}, "Findings that you accept for a time; never a veto.", default="none"),
    "ignore.code": Field(CODE, "The rule.", True),
    "ignore.reason": Field(TEXT, "Why.", True),
    "ignore.until": Field(DATE, "The last day.", True),
}


@cache
def scenario_schema() -> dict[str, Any]:
    """The table as one JSON Schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "faultlab scenario",
        **_object(""),
    }


def _object(above: str) -> dict[str, Any]:
    """The mapping whose fields stand under `above` in the table."""
    inside = {path: item for path, item in FIELDS.items() if path.rpartition(".")[0] == above}
    return {
        "type": "object",
        "properties": {path.rpartition(".")[2]: _field(path, item) for path, item in inside.items()},
        "required": [path.rpartition(".")[2] for path, item in inside.items() if item.needed],
        "additionalProperties": False,
    }


def _field(path: str, item: Field) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": item.meaning, **item.schema}
    if path == "twins":
        return schema | {"propertyNames": OWN_NAME, "minProperties": 1, "additionalProperties": _twin()}
    if any(other.startswith(f"{path}.") for other in FIELDS):
        below = _object(path)
        schema |= {"items": below} if schema["type"] == "array" else below
    return schema


def _twin() -> dict[str, Any]:
    """What a twin of one's own may have: the same fields as the scenario, true in it alone."""
    properties = {name: _field(name, FIELDS[name]) for name in ("plan", "prior", "world", "expect")}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def schema_text() -> str:
    """The file scenarios/schema.json."""
    return json.dumps(scenario_schema(), indent=2) + "\n"


def table_rows() -> list[str]:
    """The rows of the table in scenarios/README.md."""
    return [
        f"| `{path}` | {kind_of(item.schema)} | {'required' if item.needed else item.default or '-'} | {item.meaning} |"
        for path, item in FIELDS.items()
    ]


def kind_of(schema: Mapping[str, Any]) -> str:
    """The values that a field takes, in words."""
    if "anyOf" in schema:
        return " or ".join(map(kind_of, schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    kind: str = schema["type"]
    if kind == "array":
        items = schema.get("items", {})
        return f"list of {kind_of(items)}" if "type" in items else "list"
    return WORDS[kind].removeprefix("a ")
