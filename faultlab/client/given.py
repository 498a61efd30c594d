"""client: what its users give it, checked before anything is written or sent."""

from collections.abc import Mapping
from dataclasses import fields
from math import isfinite
from os import PathLike, fspath
from typing import Any

from faultlab.client.tool_spec import ToolSpec, contract_from
from faultlab.core.agent import Budget
from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.records.journal_rows import Journal, OperationRow

LONGEST_S = 1e9
"""Some thirty years: a moment after that still fits into the journal."""


def text(what: str, value: Any, example: str) -> str:
    """What names an operation must be the same text in every life: 1 and "1" would be two in memory, one in a table."""
    if not isinstance(value, str):
        raise BadInput(f"{what}={value!r}: write a text, such as {what}={example!r}")
    if not storable(value):
        raise BadInput(f"{what}={value!r}: no database can hold half a surrogate pair or a NUL; leave them out")
    return value


def lease(lease_s: Any) -> float:
    """Without a lease nobody could send: it would have ended before the request left."""
    if not _number(lease_s) or not 0 < lease_s <= LONGEST_S:
        raise BadInput(f"lease_s={lease_s!r}: write seconds, more than the longest request takes, such as lease_s=60")
    return float(lease_s)


def budget(given: Any) -> Budget:
    """A budget spent is one that hands over; one without an end is none."""
    if not isinstance(given, Budget):
        raise BadInput(f"budget={given!r}: write a Budget, such as Budget(calls=12, seconds=60, cost=20)")
    for item in fields(Budget):
        if not _number(value := getattr(given, item.name)):
            raise BadInput(f"budget: {item.name}={value!r} is no number that ends: write one, such as {item.name}=20")
    return given


def place(journal: Any) -> str | Journal:
    """A journal, or where it is to be opened."""
    where: str | Journal = fspath(journal) if isinstance(journal, PathLike) else journal
    if isinstance(where, str) or callable(getattr(where, "claim", None)):
        return where
    raise BadInput(f"journal={journal!r}: write a path, such as 'journal.db', or postgresql://USER@HOST/NAME")


def terms(contract: Contract | str | Mapping[str, Any]) -> Contract:
    """A contract whose times are numbers: a file of settings gives texts, and "30" is none."""
    made = contract_from(contract)
    for holder in (made, made.key):
        for item in () if holder is None else fields(holder):
            value = getattr(holder, item.name)
            if item.name.endswith("_s") and value is not None and not (_number(value) and value >= 0):
                raise BadInput(f"contract {made.name!r}: {item.name}={value!r}: write seconds as a number, 0 or more")
    return made


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def storable(value: str) -> bool:
    """Every database takes it as a text."""
    return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)


def unfit(spec: ToolSpec | None, row: OperationRow) -> str:
    """Why a tool cannot go on with an operation of an earlier life, and what to do; empty where it can."""
    if spec is None:
        return f"tool {row.tool} is not declared here: declare it and call reconcile() again"
    try:
        spec.signature.bind(**row.args)
    except TypeError as error:
        return (
            f"tool {row.tool} takes other parameters now ({error}) than it was called with ({', '.join(row.args)}): "
            "declare it with those, or with defaults for the new ones, and call reconcile() again"
        )
    return ""
