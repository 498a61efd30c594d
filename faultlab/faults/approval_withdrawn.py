"""A person takes an approval back between two calls of the caller."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.faults.another_writer import AnotherWriter


@dataclass(frozen=True, slots=True)
class ApprovalWithdrawn(AnotherWriter):
    """As another_writer, by a person; `args` name the approval."""

    name: ClassVar[str] = "approval_withdrawn"
    actor: ClassVar[Literal["interference", "human"]] = "human"
    tool: str = "withdraw_approval"
