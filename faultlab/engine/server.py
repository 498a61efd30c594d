"""Admission and execution: what the tool server does with one call, on one world.

Order: tombstones and bars -> key look-up -> effect, so that a retried write gets its own first result.
System rows live in the same overlay as the tools' rows: one rollback undoes both.
"""

from collections.abc import Callable
from typing import Any

from faultlab.core import versions
from faultlab.core.actions import Cause, Meddle, Reply
from faultlab.core.clock import NS
from faultlab.core.contract import Contract
from faultlab.core.records import Actor, Call, Effect
from faultlab.core.seed import token
from faultlab.core.tools import Refused, Tool, Toolset
from faultlab.core.world import World
from faultlab.engine.arguments import invalid
from faultlab.engine.booking import UNSEEN, Change, change, lines, row_of
from faultlab.engine.conditions import tagged, unmet_condition
from faultlab.engine.errors import failure, problem
from faultlab.engine.handles import BARS, DONE, FAILED, RUNNING, TOMBS
from faultlab.engine.keystore import KeyStore


class Server:
    """One world under one contract. It has no clock: each step is told the time."""

    __slots__ = (
        "_counts",
        "_occurrences",
        "broken",
        "contract",
        "keys",
        "ledger",
        "seed",
        "toolset",
        "world",
    )

    def __init__(self, toolset: Toolset, contract: Contract, world: World, seed: int) -> None:
        self.toolset = toolset
        self.contract = contract
        self.keys = None if contract.key is None else KeyStore(contract.key, world)
        self.world = world
        self.seed = seed
        self.ledger: list[Effect] = []
        self.broken: BaseException | None = None
        """A tool function failed by itself: the toolset is wrong, not the agent."""
        self._occurrences: dict[int, tuple[int, str, str, int]] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def turn_to(self, world: World, ledger: list[Effect]) -> None:
        """Serve on another world: that of an earlier moment, and back."""
        self.world, self.ledger = world, ledger
        if self.keys is not None:
            self.keys.world = world

    def number(self, call: Call) -> None:
        """Give a call the parts of its ids: they depend on how often the caller asked for the same, on nothing else."""
        asked = (call.tool, call.identity)
        count = self._counts[asked] = self._counts.get(asked, 0) + 1
        self._occurrences[call.n] = (self.seed, call.tool, call.identity, count)

    def admit(self, call: Call, now_ns: int) -> Reply | None:
        """Refuse, replay, or hold the key and let the call go on (None): from now on it is seen to run."""
        if call.kind != "write":
            return None
        early = self._admission(call, now_ns)
        if early is None:
            world = self.world
            for handle in (call.key, call.reference):
                if handle is not None:
                    world.put(RUNNING, handle, (*(world.peek(RUNNING, handle) or ()), call.n))
        return early

    def _admission(self, call: Call, now_ns: int) -> Reply | None:
        """Refuse or replay a write, or hold its key."""
        world = self.world
        for handle in (call.key, call.reference):
            if handle is None:
                continue
            if world.peek(TOMBS, handle) is not None:
                return self._refusal(call, 409, "cancelled", f"{handle} was cancelled for good")
            bar = world.peek(BARS, handle)
            if bar is not None and call.n < bar:
                return self._refusal(
                    call, 409, "barred", f"{handle} was declared not found after this request was sent"
                )
        if call.key is None and call.reference is None and (self.contract.status or self.contract.fence):
            return self._refusal(
                call, 400, "reference_missing", f"{call.tool} needs a reference: it is what can be asked for"
            )
        keys = self.keys
        if keys is not None and (early := keys.admit(call, now_ns)) is not None:
            return early
        if (wrong := invalid(self.toolset.tools[call.tool], call.args)) is not None:
            if keys is not None:
                keys.release(call)
            return self._refusal(call, 400, "invalid", wrong)
        return None

    def _refusal(self, call: Call, status: int, code: str, detail: str) -> Reply:
        """Before anything was looked at under the key."""
        reply = problem(status, code, detail)
        return reply if self.keys is None else self.keys.marked(call, reply, accepted=False)

    def commit(self, call: Call, now_ns: int, cause: Cause = "agent", done: int | None = None) -> Reply:
        """Run the tool; effect and key record change together, or nothing does.

        A `cause` other than the agent: somebody else's call, or a second copy of this one. `done`: of a list of items
        only the first so many are worked on.
        """
        tool = self.toolset.tools[call.tool]
        world = self.world
        if call.kind != "write":
            return self._read(tool, call, now_ns)
        mark = world.enter(self._ids(call, cause), call.reference, call.n)
        world.now_s = now_ns / NS
        was = None if tool.versioned is None else row_of(world, tool, call)
        handles = [handle for handle in (call.key, call.reference) if handle is not None]
        if (unmet := unmet_condition(world, self.contract, tool, call)) is not None:
            return self._release(call, handles, unmet)
        try:
            body = self._run(tool, call) if done is None else self._run_some(tool, call, done)
        except Refused as refusal:
            world.rollback(mark)
            reply = problem(refusal.status, refusal.code, refusal.detail)
        except Exception as error:  # noqa: BLE001 - a user's tool may raise anything
            world.rollback(mark)
            self.broken = error
            reply = problem(500, "tool_failed", f"{tool.name} failed by itself: {error!r}")
        else:
            reply = tagged(world, self.contract, tool, call, body, written=True)
            self._book(
                tool, call, body, now_ns, cause, UNSEEN if tool.versioned is None else change(world, tool, call, was)
            )
        for handle in handles:
            self._ended(handle, call.n)
        return reply if self.keys is None else self.keys.ended(call, reply, now_ns, mark)

    def _release(self, call: Call, handles: list[str], refusal: Reply) -> Reply:
        """Nothing was executed: the key may be used again."""
        for handle in handles:
            self._ended(handle, call.n)
        if self.keys is None:
            return refusal
        self.keys.release(call)
        return self.keys.marked(call, refusal, accepted=True)

    def _run(self, tool: Tool, call: Call) -> dict[str, Any]:
        """The tool's own function; anything but a JSON object from it is its own failure."""
        body = tool.function(self.world, **call.args)
        if type(body) is not dict:
            raise TypeError(f"a tool returns a dict, not {type(body).__name__}")
        return body

    def _run_some(self, tool: Tool, call: Call, done: int) -> dict[str, Any]:
        """The first items are done; each of the others has a 503 of its own."""
        assert tool.items is not None
        listed = call.args[tool.items]
        body = self._run(tool, call._replace(args={**call.args, tool.items: listed[:done]}))
        failed = {"status": 503, "body": problem(503, "unavailable", "This item was not worked on.").body}
        return {**body, "items": [*body["items"], *(failed for _ in listed[done:])]}

    def _ended(self, handle: str, number: int) -> None:
        """A handle is running as long as any call that bears it."""
        running = self.world.peek(RUNNING, handle)
        if running is None:
            return
        left = tuple(other for other in running if other != number)
        if left:
            self.world.put(RUNNING, handle, left)
        else:
            self.world.drop(RUNNING, handle)

    def _ids(self, call: Call, cause: Cause) -> tuple[int, str, str, int]:
        """What the ids of its rows are made of; a second copy of a call makes rows of its own."""
        ids = self._occurrences[call.n]
        if cause == "agent":
            return ids
        seed, name, identity, count = ids
        return seed, f"{name} by {cause}", identity, count

    def _book(self, tool: Tool, call: Call, body: Any, now_ns: int, cause: Cause, changed: Change) -> None:
        """One more line of the ledger for each effect, findable by key and reference."""
        effect_id = "e_" + self.world.token()
        reverses = None if tool.reverses is None else self._standing(tool.reverses, call.identity)
        keys = self.keys
        if keys is not None and keys.lost and cause == "agent" and keys.was_lost(call):
            cause = "server"
        actor: Actor = "agent" if cause == "server" else cause
        told = (call.key, call.reference, actor, cause, reverses, *changed)
        if tool.items is None:
            self.ledger.append(Effect(effect_id, now_ns, call.n, call.tool, call.identity, call.args, *told))
        else:
            for number, (identity, args) in enumerate(lines(tool.items, call, body)):
                self.ledger.append(Effect(f"{effect_id}.{number}", now_ns, call.n, call.tool, identity, args, *told))
        for handle in (call.key, call.reference):
            if handle is not None:
                self.world.put(DONE, handle, {"tool": call.tool, "identity": call.identity, "result": body})

    def _standing(self, name: str, identity: str) -> Any:
        """Id of the last effect that was not taken back, or None; what takes one back stands after it."""
        taken = set()
        for item in reversed(self.ledger):
            if item.tool == name and item.identity == identity and item.id not in taken:
                return item.id
            taken.add(item.reverses)
        return None

    def _read(self, tool: Tool, call: Call, now_ns: int) -> Reply:
        """Reads change nothing; a status query or fence may leave a bar or tombstone."""
        if (wrong := invalid(tool, call.args)) is not None:
            return problem(400, "invalid", wrong)
        mark = self.world.enter(self._occurrences.get(call.n, (0, "", "", 0)), None, call.n)
        self.world.now_s = now_ns / NS
        try:
            return tagged(self.world, self.contract, tool, call, self._run(tool, call), written=False)
        except Refused as refusal:
            self.world.rollback(mark)
            return problem(refusal.status, refusal.code, refusal.detail)
        except Exception as error:  # noqa: BLE001 - a user's tool may raise anything
            self.world.rollback(mark)
            self.broken = error
            return problem(500, "tool_failed", f"{tool.name} failed by itself: {error!r}")

    def forward(self, call: Call, now_ns: int) -> Reply:
        """Admission and commit in one step: a call without a fault. Nobody can look in between, so that it runs is not
        written down."""
        if call.kind != "write":
            return self.commit(call, now_ns)
        reply = self._admission(call, now_ns)
        return self.commit(call, now_ns) if reply is None else reply

    def preview(self, call: Call, now_ns: int) -> Reply:
        """What `forward` would answer; world and ledger stay as they are."""
        mark = self.world.enter((0, "", "", 0), None, call.n)
        effects = len(self.ledger)
        reply = self.forward(call, now_ns)
        self.world.rollback(mark)
        del self.ledger[effects:]
        return reply

    def fail(self, call: Call, now_ns: int, *, applied: bool) -> Reply:
        """The server itself breaks down in an admitted call, before its effect or after it, and answers 500.

        What a resend under the key gets then is the contract's own.
        """
        answer = failure(self.contract.key)
        if applied:
            reply = self.commit(call, now_ns)
            if reply.status >= 300:
                return reply
        else:
            for handle in (call.key, call.reference):
                if handle is not None:
                    self._ended(handle, call.n)
        if self.keys is None:
            return answer
        self.keys.broke(call, answer, now_ns, applied=applied)
        return self.keys.marked(call, answer, accepted=True)

    def forget(self, call: Call) -> None:
        """Lose the key record of a committed call."""
        if self.keys is not None:
            self.keys.lose(call)

    def forget_keys(self) -> None:
        """Lose every key record."""
        if self.keys is not None:
            self.keys.lose_all()

    def abort(self, call: Call) -> None:
        """An admitted call ends without an effect, and can have none any more."""
        handles = [handle for handle in (call.key, call.reference) if handle is not None]
        for handle in handles:
            self._ended(handle, call.n)
            self.world.put(FAILED, handle, call.n)
        if self.keys is not None:
            self.keys.release(call)

    def meddle(self, wish: Meddle, now_ns: int, commit: Callable[[Call, int, Cause], Reply] | None = None) -> Reply:
        """Somebody else's call, with all that the contract demands of a caller. `commit`: what carries it out."""
        tool, contract, world = self.toolset.tools[wish.tool], self.contract, self.world
        identity, items = tool.meant(wish.args)
        name = f"{wish.tool} of {wish.actor}"
        count = self._counts[name, identity] = self._counts.get((name, identity), 0) + 1
        key, reference, if_match = wish.key, wish.reference, None
        if key is None and contract.key is not None and contract.key.required:
            key = "k_" + token(self.seed, name, identity, count)
        if reference is None and (contract.status or contract.fence):
            reference = "r_" + token(self.seed, name, identity, count)
        if tool.conditional(contract) and tool.versioned is not None:
            table, argument = tool.versioned
            if_match = versions.etag(world.version(table, str(wish.args.get(argument))))
        scope = tool.place(wish.args)
        call = Call(0, now_ns, wish.tool, tool.kind, wish.args, identity, key, reference, if_match, scope, items=items)
        self._occurrences[0] = (self.seed, name, identity, count)
        return self.admit(call, now_ns) or (commit or self.commit)(call, now_ns, wish.actor)
