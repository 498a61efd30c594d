"""Both ports as OpenAPI 3.1: the admin port as it is, the data port of a session from its tools."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from faultlab.core.contract import KEY_FIELD, REFERENCE_FIELD
from faultlab.core.records import STATUSES
from faultlab.core.tools import Tool
from faultlab.faults.catalog import TWINS
from faultlab.matrix.scenario import CLEAN, Group
from faultlab.matrix.schema import scenario_schema
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


def _said(text: str, schema: Mapping[str, Any]) -> Document:
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def _problem(text: str) -> Document:
    return {
        "description": text,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def _list(name: str) -> Document:
    items = {"type": "array", "items": OBJECT}
    return {"type": "object", "required": [name], "properties": {name: items}}


ID = {"name": "id", "in": "path", "required": True, "schema": TEXT}
ENDED = _problem("The attempt is over.")
NOT_FOUND = _problem("There is no such session.")
TOKEN = _problem("The token is missing or wrong.")


def _ref(name: str) -> Document:
    return {"$ref": f"#/components/schemas/{name}"}


def _body(name: str) -> Document:
    return {"required": True, "content": {"application/json": {"schema": _ref(name)}}}


UNREADABLE = {
    "400": _problem("The body is not JSON."),
    "413": _problem("The body is too large."),
    "415": _problem("The body is not application/json."),
    "422": _problem("Something in it cannot be met; `errors` names each place."),
}


def admin_document() -> Document:
    """The admin port."""
    paths: Document = {
        "/sessions": {
            "post": _operation(
                "Open a session", {"201": _said("Opened.", _ref("Session")), **UNREADABLE, "503": _problem("Full.")},
                body="Order",
            ),
            "get": _operation(
                "List sessions", {"200": _said("A page.", _list("sessions")), "422": UNREADABLE["422"]},
                parameters=[_query("limit", {"type": "integer", "minimum": 1, "maximum": 1000}), _query("after", TEXT)],
            ),
        },
        "/sessions/{id}": {
            "get": _operation("Read a session", {"200": _said("It.", _ref("Session")), "404": NOT_FOUND}, one=True),
            "delete": _operation("Forget a session", {"204": {"description": "Gone."}, "404": NOT_FOUND}, one=True),
        },
        "/sessions/{id}/history": {
            "get": _operation("What happened", {"200": _said("It.", _list("events")), "404": NOT_FOUND}, one=True)
        },
        "/sessions/{id}/ledger": {
            "get": _operation("Every effect", {"200": _said("They.", _list("effects")), "404": NOT_FOUND}, one=True)
        },
        "/sessions/{id}/faults": {
            "post": _operation(
                "Add a fault that strikes from now on",
                {
                    "201": _said("Added; all that were.", _list("faults")), "404": NOT_FOUND,
                    "409": _problem("Its plan cannot be changed."), **UNREADABLE,
                },
                body="Fault", one=True,
            ),
            "delete": _operation(
                "Clear the plan",
                {"204": {"description": "Cleared."}, "404": NOT_FOUND, "409": _problem("It cannot be changed.")},
                one=True,
            ),
        },
        "/sessions/{id}/claim": {
            "post": _operation(
                "Give the claim and end the session",
                {
                    "200": _said("Judged.", _ref("Verdict")), "404": NOT_FOUND, "409": _problem("It has ended."),
                    **UNREADABLE,
                },
                body="Claim", one=True,
            )
        },
        "/sessions/{id}/verdict": {
            "get": _operation(
                "The verdict",
                {"200": _said("It.", _ref("Verdict")), "404": NOT_FOUND, "409": _problem("It has not ended.")},
                one=True,
            )
        },
        "/health": {"get": _operation("Whether it takes calls", {"200": _said("It does.", OBJECT)})},
        "/metrics": {
            "get": _operation(
                "Counters", {"200": {"description": "Text.", "content": {"text/plain": {"schema": TEXT}}}}
            )
        },
        "/openapi.json": {"get": _operation("This document", {"200": _said("It.", OBJECT)})},
    }  # fmt: skip
    paths["/sessions"]["post"]["responses"]["201"]["links"] = {
        f"{method} {path.removeprefix('/sessions/{id}')}": {
            "operationRef": f"#/paths/{path.replace('/', '~1')}/{method}",
            "parameters": {"id": "$response.body#/id"},
        }
        for path, operations in paths.items()
        if path.startswith("/sessions/{id}")
        for method in operations
    }
    fault = scenario_schema()["properties"]["plan"]["items"]
    schemas = {
        "Order": ORDER, "Session": SESSION, "Fault": fault, "Claim": CLAIM, "Verdict": VERDICT, "Problem": PROBLEM
    }  # fmt: skip
    return {
        "openapi": "3.1.0",
        "info": {"title": "faultlab admin port", "version": version("faultlab")},
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _query(name: str, schema: Mapping[str, Any]) -> Document:
    return {"name": name, "in": "query", "required": False, "schema": schema}


def _operation(
    summary: str,
    responses: Mapping[str, Any],
    *,
    body: str | None = None,
    one: bool = False,
    parameters: list[Document] | None = None,
) -> Document:
    made: Document = {"summary": summary, "responses": {**responses, "401": TOKEN}}
    if one or parameters:
        made["parameters"] = [*([ID] if one else []), *(parameters or [])]
    if body is not None:
        made["requestBody"] = _body(body)
    return made


def data_document(group: Group, base: str) -> Document:
    """The data port of one session: every tool, at POST /tools/NAME and at its own route, the task and the claim."""
    paths: Document = {
        "/task": {
            "get": {"summary": "What is to be done", "responses": {"200": _said("The task.", OBJECT), "4XX": ENDED}}
        },
        "/claim": {
            "post": {
                "summary": "Say how it ended",
                "requestBody": {"required": True, "content": {"application/json": {"schema": CLAIM}}},
                "responses": {"200": _said("Taken.", OBJECT), "4XX": _problem("It cannot be taken.")},
            }
        },
    }
    for tool in group.toolset.tools.values():
        paths[f"/tools/{tool.name}"] = {"post": _tool(tool, group, set())}
        if tool.route is not None:
            method, path = tool.route
            names = {part[1:-1] for part in path.split("/") if part.startswith("{")}
            paths.setdefault(path, {})[method.lower()] = _tool(tool, group, names)
    return {
        "openapi": "3.1.0",
        "info": {"title": f"faultlab toolset {group.toolset.name}", "version": version("faultlab")},
        "servers": [{"url": base}],
        "paths": paths,
        "components": {"schemas": {"Problem": PROBLEM}},
    }


def _tool(tool: Tool, group: Group, in_path: set[str]) -> Document:
    spec = tool.spec(group.contract)
    schema = spec["parameters"]
    properties = {name: item for name, item in schema["properties"].items() if name not in (*in_path, KEY_FIELD)}
    needed = [name for name in schema["required"] if name in properties and name != KEY_FIELD]
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": schema["properties"][name]} for name in sorted(in_path)
    ]
    made: Document = {
        "summary": tool.description.splitlines()[0],
        "responses": {
            "200": _said("The result.", OBJECT), "4XX": _problem("Refused."), "5XX": _problem("A fault of the plan.")
        },
    }  # fmt: skip
    if tool.route is not None and in_path and tool.route[0] in ("GET", "DELETE"):
        parameters += [
            {"name": name, "in": "query", "required": name in needed, "schema": item}
            for name, item in properties.items()
            if name != REFERENCE_FIELD
        ]
    else:
        body = {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}
        made["requestBody"] = {"required": bool(needed), "content": {"application/json": {"schema": body}}}
    if tool.kind == "write":
        parameters.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": TEXT})
    if parameters:
        made["parameters"] = parameters
    return made
