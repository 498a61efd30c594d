"""The data port of one session as OpenAPI 3.1, from its tools."""

from importlib.metadata import version

from faultlab.core.contract import KEY_FIELD, REFERENCE_FIELD
from faultlab.core.tools import Tool
from faultlab.matrix.scenario import Group
from faultlab.serve.openapi_parts import CLAIM, OBJECT, PROBLEM, TEXT, Document, refused, said

ENDED = refused("The attempt is over.")


def data_document(group: Group, base: str) -> Document:
    """The data port of one session: every tool, at POST /tools/NAME and at its own route, the task and the claim."""
    paths: Document = {
        "/task": {
            "get": {"summary": "What is to be done", "responses": {"200": said("The task.", OBJECT), "4XX": ENDED}}
        },
        "/claim": {
            "post": {
                "summary": "Say how it ended",
                "requestBody": {"required": True, "content": {"application/json": {"schema": CLAIM}}},
                "responses": {"200": said("Taken.", OBJECT), "4XX": refused("It cannot be taken.")},
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
            "200": said("The result.", OBJECT), "4XX": refused("Refused."), "5XX": refused("A fault of the plan.")
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
