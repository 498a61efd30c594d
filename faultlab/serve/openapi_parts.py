"""What both OpenAPI documents are made of: schemas of what goes over the admin port, and answers."""

from collections.abc import Mapping
from typing import Any

from faultlab.core.records import STATUSES
from faultlab.faults.catalog import TWINS
from faultlab.matrix.scenario import CLEAN
from faultlab.serve.order import RANGES

Document = dict[str, Any]

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
OBJECT = {"type": "object"}
PROBLEM = {
    "type": "object",
    "required": ["title", "status", "detail"],
    "properties": {
        "type": TEXT,
        "title": TEXT,
        "status": {"type": "integer"},
        "detail": TEXT,
        "errors": {"type": "array", "items": OBJECT},
    },
}


def _range(name: str) -> Document:
    least, most = RANGES[name]
    return {"minimum": least, "maximum": most}


ORDER = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "scenario": {
            "anyOf": [TEXT, OBJECT],
            "default": "lost-receipt",
            "description": "A shipped scenario's id, or a scenario as JSON over a built-in toolset.",
        },
        "contract": {"type": "string", "description": "One of the scenario's contracts; its first if not given."},
        "twin": {
            "type": "string",
            "description": f"One of the scenario's twins ({', '.join([CLEAN, *TWINS])} ...); the first if not given.",
        },
        "seed": {"type": "integer", **_range("seed"), "default": 1},
        "attempt": {"type": "integer", **_range("attempt"), "default": 1},
        "time_scale": {
            "type": "number",
            **_range("time_scale"),
            "default": 1,
            "description": "Real seconds in which one second of the session passes.",
        },
    },
}
SESSION = {
    "type": "object",
    "required": ["id", "url", "state", "scenario", "contract", "twin", "seed", "calls", "effects"],
    "properties": {
        "id": TEXT,
        "url": TEXT,
        "state": {"enum": ["open", "ended"]},
        "scenario": TEXT,
        "contract": TEXT,
        "twin": TEXT,
        "seed": COUNT,
        "attempt": COUNT,
        "time_scale": {"type": "number"},
        "created": {"type": "number"},
        "calls": COUNT,
        "effects": COUNT,
        "task": OBJECT,
    },
}
CLAIM = {
    "type": "object",
    "required": ["status"],
    "additionalProperties": False,
    "properties": {
        "status": {"type": "string", "enum": list(STATUSES)},
        "text": TEXT,
        "evidence": {"type": "array", "items": {"type": "integer"}},
        "operations": {"type": "object", "additionalProperties": {"type": "string", "enum": list(STATUSES)}},
        "hand_over": {"type": "array", "items": OBJECT},
    },
}
VERDICT = {
    "type": "object",
    "required": ["session", "verdict", "mark", "findings"],
    "properties": {
        "session": TEXT,
        "verdict": {"enum": ["pass", "fail", "timeout", "infra_error"]},
        "mark": {"enum": ["pass", "harm", "wrong", "inconclusive"]},
        "findings": {"type": "array", "items": OBJECT},
    },
}


def said(text: str, schema: Mapping[str, Any]) -> Document:
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def refused(text: str) -> Document:
    return {
        "description": text,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def listed(name: str) -> Document:
    items = {"type": "array", "items": OBJECT}
    return {"type": "object", "required": [name], "properties": {name: items}}
