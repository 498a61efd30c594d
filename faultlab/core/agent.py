"""What an agent is given and what it may raise: Task, Env, Budget, ToolError, Crash."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from faultlab.core.carried import Carried
from faultlab.core.records import Claim, HandOver, Outcome, Receipt

CALL_COST = 1.0
HAND_OVER_COST = 4.0
"""What a person's time costs, in calls."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What an attempt may use: calls, seconds on the attempt's clock, and cost (a call 1, a hand-over 4)."""

    calls: int = 20
    seconds: float = 300.0
    cost: float = 30.0


@dataclass(frozen=True, slots=True)
class Task:
    """Exactly what an agent may know: no scenario, no plan, no twin."""

    id: str
    """Opaque; differs from attempt to attempt."""
    instruction: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Tool name -> specification: description with the contract's text, parameters as JSON Schema."""


class ToolError(Carried):
    """A tool call that did not give a result. `outcome` says what its receipt proves."""

    def __init__(self, tool: str, outcome: Outcome, receipt: Receipt) -> None:
        self.tool = tool
        self.outcome = outcome
        self.receipt = receipt
        what = receipt.error or f"status {receipt.status}"
        super().__init__(f"{tool} (call {receipt.call}): {what}; outcome {outcome}{_detail(receipt.body)}")


def _detail(body: Any) -> str:
    detail = body.get("detail") if isinstance(body, Mapping) else None
    return f": {detail}" if detail else ""


class Answer(dict[str, Any]):
    """A tool's result that came with headers which say something of it, as Age (RFC 9111 section 5.1): the decoded
    body, and `headers` with lower-case names."""

    __slots__ = ("headers",)

    def __init__(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        super().__init__(body)
        self.headers = headers


class Crash(BaseException):
    """The process of the agent dies here, as the plan says. Swallowing it is a finding (FL902)."""


class Env(Protocol):
    """The agent's surroundings for one attempt."""

    @property
    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """Ordinary functions with signature, annotations and docstring: the decoded body (an Answer where it came with
        headers), or ToolError."""

    @property
    def atools(self) -> Mapping[str, Callable[..., Awaitable[Any]]]: ...

    @property
    def http(self) -> Any:
        """An `httpx.Client` whose every request goes to the lab."""

    @property
    def ahttp(self) -> Any:
        """An `httpx.AsyncClient` whose every request goes to the lab."""

    @property
    def base_url(self) -> str: ...

    @property
    def budget(self) -> Budget: ...

    @property
    def calls(self) -> int:
        """How many calls the attempt has made so far, in all its lives; the next one has the next number."""

    @property
    def store(self) -> MutableMapping[str, Any]:
        """Durable: survives a crash. Holds plain JSON.

        `sent/LABEL` is kept for the operation of that label (`refund_order(A17)`): what was sent, before it was sent.
        """

    @property
    def notes(self) -> MutableMapping[str, Any]:
        """What a model would have in its context: a crash or a fault can take it away."""

    @property
    def resumed(self) -> bool:
        """The work was begun before: by a process that crashed, or before this attempt."""

    def now(self) -> float:
        """Seconds since the attempt began."""

    def sleep(self, wait_s: float) -> None: ...

    async def asleep(self, wait_s: float) -> None: ...

    def ask_user(self, text: str) -> str | None:
        """The user's next fact; None when there is nothing left to say."""

    def hand_over(self, text: str, records: Iterable[HandOver] | None = None) -> Claim:
        """A claim `handed_over`; without records they are completed from the wire."""
