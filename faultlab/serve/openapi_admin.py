"""The admin port as OpenAPI 3.1."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from faultlab.matrix.schema import scenario_schema
from faultlab.serve.openapi_parts import (
    CLAIM,
    OBJECT,
    ORDER,
    PROBLEM,
    SESSION,
    TEXT,
    VERDICT,
    Document,
    listed,
    refused,
    said,
)

ID = {"name": "id", "in": "path", "required": True, "schema": TEXT}
NOT_FOUND = refused("There is no such session.")
TOKEN = refused("The token is missing or wrong.")


def _ref(name: str) -> Document:
    return {"$ref": f"#/components/schemas/{name}"}


def _body(name: str) -> Document:
    return {"required": True, "content": {"application/json": {"schema": _ref(name)}}}


UNREADABLE = {
    "400": refused("The body is not JSON."),
    "413": refused("The body is too large."),
    "415": refused("The body is not application/json."),
    "422": refused("Something in it cannot be met; `errors` names each place."),
}


def _of_one_session() -> Document:
    """The paths below a session's own."""
    return {
        "/sessions/{id}": {
            "get": _operation("Read a session", {"200": said("It.", _ref("Session")), "404": NOT_FOUND}, one=True),
            "delete": _operation("Forget a session", {"204": {"description": "Gone."}, "404": NOT_FOUND}, one=True),
        },
        "/sessions/{id}/history": {
            "get": _operation("What happened", {"200": said("It.", listed("events")), "404": NOT_FOUND}, one=True)
        },
        "/sessions/{id}/ledger": {
            "get": _operation("Every effect", {"200": said("They.", listed("effects")), "404": NOT_FOUND}, one=True)
        },
        "/sessions/{id}/faults": {
            "post": _operation(
                "Add a fault that strikes from now on",
                {
                    "201": said("Added; all that were.", listed("faults")), "404": NOT_FOUND,
                    "409": refused("Its plan cannot be changed."), **UNREADABLE,
                },
                body="Fault", one=True,
            ),
            "delete": _operation(
                "Clear the plan",
                {"204": {"description": "Cleared."}, "404": NOT_FOUND, "409": refused("It cannot be changed.")},
                one=True,
            ),
        },
        "/sessions/{id}/claim": {
            "post": _operation(
                "Give the claim and end the session",
                {
                    "200": said("Judged.", _ref("Verdict")), "404": NOT_FOUND, "409": refused("It has ended."),
                    **UNREADABLE,
                },
                body="Claim", one=True,
            )
        },
        "/sessions/{id}/verdict": {
            "get": _operation(
                "The verdict",
                {"200": said("It.", _ref("Verdict")), "404": NOT_FOUND, "409": refused("It has not ended.")},
                one=True,
            )
        },
    }  # fmt: skip


def admin_document() -> Document:
    """The admin port."""
    paths: Document = {
        "/sessions": {
            "post": _operation(
                "Open a session", {"201": said("Opened.", _ref("Session")), **UNREADABLE, "503": refused("Full.")},
                body="Order",
            ),
            "get": _operation(
                "List sessions", {"200": said("A page.", listed("sessions")), "422": UNREADABLE["422"]},
                parameters=[_query("limit", {"type": "integer", "minimum": 1, "maximum": 1000}), _query("after", TEXT)],
            ),
        },
        **_of_one_session(),
        "/health": {"get": _operation("Whether it takes calls", {"200": said("It does.", OBJECT)})},
        "/metrics": {
            "get": _operation(
                "Counters", {"200": {"description": "Text.", "content": {"text/plain": {"schema": TEXT}}}}
            )
        },
        "/openapi.json": {"get": _operation("This document", {"200": said("It.", OBJECT)})},
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
