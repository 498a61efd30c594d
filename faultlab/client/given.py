"""client: what its users give it, checked before anything is written or sent."""

from typing import Any

from faultlab.client.tool_spec import ToolSpec
from faultlab.core.errors import BadInput
from faultlab.records.journal_rows import OperationRow


def text(what: str, value: Any, example: str) -> str:
    """What names an operation must be the same text in every life: 1 and "1" would be two in memory, one in a table."""
    if not isinstance(value, str):
        raise BadInput(f"{what}={value!r}: write a text, such as {what}={example!r}")
    if not storable(value):
        raise BadInput(f"{what}={value!r}: no database can hold half a surrogate pair or a NUL; leave them out")
    return value


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
