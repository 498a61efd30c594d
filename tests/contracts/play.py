"""One vector over one transport: what its caller saw, what there is in the end, and what the rules say of it."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from email.utils import formatdate
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from contracts.things import THINGS, WORLD

from faultlab.core.actions import Meddle
from faultlab.core.agent import Budget, ToolError
from faultlab.core.clock import EPOCH_S, VirtualClock, ns
from faultlab.core.contract import Contract
from faultlab.core.history import Brief, Expectation, Expected, History, WriteTerms
from faultlab.core.knowledge import Knowledge
from faultlab.core.profiles import contract_of
from faultlab.core.records import Call, Claim, Receipt
from faultlab.engine.engine import Engine
from faultlab.engine.handles import with_contract
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.transports.direct import sync_tools

VECTORS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("vectors.yaml").read_text(encoding="utf-8"))
TRANSPORTS = ("direct", "httpx", "httpx2")
HORIZON_S = 1_000_000.0
TERMS = {
    tool.name: WriteTerms(tool.identity, versioned=tool.versioned, scope=tool.scope, depends_on=tool.depends_on)
    for tool in THINGS.tools.values()
    if tool.kind == "write"
}
TERMS["make"] = WriteTerms(("name",), queryable=True, scope="region")


class Seen(NamedTuple):
    """What came back to the caller."""

    status: int | None = None
    error: str | None = None
    headers: Mapping[str, str] = {}
    body: Any = None


Step = Mapping[str, Any]


class Play:
    """A server under the contract of a vector, and one caller."""

    def __init__(self, vector: Mapping[str, Any], transport: str, part: Mapping[str, Any]) -> None:
        """`part`: the vector itself, or one of its bad ends: `steps`, `claim`, `expect`."""
        self.contract: Contract = contract_of(vector["id"], {"profile": vector["profile"], **vector.get("change", {})})
        self.steps: list[Step] = part["steps"]
        self.part = part
        events: list[Any] = []
        plan = tuple(planned(step) for step in self.steps if "fault" in step)
        engine = Engine(with_contract(THINGS, self.contract), self.contract, WORLD, plan, 7, events)
        wanted = (Expected(part.get("tool", "make"), part.get("identity", "a"), part.get("wanted", 1)),)
        budget = Budget(**{"calls": 20, "seconds": 1e7, "cost": 40.0, **part.get("budget", {})})
        brief = Brief(self.contract, budget, Expectation(wanted, part.get("state", {})), TERMS)
        self.session = Session(engine, VirtualClock(), brief, events, latency_s=0.05)
        self.knowledge = Knowledge(self.contract.disclosed(), brief.expectation.intended, TERMS)
        self._folded = 0
        self._first: dict[str, float] = {}
        self._send = self._direct if transport == "direct" else self._http(transport)

    def run(self) -> Iterable[tuple[Step, Seen]]:
        """Each step and what came of it."""
        for step in self.steps:
            self.session.clock.until(ns(step["at_s"]))
            self.session.engine.catch_up(self.session.clock.now())
            if "others" in step:
                wish = Meddle(step["others"], step["args"], "interference")
                reply = self.session.engine.server.meddle(wish, self.session.clock.now())
                yield step, Seen(reply.status, body=reply.body)
            else:
                yield step, self._send(step)

    def known(self) -> str | None:
        """What is known of the wanted operation so far."""
        events = self.session.events
        for event in events[self._folded :]:
            self.knowledge.see(event)
        self._folded = len(events)
        return self.knowledge.operations[0].knowledge if self.knowledge.operations else None

    def history(self) -> History:
        """All of it, with the claim of the part, as a judge gets it."""
        session = self.session
        claim, now_ns = self.part.get("claim"), session.clock.now()
        if claim is not None:
            given = {"status": claim} if isinstance(claim, str) else dict(claim)
            evidence = tuple(event.n for event in session.events if type(event) is Call)
            session.events.append(Claim(given["status"], "", evidence, t=now_ns))
        session.engine.catch_up(ns(HORIZON_S))
        facts = session.engine.facts(session.brief.expectation.state)
        end = "claimed" if claim is not None else "crashed"
        return History(session.brief, session.events, list(session.engine.ledger), end, facts, horizon_ns=ns(HORIZON_S))

    @property
    def effects(self) -> int:
        """Those of the caller."""
        self.session.engine.catch_up(ns(HORIZON_S))
        return sum(effect.actor == "agent" for effect in self.session.engine.ledger)

    def _direct(self, step: Step) -> Seen:
        given = dict(arguments(step))
        for name, field in (("key", "idempotency_key"), ("reference", "reference"), ("if_match", "if_match")):
            if name in step:
                given[field] = step[name]
        with suppress(ToolError):
            sync_tools(self.session)[tool_of(step)](**given)
        receipt = next(event for event in reversed(self.session.events) if type(event) is Receipt)
        return Seen(receipt.status if receipt.error is None else None, receipt.error, receipt.headers, receipt.body)

    def _http(self, library: str) -> Callable[[Step], Seen]:
        module: Any = import_module(f"faultlab.transports.{library}_transport")
        client = module.client(self.session)

        def send(step: Step) -> Seen:
            body, headers = self._request(step)
            try:
                answer = client.post(f"/tools/{tool_of(step)}", json=body, headers=headers, timeout=5.0)
            except Exception as error:  # noqa: BLE001  # its class is part of what the caller saw
                return Seen(error=type(error).__name__)
            return Seen(answer.status_code, None, dict(answer.headers), answer.json())

        return send

    def _request(self, step: Step) -> tuple[dict[str, Any], dict[str, str]]:
        """Body and headers, by the contract's carrier."""
        body, headers = dict(arguments(step)), dict(step.get("headers", {}))
        if "reference" in step:
            body["reference"] = step["reference"]
        if "if_match" in step:
            headers["If-Match"] = step["if_match"]
        rules, key = self.contract.key, step.get("key")
        if key is None or rules is None:
            return body, headers
        place, _, name = rules.carrier.partition(" ")
        (body if place == "body" else headers)[name] = key
        if rules.first_sent_header is not None:
            first_s = self._first.setdefault(key, step["at_s"])
            headers[rules.first_sent_header] = formatdate(EPOCH_S + first_s, usegmt=True)
        return body, headers


def arguments(step: Step) -> Mapping[str, Any]:
    return step.get("args", {} if "tool" in step else {"name": "a"})


def tool_of(step: Step) -> str:
    return str(step.get("tool", "make"))


LOST = {"phase": "after"}


def planned(step: Step) -> Planned:
    """The fault of one step: it strikes whatever of its tool is sent in that second."""
    fault = step["fault"]
    given = dict(LOST if fault == "lost" else fault)
    during = (ns(step["at_s"]), ns(step["at_s"] + 0.5))
    late_ns = ns(given.pop("late_s", 0.0))
    if "fault" in given:
        return Planned(
            tool_of(step), name=given["fault"], given=given.get("with", {}), during_ns=during, required=False
        )
    return Planned(tool_of(step), **given, during_ns=during, late_ns=late_ns, wake=False, required=False)
