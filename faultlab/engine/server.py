"""Admission and execution: what the tool server does with one call, on one world.

Order: tombstones and bars -> key look-up -> effect, so that a retried write gets its own first result.
System rows live in the same overlay as the tools' rows: one rollback undoes both.
"""

from collections.abc import Mapping
from typing import Any, Literal

from faultlab.core.actions import Reply
from faultlab.core.canonical import copy_json
from faultlab.core.contract import Contract
from faultlab.core.keys import Action, KeyRecord, decide
from faultlab.core.outcome import IN_FLIGHT
from faultlab.core.records import Call, Effect
from faultlab.core.tools import Refused, Tool, Toolset
from faultlab.core.world import World
from faultlab.engine.conditions import tagged, unmet_condition
from faultlab.engine.errors import key_error, problem
from faultlab.engine.handles import BARS, DONE, KEYS, RUNNING, TOMBS

SCALARS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


class Server:
    """One world under one contract. It has no clock: each step is told the time."""

    __slots__ = (
        "_counts",
        "_occurrences",
        "broken",
        "contract",
        "ledger",
        "seed",
        "toolset",
        "torn",
        "world",
    )

    def __init__(self, toolset: Toolset, contract: Contract, world: World, seed: int) -> None:
        self.toolset = toolset
        self.contract = contract
        self.world = world
        self.seed = seed
        self.ledger: list[Effect] = []
        self.torn: set[str] = set()
        """Keys whose record was lost: what is executed again under them is the server's fault."""
        self.broken: Exception | None = None
        """A tool function failed by itself: the toolset is wrong, not the agent."""
        self._occurrences: dict[int, tuple[int, str, str, int]] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def number(self, call: Call) -> None:
        """Give a call the parts of its ids: they depend on how often the caller asked for the same, on nothing else."""
        asked = (call.tool, call.identity)
        count = self._counts[asked] = self._counts.get(asked, 0) + 1
        self._occurrences[call.n] = (self.seed, call.tool, call.identity, count)

    def admit(self, call: Call, now_ns: int) -> Reply | None:
        """Refuse, replay, or hold the key and let the call go on (None)."""
        if call.kind != "write":
            return None
        world = self.world
        for handle in (call.key, call.reference):
            if handle is None:
                continue
            if world.peek(TOMBS, handle) is not None:
                return problem(409, "cancelled", f"{handle} was cancelled for good")
            bar = world.peek(BARS, handle)
            if bar is not None and call.n < bar:
                return problem(409, "barred", f"{handle} was declared not found after this request was sent")
        if call.key is None and call.reference is None and (self.contract.status or self.contract.fence):
            return problem(400, "reference_missing", f"{call.tool} needs a reference: it is what can be asked for")
        if (refusal := self._admit_key(call, now_ns)) is not None:
            return refusal
        if (wrong := invalid(self.toolset.tools[call.tool], call.args)) is not None:
            if call.key is not None and self.contract.key is not None:
                world.drop(KEYS, call.key)
            return problem(400, "invalid", wrong)
        for handle in (call.key, call.reference):
            if handle is not None:
                world.put(RUNNING, handle, (*(world.peek(RUNNING, handle) or ()), call.n))
        return None

    def _admit_key(self, call: Call, now_ns: int) -> Reply | None:
        rules = self.contract.key
        if rules is None:
            return None
        if call.key is None:
            if not rules.required:
                return None
            return key_error(rules, 400, "key_missing", "This operation requires an Idempotency-Key.")
        if not 0 < len(call.key) <= rules.max_length:
            return key_error(rules, 400, "key_invalid", f"A key has 1 to {rules.max_length} characters.")
        record = self.world.peek(KEYS, call.key)
        request = (call.tool, call.args, call.if_match)
        action = decide(rules, record, request, now_ns)
        if action is Action.EXECUTE:
            self.world.put(KEYS, call.key, KeyRecord(request, now_ns))
            return None
        if action is Action.REPLAY:
            reply: Reply = record.reply
            marker = {} if rules.replay_header is None else {rules.replay_header.lower(): "true"}
            return Reply(reply.status, copy_json(reply.body), {**reply.headers, **marker})
        if action is Action.BUSY:
            detail = "A request with this key is still running."
            return key_error(rules, rules.in_flight_status, IN_FLIGHT, detail)
        if action is Action.MISMATCH:
            detail = "This key was used with other parameters."
            return key_error(rules, rules.mismatch_status, "key_mismatch", detail)
        return key_error(rules, 412, "key_expired", "This key is older than its window.")

    def commit(self, call: Call, now_ns: int) -> Reply:
        """Run the tool; effect and key record change together, or nothing does."""
        tool = self.toolset.tools[call.tool]
        world = self.world
        if call.kind != "write":
            return self._read(tool, call)
        mark = world.enter(self._occurrences[call.n], call.reference, call.n)
        handles = [handle for handle in (call.key, call.reference) if handle is not None]
        if (unmet := unmet_condition(world, self.contract, tool, call)) is not None:
            return self._release(call, handles, unmet)
        try:
            body = self._run(tool, call)
        except Refused as refusal:
            world.rollback(mark)
            reply = problem(refusal.status, refusal.code, refusal.detail)
        except Exception as error:  # noqa: BLE001 - a user's tool may raise anything
            world.rollback(mark)
            self.broken = error
            reply = problem(500, "tool_failed", f"{tool.name} failed by itself: {error!r}")
        else:
            reply = tagged(world, self.contract, tool, call, body, written=True)
            self._book(tool, call, body, now_ns)
        for handle in handles:
            self._ended(handle, call.n)
        if call.key is not None and self.contract.key is not None:
            self._keep(call, reply, now_ns)
        return reply

    def _release(self, call: Call, handles: list[str], refusal: Reply) -> Reply:
        """Nothing was executed: the key may be used again."""
        for handle in handles:
            self._ended(handle, call.n)
        if call.key is not None and self.contract.key is not None:
            self.world.drop(KEYS, call.key)
        return refusal

    def _run(self, tool: Tool, call: Call) -> dict[str, Any]:
        """The tool's own function; anything but a JSON object from it is its own failure."""
        body = tool.function(self.world, **call.args)
        if type(body) is not dict:
            raise TypeError(f"a tool returns a dict, not {type(body).__name__}")
        return body

    def _ended(self, handle: str, number: int) -> None:
        """A handle is running as long as any call that bears it."""
        left = tuple(other for other in self.world.peek(RUNNING, handle) or () if other != number)
        if left:
            self.world.put(RUNNING, handle, left)
        else:
            self.world.drop(RUNNING, handle)

    def _book(self, tool: Tool, call: Call, body: Any, now_ns: int) -> None:
        """One more line of the ledger, findable by key and reference."""
        effect_id = "e_" + self.world.token()
        reverses = None
        if tool.reverses is not None:
            taken = {item.reverses for item in self.ledger}
            reverses = next(
                (
                    item.id
                    for item in reversed(self.ledger)
                    if item.tool == tool.reverses and item.identity == call.identity and item.id not in taken
                ),
                None,
            )
        cause: Literal["server", "agent"] = "server" if call.key in self.torn else "agent"
        effect = Effect(
            effect_id,
            now_ns,
            call.n,
            call.tool,
            call.identity,
            call.args,
            call.key,
            call.reference,
            "agent",
            cause,
            reverses,
        )
        self.ledger.append(effect)
        for handle in (call.key, call.reference):
            if handle is not None:
                self.world.put(DONE, handle, {"tool": call.tool, "result": body})

    def _keep(self, call: Call, reply: Reply, now_ns: int) -> None:
        """The key's record after execution: kept for replay, or dropped so that the key may try again."""
        rules, key = self.contract.key, call.key
        assert rules is not None and key is not None
        status = reply.status
        if status < 300 or (status < 500 and rules.save_4xx) or (status >= 500 and rules.save_5xx):
            record = self.world.peek(KEYS, key)
            if record is None:
                record = KeyRecord((call.tool, call.args, call.if_match), now_ns)
            kept = Reply(status, copy_json(reply.body), reply.headers)
            self.world.put(KEYS, key, KeyRecord(record.request, record.first_ns, kept))
        else:
            self.world.drop(KEYS, key)

    def _read(self, tool: Tool, call: Call) -> Reply:
        """Reads change nothing; a status query or fence may leave a bar or tombstone."""
        if (wrong := invalid(tool, call.args)) is not None:
            return problem(400, "invalid", wrong)
        mark = self.world.enter(self._occurrences.get(call.n, (0, "", "", 0)), None, call.n)
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
        """Admission and commit in one step: a call without a fault."""
        reply = self.admit(call, now_ns)
        return self.commit(call, now_ns) if reply is None else reply

    def preview(self, call: Call, now_ns: int) -> Reply:
        """What `forward` would answer; world and ledger stay as they are."""
        mark = self.world.enter((0, "", "", 0), None, call.n)
        effects = len(self.ledger)
        reply = self.forward(call, now_ns)
        self.world.rollback(mark)
        del self.ledger[effects:]
        return reply

    def forget(self, call: Call) -> None:
        """Lose the key record of a committed call."""
        if call.key is not None:
            self.world.drop(KEYS, call.key)
            self.torn.add(call.key)


