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
        for send in evidence.sends:
            if send.charge is not None and send.charge.code == code:
                found.setdefault(send.operation.label, []).append(send)
        for name, sends in found.items():
            calls = tuple(send.call.n for send in sends)
            numbers = ", ".join(f"#{n}" for n in calls)
            before = sends[0].operation.calls[0].n
            reason = sends[0].charge.why if sends[0].charge is not None else ""
            text = f"{numbers} left while #{before} was unknown; {reason}"
            yield Finding(code, "fail", text, name, (before, *calls))

    return check


def resent(evidence: Evidence) -> bool:
    """Some operation was sent more than once."""
    return any(not send.first for send in evidence.sends)
