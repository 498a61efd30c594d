"""The agent's own side of an attempt over HTTP: its task, a question to the user, its claim. Not tool calls."""

from collections.abc import Callable, Mapping
from typing import Any

from faultlab.core.actions import Reply
from faultlab.core.agent import Task
from faultlab.core.clock import RealClock
from faultlab.core.errors import BadInput
from faultlab.core.records import Claim
from faultlab.engine.errors import problem
from faultlab.engine.session import Session
from faultlab.matrix.claims import claim_from
from faultlab.transports.keys import RawHeaders
from faultlab.transports.parsing import parse_whole
from faultlab.transports.wire.speech import Request


def task_as_json(task: Task) -> dict[str, Any]:
    """Exactly what an agent may know."""
    budget = task.budget
    return {
        "version": 1,
        "id": task.id,
        "instruction": task.instruction,
        "inputs": dict(task.inputs),
        "budget": {"calls": budget.calls, "seconds": budget.seconds, "cost": budget.cost},
        "tools": {name: task.tools[name] for name in task.tools},
    }


BESIDE = frozenset({b"/task", b"/ask", b"/claim"})
"""Paths that are about the attempt."""


class AgentDoor:
    """A port that belongs to one attempt. `claim` is what the agent has posted last."""

    def __init__(self, session: Session, task: Task, ask: Callable[[str], str | None]) -> None:
        self.session = session
        self._task = task
        self._ask = ask
        self.claim: Claim | None = None
        self.begun = session.count > 0
        """Time runs from the first request on: how long a program takes to start is its language's affair."""

    def find(self, target: bytes, headers: RawHeaders) -> tuple[Session, bytes] | Reply:
        if not self.begun:
            self.begun = True
            if isinstance(clock := self.session.clock, RealClock):
                self.session.clock = RealClock(clock.speed)
        return self.session, target

    def beside(self, request: Request) -> bool:
        return request.target in BESIDE

    def aside(self, session: Session, request: Request) -> Reply:
        """`GET /task`, `POST /ask`, `POST /claim`."""
        return aside(request, task=self._told, claim=self._claimed, ask=self._asked)

    def _told(self) -> dict[str, Any]:
        return task_as_json(self._task)

    def _claimed(self, claim: Claim) -> None:
        self.claim = claim

    def _asked(self, question: str) -> str | None:
        return self._ask(question)


def aside(
    request: Request,
    *,
    task: Callable[[], Mapping[str, Any]],
    claim: Callable[[Claim], None],
    ask: Callable[[str], str | None],
) -> Reply:
    """The answer to a request about the attempt, to one of BESIDE."""
    target = request.target
    if target == b"/task":
        return Reply(200, dict(task())) if request.method == "GET" else _only(request, "GET")
    if request.method != "POST":
        return _only(request, "POST")
    try:
        data = parse_whole(request.body or b"null")
        if target == b"/ask":
            return Reply(200, {"answer": ask(_question(data))})
        said = claim_from(data)
    except BadInput as error:
        return problem(422, "not_understood", f"{error}.")
    except ValueError as error:
        return problem(400, "not_json", f"The body is not JSON: {error}.")
    claim(said)
    return Reply(200, {"taken": said.status})


def _question(data: Any) -> str:
    text = data.get("text") if isinstance(data, dict) else None
    if not isinstance(text, str):
        raise BadInput('a question is an object with a member `text`: {"text": "Which order is it?"}')
    return text


def _only(request: Request, method: str) -> Reply:
    refusal = problem(405, "wrong_method", f"{request.method} is not allowed here; use {method}.")
    return refusal._replace(headers={"allow": method})
