"""What all clients of the reports share: the task read step by step, calls, and the claim. No decisions."""

from typing import Any, NamedTuple

from faultlab.core.agent import ToolError
from faultlab.core.canonical import identity_of, label
from faultlab.core.records import Claim, Outcome, Status


class Step(NamedTuple):
    """One thing that the task wants."""

    tool: str
    args: dict[str, Any]
    find: dict[str, Any]
    """The read that shows its effect: {tool, args, rows: member of the body, by: member of a row}; empty: none."""
    handle: str
    """Names the intent: the same over every retry and restart."""
    label: str


class End(NamedTuple):
    """How a step ended, and the call that shows it; 0: none does."""

    status: Status
    call: int = 0


OPEN = End("handed_over")
"""It may have happened."""
NOTHING = End("not_done")


class Work:
    """One attempt of a client at a task."""

    def __init__(self, task: Any, env: Any) -> None:
        self.task = task
        self.env = env
        self.steps: list[Step] = []
        seen: dict[str, int] = {}
        for item in task.inputs.get("steps", ()):
            name = label(item["tool"], identity_of(task.tools[item["tool"]]["identity"], item["args"]))
            seen[name] = seen.get(name, 0) + 1
            named = name if seen[name] == 1 else f"{name}#{seen[name]}"
            # From the business, not from the attempt: a restarted client makes the same again.
            handle = item.get("handle") or f"job-7/{len(self.steps) + 1}"
            self.steps.append(Step(item["tool"], item["args"], item.get("find", {}), handle, named))

    def send(self, step: Step, *, key: str | None = None, reference: str | None = None, **changed: Any) -> Any:
        """The body of a 2xx, or ToolError. A key that the tool does not take stays at home."""
        parameters = self.task.tools[step.tool]["parameters"]
        if reference is None and "reference" in parameters["required"]:
            reference = step.handle
        handles = {"idempotency_key": key if self.keyed(step) else None, "reference": reference}
        given = {name: value for name, value in handles.items() if value is not None}
        return self.env.tools[step.tool](**{**step.args, **changed}, **given)

    def keyed(self, step: Step) -> bool:
        return "idempotency_key" in self.task.tools[step.tool]["parameters"]["properties"]

    def found(self, step: Step, reference: str = "") -> bool:
        """A read shows the step's effect under its reference."""
        body = self.env.tools[step.find["tool"]](**step.find["args"])
        rows, by = body[step.find["rows"]], step.find.get("by", "reference")
        return any((row[by] if by else row) == (reference or step.handle) for row in rows)

    def rest(self, error: ToolError | None, wait_s: float) -> None:
        """As long as the answer asks for, and not less than `wait_s`."""
        stated = "" if error is None else error.receipt.headers.get("retry-after", "")
        self.env.sleep(max(wait_s, float(stated) if stated.isdigit() else 0.0))

    @property
    def last(self) -> int:
        """The number of the last call."""
        return int(self.env.calls)

    def claim(self, ends: list[End], text: str = "") -> Claim:
        """Of all steps, in order; the rest of them was not begun."""
        ends = [*ends, *[NOTHING] * (len(self.steps) - len(ends))]
        return self.ended({step.label: end for step, end in zip(self.steps, ends, strict=True)}, text)

    def ended(self, ends: dict[str, End], text: str = "") -> Claim:
        """Of operations by their labels."""
        statuses = {name: end.status for name, end in ends.items()}
        calls = tuple(sorted({end.call for end in ends.values() if end.call}))
        if "handed_over" in statuses.values():
            handed: Claim = self.env.hand_over(text or "A person must look whether it happened.")
            return handed._replace(operations=statuses, evidence=(*calls, *handed.evidence))
        said = set(statuses.values())
        return Claim(said.pop() if len(said) == 1 else "not_done", text, calls, statuses)


def unknown(error: ToolError) -> bool:
    """It may have happened, or may yet."""
    return error.outcome is Outcome.UNKNOWN


def passing(error: ToolError) -> bool:
    """Nothing was done, and the same may succeed later: no connection came about, or too many calls."""
    return error.outcome is Outcome.NOT_APPLIED and error.receipt.status in (None, 401, 429)
