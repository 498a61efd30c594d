"""Findings that a scenario's owner accepts for a time."""

from collections.abc import Iterable

from faultlab.matrix.scenario import Accepted


def accepted(ignore: Iterable[Accepted], today: str) -> frozenset[str]:
    """The codes accepted today; the judge makes notes of their findings, unless they are vetoes."""
    return frozenset(item.code for item in ignore if today <= item.until)