def invalid(tool: Tool, args: Mapping[str, Any]) -> str | None:
    """What is wrong with the arguments by the tool's schema; None: nothing."""
    properties = tool.schema["properties"]
    for name, value in args.items():
        schema = properties.get(name)
        if schema is None:
            return f"{tool.name} has no parameter {name!r}"
        if (wanted := misfit(schema, value)) is not None:
            return f"{tool.name}: {name} must be {wanted}, not {type(value).__name__}"
    for name in tool.schema["required"]:
        if name not in args:
            return f"{tool.name} needs the parameter {name!r}"
    return None


def misfit(schema: Mapping[str, Any], value: Any) -> str | None:
    """What the schema of one parameter (`core.tools.type_schema`) wants instead of the value; None: it fits."""
    kind = schema.get("type")
    if kind is not None:
        if not isinstance(value, SCALARS[kind]) or (type(value) is bool and kind != "boolean"):
            return f"of type {kind}"
        if isinstance(value, list):
            wrong = next((wanted for item in value if (wanted := misfit(schema["items"], item))), None)
            return None if wrong is None else f"a list whose every item is {wrong}"
        return None
    if "enum" in schema:
        fits = any(item == value and type(item) is type(value) for item in schema["enum"])
        return None if fits else f"one of {schema['enum']}"
    each = [misfit(option, value) for option in schema["anyOf"]]
    return None if None in each else " or ".join(filter(None, each))
