"""Conditional writes on the real server, with other writers between: what may be repeated never does harm, and what
is read of versions is true."""

from collections import Counter
from contextlib import suppress
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st
from labs import lab

from faultlab.core.actions import Meddle
from faultlab.core.agent import ToolError
from faultlab.core.charge import charge_send
from faultlab.core.clock import NS
from faultlab.core.contract import Contract
from faultlab.core.history import WriteTerms
from faultlab.core.knowledge import Knowledge
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call, Outcome, Receipt
from faultlab.core.versions import etag
from faultlab.core.world import FrozenWorld
from faultlab.faults.plan import Planned
from faultlab.toolsets.pages import PAGES
from faultlab.transports.direct import sync_tools

WORLD = FrozenWorld({"pages": {"poster": {"title": "Fair", "entrance": "north", "notice": ""}}})
TERMS = {"update_page": WriteTerms(("page_id",), versioned=("pages", "page_id"), queryable=True)}
CONTRACTS = [
    Contract(name="honoured", precondition="honoured"),
    Contract(name="required", precondition="required"),
    Contract(name="alone", precondition="required", writers="one"),
    Contract(name="keyed", precondition="required", key=PROFILES["strict"].key),
    Contract(name="asked", precondition="required", status=True),
]
contracts = st.sampled_from(CONTRACTS)
losses = st.builds(
    Planned,
    st.just("update_page"),
    st.sampled_from(["before", "after", "late_network", "late_server"]),
    st.sampled_from(["timeout", "reset", "garbled"]),
    st.integers(1, 4),
    late_ns=st.sampled_from([0, 5 * NS, 60 * NS]),
    wake=st.booleans(),
)
plans = st.lists(losses, max_size=3, unique_by=lambda planned: planned.occurrence).map(tuple)
writes = st.fixed_dictionaries(
    {"version": st.sampled_from([1, 1, 1, 2, 3, None]), "notice": st.sampled_from(["a", "a", "a", "b"])},
    optional={"reference": st.sampled_from(["r1", "r1", "r2"]), "idempotency_key": st.sampled_from(["k1", "k1", "k2"])},
)
moves = st.lists(
    st.tuples(st.just("write"), writes)
    | st.tuples(st.just("write"), writes)
    | st.tuples(st.sampled_from(["look", "page", "meddle", "status"]), st.just({}))
    | st.tuples(st.just("sleep"), st.sampled_from([0.5, 8.0, 90.0])),
    min_size=2,
    max_size=10,
)


class Board:
    """An attempt at one page, folded as it goes. Only permitted writes are sent."""

    def __init__(self, contract: Contract, plan: tuple[Planned, ...]) -> None:
        self.session = lab(contract, *plan, toolset=PAGES, world=WORLD)
        self.contract = contract
        self.tools = sync_tools(self.session)
        self.knowledge = Knowledge(contract, lambda tool, identity: 1, TERMS)
        self.folded = 0

    def play(self, move: tuple[str, Any]) -> None:
        kind, given = move
        if kind == "sleep":
            self.session.clock.sleep(given)
        elif kind == "meddle" and self.contract.writers == "many":
            args = {"page_id": "poster", "entrance": "west", "notice": "theirs"}
            wish = Meddle("update_page", args, "interference", "theirs")
            self.session.engine.server.meddle(wish, self.session.clock.now())
        elif kind == "look":
            self._call("list_revisions", page_id="poster")
        elif kind == "page":
            self._call("get_page", page_id="poster")
        elif kind == "status" and "operation_status" in self.tools:
            self._call("operation_status", reference="r1")
        elif kind == "write":
            self._write(dict(given))
        self.fold()

    def _write(self, given: dict[str, Any]) -> None:
        version, notice = given.pop("version"), given.pop("notice")
        if self.contract.key is None:
            given.pop("idempotency_key", None)
        args = {"page_id": "poster", "entrance": "south", "notice": notice}
        if_match = None if version is None else etag(version)
        now_ns, key, reference = self.session.clock.now(), given.get("idempotency_key"), given.get("reference")
        call = Call(self.session.count + 1, now_ns, "update_page", "write", args, "poster", key, reference, if_match)
        operation = self.knowledge.operation_of(call)
        if operation is not None and charge_send(operation, call, self.contract) is not None:
            return
        if operation is not None and operation.knowledge is Outcome.UNKNOWN:
            event("repeated while unknown")
        self._call("update_page", **args, **given, **({} if if_match is None else {"if_match": if_match}))

    def _call(self, name: str, **args: Any) -> None:
        with suppress(ToolError):
            self.tools[name](**args)

    def fold(self) -> None:
        for item in self.session.events[self.folded :]:
            if isinstance(item, Call | Receipt):
                self.knowledge.see(item)
        self.folded = len(self.session.events)


@given(contracts, plans, moves)
@settings(max_examples=600)
def test_permitted_conditional_writes_have_at_most_one_effect_and_versions_tell_the_truth(
    contract: Contract, plan: tuple[Planned, ...], script: list[tuple[str, Any]]
) -> None:
    board = Board(contract, plan)
    for move in script:
        board.play(move)
    engine = board.session.engine
    engine.catch_up(board.session.clock.now() + 1_000 * NS)
    board.fold()
    made = Counter(effect.call for effect in engine.ledger if effect.actor == "agent")
    for operation in board.knowledge.operations:
        effects = sum(made[call.n] for call in operation.calls)
        event(f"{operation.knowledge}: {effects}")
        assert effects <= 1
        if operation.knowledge is Outcome.NOT_APPLIED:
            assert effects == 0
        elif operation.knowledge is Outcome.APPLIED:
            assert effects == 1
