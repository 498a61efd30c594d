"""Both OpenAPI documents: what they name is there, what is there they name, and no request breaks a server."""

import subprocess
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_path
from typing import Any

import plain_http
import pytest
from jsonschema import Draft202012Validator
from served import Serve, Served

WIDE = {
    "id": "wide", "suite": "boundary", "task": "Order.", "toolset": "shop", "contracts": ["strict"],
    "world": {"orders": {"A17": {"status": "paid", "total": "40.00"}}},
    "budget": {"calls": 100_000, "cost": 100_000, "seconds": 10_000},
    "expect": {"effects": [{"tool": "place_order", "identity": {"customer": "C5", "item": "one"}}]},
}  # fmt: skip
"""A session that takes many calls."""
METHODS = {"get", "post", "put", "patch", "delete"}
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def named(document: dict[str, Any]) -> set[tuple[str, str]]:
    return {(method.upper(), path) for path, told in document["paths"].items() for method in told if method in METHODS}


def test_the_admin_document_names_every_route(shared: Served) -> None:
    from faultlab.serve.admin import Admin, admin_app
    from faultlab.serve.sessions import Sessions

    admin = Admin(Sessions(lambda history: None), lambda: "", lambda: 0)  # type: ignore[arg-type,return-value]
    routes: Any = admin_app(admin, None).routes
    there = {(method, route.path) for route in routes for method in route.methods - {"HEAD"}}
    assert named(shared.admin.get("/openapi.json").json()) == there


def test_the_admin_documents_schemas_hold(shared: Served) -> None:
    document = shared.admin.get("/openapi.json").json()
    opened = shared.open(twin="clean")
    place = f"/sessions/{opened['id']}"
    schemas = document["components"]["schemas"]
    for name in schemas:
        Draft202012Validator.check_schema(schemas[name])
    Draft202012Validator(schemas["Session"]).validate(opened)
    verdict = shared.admin.post(f"{place}/claim", json={"status": "unknown"}).json()
    Draft202012Validator(schemas["Verdict"]).validate(verdict)
    refused = shared.admin.post("/sessions", json={"twin": "nobody"}).json()
    Draft202012Validator(schemas["Problem"]).validate(refused)
    links = document["paths"]["/sessions"]["post"]["responses"]["201"]["links"]
    assert {link["operationRef"].split("/")[-1] for link in links.values()} == {"get", "post", "delete"}


@pytest.mark.parametrize("scenario", ["lost-receipt", "other-region"])
def test_every_route_of_the_data_document_is_there(shared: Served, scenario: str) -> None:
    told = shared.open(scenario=scenario, twin="clean")
    url = told["url"]
    document = plain_http.get(f"{url}/openapi.json").json()
    assert document["servers"] == [{"url": f"/s/{told['id']}"}]
    for method, path in sorted(named(document)):
        answer = plain_http.request(method, url + path.replace("{", "").replace("}", ""), content=b"")
        assert answer.status_code != 405, (method, path)
        assert answer.json().get("code") not in ("no_such_path", "no_such_tool"), (method, path)


@pytest.mark.slow
@pytest.mark.parametrize("port", ["admin", "data"])
def test_no_request_that_a_document_allows_or_forbids_breaks_the_server(
    serve: Serve, port: str, tmp_path: Path
) -> None:
    """schemathesis finds no server error and no answer that the document does not name."""
    if find_spec("schemathesis") is None:
        pytest.skip("the extra `schemathesis` is not installed")
    served = serve("lost-receipt", "--contract", "strict", "--twin", "clean")
    url = served.started["admin_url"] if port == "admin" else served.open(scenario=WIDE)["url"]
    command = [
        str(Path(get_path("scripts")) / "schemathesis"), "run", f"{url}/openapi.json", "--url", url, "--checks", CHECKS,
        "--max-examples", "50", "--seed", "1", "--suppress-health-check", "all", "--no-color",
        "--exclude-path", "/claim",
    ]  # fmt: skip
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout[-4000:]
    assert served.process.poll() is None
