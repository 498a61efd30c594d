"""What a request to somebody's own server means: which operation it is, and whether it changes anything.

Without a declaration: an unsafe method (RFC 9110 section 9.2.1) changes something, the operation is method, path and
body, and a read proves nothing but what it shows under the operation's own key or reference.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from faultlab.api import given
from faultlab.api.front_tool import HOST, Identity, front_tool
from faultlab.api.given import listed
from faultlab.api.members import gathered, readable
from faultlab.core.actions import Reply
from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.core.tools import Shown, Tool, Toolset
from faultlab.engine.handles import with_contract
from faultlab.transports.codec import Asked, scan
from faultlab.transports.keys import DEFAULT, RawHeaders, carried, key_of

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods that ask for no change (RFC 9110 section 9.2.1)."""


class Request(NamedTuple):
    """An HTTP request as it must reach the app, whenever it does."""

    method: str
    url: str
    headers: RawHeaders
    body: bytes


def route_of(text: Any) -> tuple[str, str]:
    """`POST /v1/refunds` as method and path. Raises BadInput for anything else."""
    method, _, path = text.partition(" ") if isinstance(text, str) else ("", "", "")
    if not method.isupper() or not path.startswith("/"):
        raise BadInput(f"{text!r} is no route: write METHOD /path, as in 'POST /v1/refunds' or 'GET /v1/orders/{{id}}'")
    return method, path


class Front:
    """The routes that were declared, and the tools that requests turned out to be."""

    def __init__(
        self,
        contract: Contract,
        *,
        effects: Mapping[str, Identity | None] | Iterable[str] | None = None,
        identity: Identity | None = None,
        reveals: Mapping[str, Mapping[str, Shown | None]] | None = None,
        idempotent: Iterable[str] = (),
        reference: str = "reference",
    ) -> None:
        """`effects`: the only routes that change something, with the identity of each. `reveals`: read route ->
        effect route -> the references in its body. `idempotent`: the routes that may be sent again."""
        if reveals is not None:
            given.a_mapping("reveals", reveals, "{'GET /v1/refunds': {'POST /v1/refunds': None}}")
        given.a(str, "reference", reference)
        named: Iterable[str] = () if effects is None else effects
        declared = effects if isinstance(effects, Mapping) else dict.fromkeys(listed("effects", named))
        self._declared = effects is not None
        self._identity = {route: own if own is not None else identity for route, own in declared.items()}
        self._default = identity
        self._reference = reference
        self._host = ""
        """The first that was seen."""
        tools: dict[str, Tool] = {}
        self._tools = tools
        self._routes: list[tuple[str, str, str]] = []
        self._idempotent = frozenset(listed("idempotent", idempotent))
        for route in (*declared, *(reveals or {}), *sorted(self._idempotent)):
            self.gather(route)
        for route in self._idempotent:
            if self._kind(route, route_of(route)[0]) == "read":
                raise BadInput(f"idempotent names {route!r}, which is not among the effects: it changes nothing")
        if identity is not None and not callable(identity):
            listed("identity", identity)
        for route in declared:
            self._add(route, "write")
        for route, shown in (reveals or {}).items():
            given.shown_by(f"reveals[{route!r}]", shown)
            for target in shown:
                if self._kind(target, route_of(target)[0]) == "read":
                    raise BadInput(f"reveals: {route} tells about {target!r}, which is not among the effects")
                wanted = self._identity.get(target, identity)
                if wanted is None or callable(wanted):
                    raise BadInput(
                        f"reveals: {route} tells about {target!r} by its identity: name the arguments that are it,"
                        f" effects={{{target!r}: ['order_id']}}"
                    )
                self._add(target, "write")
            self._add(route, "read", shown)
        self.toolset = with_contract(Toolset("your app", tools), contract)
        """Its tools are added as requests come."""
        if self.toolset.tools is not tools:
            tools.update(self.toolset.tools)
            self.toolset = Toolset("your app", tools)
        self.own = frozenset(item.name for item in tools.values() if item.kind in ("status", "fence"))
        """The queries that the lab itself answers, as the contract offers them."""

    def _kind(self, route: str, method: str) -> Literal["read", "write"]:
        if self._declared:
            return "write" if route in self._identity else "read"
        return "read" if method in SAFE else "write"

    def _add(
        self, route: str, kind: Literal["read", "write"], reveals: Mapping[str, Shown | None] | None = None
    ) -> None:
        if route not in self._tools:
            identity = self._identity.get(route, self._default)
            idempotent = route in self._idempotent
            self._tools[route] = front_tool(
                route, kind, identity, idempotent=idempotent, reveals=reveals, route=route_of(route)
            )

    def gather(self, route: str) -> None:
        """Requests that fit a route are calls of one tool; of two that fit, the one with fewer parameters. Raises
        BadInput for what is no route."""
        made = (*route_of(route), route)
        if made not in self._routes:
            self._routes.append(made)
            self._routes.sort(key=lambda item: item[1].count("{"))

    def add(self, tool: Tool) -> None:
        """A tool that is no route."""
        self._tools[tool.name] = tool

    def ask(self, request: Request, target: bytes, contract: Contract) -> Asked | Reply:
        """The call that a request is; or a refusal of its key by the contract."""
        path, _, query = target.decode("latin-1").partition("?")
        told = scan(request.headers)
        if isinstance(told, Reply):
            return told
        key, if_match, content_type = told
        route, values = self._routed(request.method, path)
        args = gathered(values, query, request.body, content_type)
        host = self._other_host(request.url)
        if host is not None and route not in self.own:
            args[HOST] = host
        if route not in self._tools:
            self._add(route, self._kind(route, request.method))
        tool = self._tools[route]
        if tool.kind != "write":
            return Asked(route, args)
        reference = args.pop(self._reference, None)
        reference = None if reference is None else str(reference)
        rules = contract.key
        if rules is not None and rules.carrier != DEFAULT:
            sent = carried(rules, request.headers, args)
            if isinstance(sent, Reply):
                return sent
            return Asked(route, args, sent.key, reference, if_match, sent.first_sent_s)
        if key is not None:
            meant = key_of(key, contract)
            if isinstance(meant, Reply):
                return meant
            key = meant
        return Asked(route, args, key, reference, if_match)

    def _routed(self, method: str, path: str) -> tuple[str, dict[str, Any]]:
        segments = path.split("/")
        for verb, template, route in self._routes:
            if verb == method and (values := _matched(template.split("/"), segments)) is not None:
                return route, values
        for name in ("operation_status", "cancel_operation"):
            own = self._tools.get(name)
            if own is not None and own.route is not None and own.route[0] == method:
                values = _matched(own.route[1].split("/"), segments)
                if values is not None:
                    return name, values
        return f"{method} {readable(path)}", {}

    def _other_host(self, url: str) -> str | None:
        """The host that a request is for, unless it is the first that was seen."""
        host = urlsplit(url).netloc.rpartition("@")[2].lower()
        self._host = self._host or host
        return None if host == self._host else host


def _matched(template: Sequence[str], segments: Sequence[str]) -> dict[str, Any] | None:
    if len(template) != len(segments):
        return None
    values: dict[str, Any] = {}
    for wanted, segment in zip(template, segments, strict=True):
        if wanted.startswith("{") and segment:
            values[wanted[1:-1]] = unquote(segment)
        elif wanted != segment:
            return None
    return values
