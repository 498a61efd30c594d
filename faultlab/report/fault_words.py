"""What is said of one fault to a reader."""

from typing import NamedTuple


class FaultWords(NamedTuple):
    """One fault for a reader."""

    name: str
    twin: str
    """The twin that it makes true; empty where it has none."""
    what: str
    drawing: tuple[str, ...]
    then: str
    """What a right caller does."""


ASK = "Ask, or resend under the same key; where the contract offers neither, hand over."
