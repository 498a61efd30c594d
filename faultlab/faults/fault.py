"""What every fault is: a phase, a symptom, and a script."""

from collections.abc import Callable
from typing import ClassVar, Protocol

from faultlab.core.actions import Delivery, Reply, Script
from faultlab.core.records import Call

Symptom = Callable[[Reply], Delivery]
"""From the answer that the caller should have had to what it gets instead."""


class Fault(Protocol):
    """One fault for one call. `name` is what timelines print, `phase` where the request is when it strikes."""

    name: ClassVar[str]
    phase: ClassVar[str]

    def run(self, call: Call) -> Script:
        """The fault's story. It is asked only for calls that the server would answer with 2xx."""
