"""A person changes what was approved, after the approval."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.faults.another_writer import AnotherWriter


@dataclass(frozen=True, slots=True)
class ArtifactChanged(AnotherWriter):
    """As another_writer, by a person; `tool` and `args` say what is changed."""

    name: ClassVar[str] = "artifact_changed"
    actor: ClassVar[Literal["interference", "human"]] = "human"
