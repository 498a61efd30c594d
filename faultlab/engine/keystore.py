"""The key layer of the server: it looks keys up, holds them, keeps answers, and marks what it answers.

Records are rows of the same overlay as the tools' rows: one rollback undoes both.
"""

from collections.abc import Mapping
from typing import Any

from faultlab.core.actions import Reply
from faultlab.core.canonical import copy_json
from faultlab.core.contract import KeyRules
from faultlab.core.keys import Action, KeyRecord, decide, place_of, request_of
from faultlab.core.records import Call
from faultlab.core.refusals import IN_FLIGHT, KEY_EXPIRED, KEY_INVALID, KEY_MISMATCH, KEY_MISSING
from faultlab.core.world import World
from faultlab.engine.errors import key_error
from faultlab.engine.handles import ENDED, KEYS, SYSTEM

ENDED_STATES = frozenset({"terminated", "deleted", "cancelled"})
"""Values of a row's `state` that count as its end; a row that is gone has ended too."""


class KeyStore:
    """The keys of one world under one contract."""

    __slots__ = ("_everywhere", "_marks", "_rows", "lost", "rules", "world")

    def __init__(self, rules: KeyRules, world: World) -> None:
        self.rules = rules
        self.world = world
        self.lost: set[str] = set()
        """The places of records that are gone, though their requests were executed."""
        self._rows = rules.replay_body == "updated" or rules.window_from == "resource_end"
        """Whether a record must know what was made under it."""
        self._everywhere = rules.scope == "account"
        self._marks = bool(rules.result_header or rules.echoes_key)

    def admit(self, call: Call, now_ns: int) -> Reply | None:
        """Refuse, replay, or hold the key and let the call go on (None)."""
        rules, key, world = self.rules, call.key, self.world
        if key is None:
            if not rules.required:
                return None
            return key_error(rules, 400, KEY_MISSING, "This operation requires an idempotency key.")
        if not 0 < len(key) <= rules.max_length:
            return self._refused(call, 400, KEY_INVALID, f"A key has 1 to {rules.max_length} characters.")
        place, request = key if self._everywhere else place_of(rules, call), request_of(rules, call)
        record = world.peek(KEYS, place)
        if record is not None and rules.window_from == "resource_end":
            record = record._replace(first_ns=self._began_ns(record, now_ns))
        action = decide(rules, record, request, now_ns, call.first_sent_ns)
        if action is Action.EXECUTE:
            world.put(KEYS, place, KeyRecord(request, now_ns))
            return None
        if action is Action.REPLAY:
            return self.marked(call, self._replay(record), accepted=True)
        if action is Action.BUSY:
            detail = "A request with this key is still running."
            return self._refused(call, rules.in_flight_status, IN_FLIGHT, detail)
        if action is Action.MISMATCH:
            detail = "This key was used with other parameters."
            return self._refused(call, rules.mismatch_status, KEY_MISMATCH, detail)
        return self._refused(call, 412, KEY_EXPIRED, "This key is older than its window.")

    def _refused(self, call: Call, status: int, code: str, detail: str) -> Reply:
        return self.marked(call, key_error(self.rules, status, code, detail), accepted=False)

    def _replay(self, record: KeyRecord) -> Reply:
        """The answer that was kept, or the same about the present state of what was made."""
        rules = self.rules
        reply: Reply = record.reply
        body = copy_json(reply.body)
        if rules.replay_body == "updated" and record.row is not None:
            row = self.world.get(*record.row) or {}
            body |= {name: value for name, value in row.items() if name in body}
        marker = {} if rules.replay_header is None else {rules.replay_header.lower(): "true"}
        return Reply(reply.status, body, {**reply.headers, **marker})

    def _began_ns(self, record: KeyRecord, now_ns: int) -> int:
        """When the window of a record began that counts from the end of what was made; now: it has not begun."""
        if record.row is None or record.reply is None:
            return record.first_ns
        ended: int | None = self.world.peek(ENDED, "/".join(record.row))
        return now_ns if ended is None else ended

    def ended(self, call: Call, reply: Reply, now_ns: int, mark: int) -> Reply:
        """After execution: keep the answer, and mark it. `mark`: where the call's changes begin in the world's log."""
        if self.rules.window_from == "resource_end":
            self._note_ends(mark, now_ns)
        if call.key is None:
            return reply
        self._keep(call, reply, now_ns, mark)
        return self.marked(call, reply, accepted=True) if self._marks else reply

    def broke(self, call: Call, answer: Reply, now_ns: int, *, applied: bool) -> None:
        """After a 5xx of the server itself: keep it, or give the key free, or leave the result that is kept."""
        if call.key is not None and (not applied or self.rules.save_5xx or self.rules.frees_on_5xx):
            self._keep(call, answer, now_ns, 0)

    def _keep(self, call: Call, reply: Reply, now_ns: int, mark: int) -> None:
        rules, world = self.rules, self.world
        status, place = reply.status, call.key if self._everywhere else place_of(rules, call)
        assert place is not None
        if not (status < 300 or (status < 500 and rules.save_4xx) or (status >= 500 and rules.save_5xx)):
            world.drop(KEYS, place)
            return
        record = world.peek(KEYS, place)
        first_ns = now_ns if record is None or rules.window_from == "completion" else record.first_ns
        if rules.window_from == "first_sent" and call.first_sent_ns is not None:
            first_ns = call.first_sent_ns
        request = request_of(rules, call) if record is None else record.request
        kept = Reply(status, copy_json(reply.body), reply.headers)
        row = self._made(mark, reply.body) if self._rows and status < 300 else None
        world.put(KEYS, place, KeyRecord(request, first_ns, kept, row))

    def _made(self, mark: int, body: Mapping[str, Any]) -> tuple[str, str] | None:
        """The row of what a call has made: the one that its answer names by `id`, else the first that it wrote."""
        written = [place for place in self.world.changed(mark) if place[0] not in SYSTEM]
        named = (place for place in written if place[1] == body.get("id"))
        return next(named, written[0] if written else None)

    def release(self, call: Call) -> None:
        """The key may be used again."""
        if call.key is not None:
            self.world.drop(KEYS, place_of(self.rules, call))

    def lose(self, call: Call) -> None:
        """The record of a committed call is gone."""
        if call.key is not None:
            self.lost.add(place_of(self.rules, call))
            self.release(call)

    def lose_all(self) -> None:
        """Every record is gone."""
        for place in [place for place, _ in self.world.items(KEYS)]:
            self.lost.add(place)
            self.world.drop(KEYS, place)

    def was_lost(self, call: Call) -> bool:
        """What is executed again under such a key is the server's fault."""
        return call.key is not None and place_of(self.rules, call) in self.lost

    def _note_ends(self, mark: int, now_ns: int) -> None:
        """Write down which rows have come to their end since `mark`."""
        world = self.world
        for table, row_id in list(world.changed(mark)):
            if table in SYSTEM:
                continue
            row = world.peek(table, row_id)
            if row is None or (isinstance(row, Mapping) and row.get("state") in ENDED_STATES):
                place = f"{table}/{row_id}"
                if world.peek(ENDED, place) is None:
                    world.put(ENDED, place, now_ns)

    def marked(self, call: Call, reply: Reply, accepted: bool) -> Reply:
        """An answer to a keyed request, with what the contract writes on every one."""
        if call.key is None or not self._marks:
            return reply
        rules = self.rules
        headers, body = dict(reply.headers), reply.body
        if rules.result_header is not None:
            headers[rules.result_header.lower()] = "accepted" if accepted else "rejected"
        if rules.echoes_key:
            place, _, name = rules.carrier.partition(" ")
            if place == "header":
                headers[name.lower()] = call.key
            elif isinstance(body, dict):
                body = {**body, name: call.key}
        return Reply(reply.status, body, headers)
