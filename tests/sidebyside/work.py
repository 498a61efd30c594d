"""The work that every subject does: read, write once for each thing wanted, and say what came of it.

The subjects differ in one function, the layer, which stands around `Desk.send`.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from shutil import copytree, move, rmtree
from typing import Any, NamedTuple

import httpx
from tenacity import retry, stop_after_attempt, wait_exponential

from faultlab import Claim, Crash
from faultlab.client.tool_spec import Page
from faultlab.core.canonical import identity_of, label

SOLD = {"refund_order": "/v1/refunds", "place_order": "/v1/orders"}
LISTED = {"refund_order": ("refunds", "/v1/orders/{order_id}/refunds"), "place_order": ("orders", "/v1/orders")}
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
UNSURE = (408, 409)
LIFE, LEFT = "life", "left"
"""Folders of a process's files: while it lives, and as they were when it died."""
WORST = ("handed_over", "not_done", "done")

again = retry(stop=stop_after_attempt(3), wait=wait_exponential(), reraise=True)
"""Whoever calls a guarded tool again: tenacity, as it is used without a guard."""


class Write(NamedTuple):
    """One effect that is wanted."""

    tool: str
    args: Mapping[str, str | int]
    step: int
    """1, 2 ...: which of the task's writes it is."""


class Inconclusive(Exception):
    """A look-up that found nothing and cannot say that there is nothing."""


class Desk:
    """What a layer is given: the HTTP client, the request, a look at what was done, and a folder for its files."""

    def __init__(self, task: Any, env: Any) -> None:
        self.task = task
        self.env = env
        self.http: httpx.Client = env.http
        self.step = 0
        self.ticket = task.id
        """Names the work at hand; stays over a crash."""
        self._place: Path | None = None

    def file(self, name: str) -> str:
        """Where a store keeps its file: a new one in each attempt, the same one after a crash."""
        if self._place is None:
            self._place = Path(self.env.folder().name)
            if (left := self._place / LEFT).exists():
                rmtree(self._place / LIFE)
                move(left, self._place / LIFE)
            (self._place / LIFE).mkdir(exist_ok=True)
        return str(self._place / LIFE / name)

    def close(self) -> None:
        """The attempt is over."""
        if self._place is not None:
            self.env.folder().cleanup()

    @property
    def reference(self) -> str:
        """Stored with the effect; a query finds it by that."""
        return f"{self.ticket}-{self.step}"

    def send(self, tool: str, args: Mapping[str, Any], key: str | None = None, reference: str | None = None) -> Any:
        """The one request that changes something. `key`: the Idempotency-Key, where the layer has one to give."""
        headers = {} if key is None else {"Idempotency-Key": key}
        body = {**args, "reference": reference or self.reference}
        try:
            return self.http.post(SOLD[tool], json=body, headers=headers).raise_for_status().json()
        except Crash:
            # A dead process runs no `except` and no `finally`: what its files hold now is what is left of it.
            if self._place is not None:
                copytree(self._place / LIFE, self._place / LEFT)
            raise

    def page(self, tool: str, args: Mapping[str, Any]) -> Page:
        """The effects that the server lists. One that it had stored before (RFC 9111 section 5.1) is not whole."""
        member, path = LISTED[tool]
        asked = {} if "{" in path else {name: args[name] for name in ("customer", "item")}
        answer = self.env.http.get(path.format(**args), params=asked).raise_for_status()
        body = answer.json()
        return Page(body[member], complete=body["complete"] and answer.headers.get("age", "0") == "0")

    def find(self, tool: str, args: Mapping[str, Any]) -> Any:
        """The effect under this step's reference, or None. Raises Inconclusive where the list cannot tell."""
        rows, whole = self.page(tool, args)
        found = next((row for row in rows if row["reference"] == self.reference), None)
        if found is None and not whole:
            raise Inconclusive(f"{tool}: the list is partial or old")
        return found


Call = Callable[[str, Mapping[str, Any]], Any]
Layer = Callable[[Desk], Call]


def subject(layer: Layer, *unknown: type[BaseException]) -> Callable[[Any, Any], Claim]:
    """An agent. `unknown`: the layer's own exceptions which, by its documentation, do not say how the call ended."""

    def agent(task: Any, env: Any) -> Claim:
        random.seed(task.id)  # the jitter of the layers: the same in every run
        desk = Desk(task, env)
        call = layer(desk)
        wanted = _named(task, _writes(task, env))
        endings = {name: _ended(desk, call, write, unknown) for name, write in wanted.items()}
        desk.close()
        return _claim(env, endings)

    return agent


def _writes(task: Any, env: Any) -> Iterator[Write]:
    wanted = task.inputs
    for step, order_id in enumerate(wanted.get("refund", ()), 1):
        order = env.http.get(f"/v1/orders/{order_id}").raise_for_status().json()
        yield Write("refund_order", {"order_id": order_id, "amount": order["total"]}, step)
    for step, line in enumerate(wanted.get("order", ()), 1):
        yield Write("place_order", line, step)


def _named(task: Any, writes: Iterator[Write]) -> dict[str, Write]:
    """By the names that claims use; equal ones are counted."""
    named: dict[str, Write] = {}
    for write in writes:
        identity = identity_of(task.tools[write.tool]["identity"], write.args)
        ordinal = next(n for n in range(1, 9) if label(write.tool, identity, n) not in named)
        named[label(write.tool, identity, ordinal)] = write
    return named


def _ended(desk: Desk, call: Call, write: Write, unknown: tuple[type[BaseException], ...]) -> tuple[str, str]:
    """Status and text: what the layer gives is done; an error is judged by what it says."""
    desk.step = write.step
    what = ", ".join(map(str, write.args.values()))
    try:
        call(write.tool, write.args)
    except Exception as error:  # noqa: BLE001 - a layer may raise anything
        return ("not_done" if _definite(error, unknown) else "handed_over"), f"{write.tool} {what}: {error}"
    return "done", f"{write.tool} {what}: done."


def _definite(error: Exception, unknown: tuple[type[BaseException], ...]) -> bool:
    """Whether it says that nothing was done. Of httpx: no connection, or a refusal (4xx). Of a layer: whatever its
    documentation does not call unknown."""
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code < 500 and error.response.status_code not in UNSURE
    if isinstance(error, httpx.HTTPError | ValueError):
        return isinstance(error, NEVER_SENT)
    return not isinstance(error, (*unknown, Inconclusive))


def _claim(env: Any, endings: Mapping[str, tuple[str, str]]) -> Claim:
    operations = {name: status for name, (status, _) in endings.items()}
    worst = next(status for status in WORST if status in operations.values())
    text = " ".join(said for _, said in endings.values())
    if worst == "handed_over":
        handed: Claim = env.hand_over(text)
        return handed._replace(operations=operations)
    return Claim(worst, text, operations=operations)
