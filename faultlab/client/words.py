"""client: a result as plain text for a language model. While the outcome is unknown it never invites another call."""

from typing import TYPE_CHECKING

from faultlab.records.journal_values import as_json

if TYPE_CHECKING:
    from faultlab.client.result import Result

VALUE_CHARS = 2000
"""More of a value than this is cut: it goes into somebody's context."""


def for_model(result: "Result") -> str:
    """What is known, what it rests on, and what to do next. Half a surrogate pair, which no request can hold,
    is written as its escape."""
    said = {"done": _done, "handed_over": _unknown, "refused": _refused}.get(result.status, _not_done)(result)
    return " ".join(said).encode(errors="backslashreplace").decode()


def _done(result: "Result") -> list[str]:
    return [
        f"{result.operation} was carried out, once.",
        f"{_proof(result)} {_value(result)}".strip(),
        "Do not call the tool for it another time.",
    ]


def _not_done(result: "Result") -> list[str]:
    said = [f"{result.operation} was not carried out: that is certain, and nothing was changed."]
    if result.why:
        said.append(f"The last answer was {result.why}.")
    if not result.resumable:
        return [
            *said,
            "The same request would be refused again. Correct the arguments, or tell the user it was not done.",
        ]
    when = f" after {result.not_before}" if result.not_before else ""
    return [*said, f"It can be called again{when}, with the same arguments, if it is still wanted."]


def _refused(result: "Result") -> list[str]:
    why = f" ({result.why})" if result.why else ""
    return [
        f"{result.operation} was not carried out: it is not allowed{why}.",
        "Nothing was changed. Do not look for another way: tell the user, who may ask somebody with authority.",
    ]


def _unknown(result: "Result") -> list[str]:
    said = [
        f"It is not known whether {result.operation} was carried out: it may have happened or not.",
        "Do not call this or another tool for it, and tell nobody that it succeeded or that it failed.",
    ]
    record = result.hand_over
    if record is not None:
        handle = f", reference {record.handle}" if record.handle else ""
        sent = result.evidence[0].sent_at if result.evidence else "an unknown time"
        said.append(f"It was sent at {sent}{handle}; the last answer was: {record.last_receipt}.")
    if result.resumable:
        when = f" after {result.not_before}" if result.not_before else " later"
        return [*said, f"The system will find out{when}. Say that the outcome is open."]
    return [*said, "It was handed over: a person must look it up at the provider. Say that the outcome is open."]


def _proof(result: "Result") -> str:
    found = next((item for item in result.evidence if item.proves), None)
    if found is None:
        return ""
    asked = "." in found.tool
    return f"A query at {found.sent_at} shows it." if asked else f"Its receipt came for the request of {found.sent_at}."


def _value(result: "Result") -> str:
    if result.value is None:
        return ""
    text = result.value if isinstance(result.value, str) else as_json(result.value)
    return f"Result: {text if len(text) <= VALUE_CHARS else text[:VALUE_CHARS] + ' ... (cut)'}"
