"""What must be read before a write: the thing itself, the documents it follows, a list, a limit, an approval.

All reference agents do this alike; what they do about failures afterwards is theirs alone.
"""

from collections.abc import Generator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from faultlab.agents.counting import counted
from faultlab.agents.documents import Document, contradiction, newest
from faultlab.client.approvals import look_at
from faultlab.client.recovery import Recovery
from faultlab.client.source import Approval, Source
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.core.contract import CONDITION_FIELD, KEY_FIELD, REFERENCE_FIELD
from faultlab.core.records import Outcome, Receipt, Status
from faultlab.core.tools import APPROVAL

WAITS_S = (0.5, 1.0)
"""Between two tries of a read that failed."""

Answered = Generator[Invoke | Sleep, Receipt | None, Mapping[str, Any]]


class Missing(Exception):
    """What is needed could not be read, or does not fit together."""

    def __init__(self, status: Status, text: str) -> None:
        super().__init__(text)
        self.status: Status = status
        self.text = text


class Manner(NamedTuple):
    """How an agent reads."""

    inputs: Mapping[str, Any]
    tries: int
    """How often, where no answer comes."""
    unread: Status
    """What is said of an operation that needs what none of them gave."""
    first: bool
    """What is written rests on the page that came first, whatever its version."""


class Groundwork:
    """The reads before one operation."""

    def __init__(self, recovery: Recovery, manner: Manner, lists: dict[str, list[Any] | None]) -> None:
        """`lists`: those that were read before, None for one that could not be read to its end."""
        self.recovery = recovery
        self.inputs = manner.inputs
        self.tries = manner.tries
        self.unread: Status = manner.unread
        self.first = manner.first
        self.lists = lists

    def steps(self, then: Steps) -> Steps:
        """The reads, and then what the agent does with the operation."""
        try:
            if not self.recovery.operation.calls:  # else it was decided, and sent, before
                yield from self._all()
        except Missing as missing:
            return Stop(missing.status, tuple(call.n for call in self.recovery.log.calls[-1:]), text=missing.text)
        return (yield from then)

    def _all(self) -> Generator[Invoke | Sleep, Receipt | None, None]:
        inputs, recovery = self.inputs, self.recovery
        if "limit" in inputs:
            yield from self._limit(inputs["limit"])
        if "count" in inputs:
            yield from self._count(inputs["count"])
        known = (yield from self._documents(inputs["sources"])) if "sources" in inputs else {}
        if "versioned" in recovery.specs[recovery.intent.tool]:
            yield from self._thing(known)
        if APPROVAL in self._parameters:
            recovery.intent = recovery.intent._replace(approval=Approval("get_approval", "request_approval"))
            if (stop := (yield from look_at(recovery))) is not None:
                raise Missing(stop.status, stop.text or "")

    @property
    def _parameters(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.recovery.specs[self.recovery.intent.tool]["parameters"]["properties"]
        return found

    def read(self, tool: str, args: Mapping[str, Any]) -> Answered:
        """Raises Missing where no try is answered."""
        for tried in range(self.tries):
            if tried:
                yield Sleep(WAITS_S[tried - 1])
            receipt = yield Invoke(tool, args)
            if receipt is not None and receipt.outcome is Outcome.APPLIED:
                body: Mapping[str, Any] = receipt.body
                return body
        raise Missing(self.unread, f"{tool} gave no answer; nothing was sent.")

    def _limit(self, limit: Mapping[str, Any]) -> Generator[Invoke | Sleep, Receipt | None, None]:
        """No more than the task's limit. It was noted; if the note is gone it is read again."""
        recovery, name = self.recovery, limit["note"]
        most = recovery.env.notes.get(name)
        if most is None:
            most = recovery.env.notes[name] = (yield from self.read(limit["tool"], limit["args"]))[name]
        amount = min(recovery.intent.args["amount"], most, key=Decimal)
        recovery.intent = recovery.intent._replace(args={**recovery.intent.args, "amount": amount})

    def _count(self, count: Mapping[str, Any]) -> Generator[Invoke | Sleep, Receipt | None, None]:
        """What goes into the file that is to be written."""
        name = count["list"]
        if name not in self.lists:
            self.lists[name] = yield from self._whole(name)
        rows = self.lists[name]
        if rows is None:
            raise Missing("done", f"The list {name} is incomplete: nothing was written.")
        content = counted(rows, count["id"], count["by"])[self.recovery.intent.args["name"]]
        self.recovery.intent = self.recovery.intent._replace(args={**self.recovery.intent.args, "content": content})

    def _whole(self, name: str) -> Generator[Invoke | Sleep, Receipt | None, list[Any] | None]:
        """A list, page by page. A page that says that it is not whole is asked for again; None: there is no end."""
        rows: list[Any] = []
        args, tried = {"name": name}, 0
        while True:
            page = yield from self.read("read_list", args)
            if page["next"] is not None:
                rows += page["rows"]
                args, tried = {"name": name, "cursor": page["next"]}, 0
            elif page["complete"]:
                return [*rows, *page["rows"]]
            elif tried == len(WAITS_S):
                return None
            else:
                yield Sleep(WAITS_S[tried])
                tried += 1

    def _documents(
        self, sources: Sequence[Mapping[str, Any]]
    ) -> Generator[Invoke | Sleep, Receipt | None, Mapping[str, Any]]:
        """What the latest of several documents says. Where nothing tells which is the latest, nothing is written."""
        found: list[Document] = []
        for source in sources:
            body = yield from self.read(source["tool"], source["args"])
            found.append(Document(source["tool"], body))
        if not self.first and (said := contradiction(found)):
            raise Missing("done", f"{said} Nothing was written.")
        return found[0].body if self.first else newest(found).body

    def _reader(self, argument: str) -> str:
        """The read that gives the thing of this name itself, not what was done to it."""
        for name, spec in self.recovery.specs.items():
            if spec["kind"] == "read" and "reveals" not in spec and [*spec["parameters"]["properties"]] == [argument]:
                return name
        raise LookupError(f"no tool reads a thing by {argument}")

    def _thing(self, known: Mapping[str, Any]) -> Generator[Invoke | Sleep, Receipt | None, None]:
        """The thing that is to be written, for what should stay as it is, and for its version."""
        recovery, line = self.recovery, dict(self.recovery.intent.args)
        spec = recovery.specs[recovery.intent.tool]
        handles = {KEY_FIELD, REFERENCE_FIELD, CONDITION_FIELD, APPROVAL}
        lacking = [name for name in spec["parameters"]["required"] if name not in line and name not in handles]
        conditional = recovery.takes_condition and not self.first
        if not lacking and not conditional:
            return
        argument = spec["versioned"].partition("/")[2]
        tool = self._reader(argument)
        where = self.inputs.get("only_where", {})

        def decide(thing: Mapping[str, Any]) -> Mapping[str, Any] | None:
            if any(thing[name] != value for name, value in where.items()):
                return None
            return {**{name: known[name] if name in known else thing[name] for name in lacking}, **line}

        source = Source(tool, {argument: line[argument]}, decide)
        thing = yield from self.read(source.tool, source.args)
        args = decide(thing)
        if args is None:
            raise Missing("not_done", f"{line[argument]} is not as it must be; nothing was written.")
        if conditional:
            recovery.intent = recovery.intent._replace(source=source)
            recovery.decided(args, thing["etag"])
        else:
            recovery.intent = recovery.intent._replace(args=args)
