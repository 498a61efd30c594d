"""What a process may die over: every write tool of the shipped toolsets, under the contracts that fit it.

A tool is reached by HTTP alone, so the same scene runs against the engine in this process and against a real server.
"""

from collections.abc import Callable, Iterable, Mapping
from email.utils import formatdate
from inspect import Parameter, Signature
from typing import Any, NamedTuple

import httpx

from faultlab.client.client import ToolClient
from faultlab.client.result import Result
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.contract import Contract
from faultlab.core.tools import Toolset
from faultlab.toolsets.files import FILES
from faultlab.toolsets.inbox import INBOX
from faultlab.toolsets.instances import INSTANCES
from faultlab.toolsets.pages import PAGES
from faultlab.toolsets.shop import SHOP
from faultlab.toolsets.signup import SIGNUP

ORDER = {"customer": "C5", "item": "mug", "quantity": 1}
PAGE = {"title": "Fair", "entrance": "north", "notice": ""}


class Scene(NamedTuple):
    """One task: the operations that are meant, each once."""

    toolset: Toolset
    world: Mapping[str, Any]
    tool: str
    intended: Mapping[str, Mapping[str, Any]]
    """Label (`operation=`) -> arguments."""
    query: tuple[str, str]
    """The read that shows the effects, and the member of its body that lists them."""
    identity: tuple[str, ...]
    conditional: bool = False
    """Its argument `if_match` travels as If-Match."""
    idempotent: bool = False
    provisional: bool = False


SCENES: Mapping[str, Scene] = {
    "refund": Scene(
        SHOP,
        {"orders": {"A17": {"status": "paid", "total": "40.00", "customer": "C5"}}, "accounts": {}},
        "refund_order",
        {"": {"order_id": "A17", "amount": "40.00"}},
        ("list_refunds", "refunds"),
        ("order_id",),
    ),
    "two equal orders": Scene(
        SHOP,
        {"orders": {}, "accounts": {}},
        "place_order",
        {"line-1": ORDER, "line-2": ORDER},
        ("list_orders", "orders"),
        ("customer", "item"),
    ),
    "page": Scene(
        PAGES,
        {"pages": {"poster": PAGE}},
        "update_page",
        {"": {"page_id": "poster", "entrance": "south", "notice": "", "if_match": '"1"'}},
        ("list_revisions", "revisions"),
        ("page_id",),
        conditional=True,
    ),
    "mail": Scene(
        INBOX,
        {"mails": {}},
        "send",
        {"": {"to": "ada@example.com", "subject": "Report", "text": "Here it is."}},
        ("list_sent", "mails"),
        ("to", "subject"),
    ),
    "instance": Scene(
        INSTANCES,
        {"images": {"web": {"regions": ["north", "south"]}}},
        "run_instances",
        {"": {"name": "front", "image": "web", "region": "north"}},
        ("describe_instances", "instances"),
        ("name", "region"),
    ),
    "registration": Scene(
        SIGNUP,
        {"events": {"fair": {"seats": 10}}},
        "register",
        {"": {"event": "fair", "email": "ada@example.com"}},
        ("list_people", "people"),
        ("event", "email"),
    ),
    "badge": Scene(
        SIGNUP,
        {"events": {"fair": {"seats": 10}}, "people": {"p": {"event": "fair", "email": "ada@example.com"}}},
        "print_badge",
        {"": {"event": "fair", "email": "ada@example.com"}},
        ("list_badges", "badges"),
        ("event", "email"),
        provisional=True,
    ),
    "file": Scene(
        FILES,
        {"files": {}},
        "write_file",
        {"": {"name": "result", "content": {"sum": 3}}},
        ("read_file", ""),
        ("name",),
        idempotent=True,
    ),
}
"""`register_all` is not among them: a list in one call is one operation for each of its items."""


def spec_of(scene: Scene, contract: Contract, http: httpx.Client) -> ToolSpec:
    """The tool as an engineer would declare it, over the server that `http` leads to."""
    first_sent: dict[str, str] = {}
    arguments = next(iter(scene.intended.values()))

    def post(tool: str, body: dict[str, Any], headers: Mapping[str, str] | None = None) -> Any:
        response = http.post(f"tools/{tool}", json=body, headers=headers or {})
        return response.raise_for_status().json()

    def write(**body: Any) -> Any:
        headers: dict[str, str] = {}
        if scene.conditional:
            headers["If-Match"] = body.pop("if_match")
        if (key := body.pop("idempotency_key", None)) is not None and (rules := contract.key) is not None:
            place, _, name = rules.carrier.partition(" ")
            (body if place == "body" else headers)[name] = key
            if rules.first_sent_header is not None:
                headers[rules.first_sent_header] = first_sent.setdefault(key, formatdate(usegmt=True))
        return post(scene.tool, body, headers)

    def query(**asked: Any) -> Any:
        tool, member = scene.query
        body = post(tool, asked)
        return body[member] if member else [body] if body["content"] is not None else []

    def status(reference: str) -> Any:
        return post("operation_status", {"reference": reference})

    def fence(reference: str) -> Any:
        return post("cancel_operation", {"reference": reference})

    handles = ["reference"] if contract.key is None else ["reference", "idempotency_key"]
    return ToolSpec.of(
        taking(write, [*arguments, *handles]),
        name=scene.tool,
        contract=contract,
        identity=scene.identity,
        query=taking(query, scene.identity),
        status=status if contract.status else None,
        fence=fence if contract.fence else None,
        idempotent=scene.idempotent,
        provisional=scene.provisional,
    )


def taking(function: Callable[..., Any], names: Iterable[str]) -> Callable[..., Any]:
    """The function with these keyword parameters."""
    parameters = [Parameter(name, Parameter.KEYWORD_ONLY) for name in names]
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what inspect.signature reads
    return function


def work(scene: Scene, client: ToolClient, run: str) -> list[Result]:
    """What a process of this scene does when it starts: it settles what is open, and then does its task."""
    reconciled = client.reconcile(run)
    return reconciled + [client.call(scene.tool, operation=label, **args) for label, args in scene.intended.items()]
