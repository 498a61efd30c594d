"""What the rules about resends share: each is one code of `core.entitled.charge_send`, one finding an operation."""

from collections.abc import Callable, Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence, Send


def charged(code: str) -> Callable[[Evidence], Iterable[Finding]]:
    """A check that reports the sends charged with `code`, gathered by operation."""

    def check(evidence: Evidence) -> Iterable[Finding]:
        return report(evidence) if evidence.charged else ()

    def report(evidence: Evidence) -> Iterable[Finding]:
        found: dict[str, list[Send]] = {}
        for send in evidence.charged:
            if send.charge is not None and send.charge.code == code:
                found.setdefault(send.operation.label, []).append(send)
        for name, sends in found.items():
            calls = tuple(send.call.n for send in sends)
            yield Finding(code, "fail", _text(sends), name, tuple(sorted({sends[0].operation.calls[0].n, *calls})))

    return check


def _text(sends: list[Send]) -> str:
    """Which calls left, what was open then, and why that was not permitted."""
    first = sends[0]
    numbers = ", ".join(f"#{send.call.n}" for send in sends)
    known = f"while #{first.since} was unknown" if first.since else f"after #{first.operation.calls[0].n}"
    return f"{numbers} left {known}; {first.charge.why if first.charge is not None else ''}"


def resent(evidence: Evidence) -> bool:
    """Some operation was sent more than once."""
    return any(not send.first for send in evidence.sends)
