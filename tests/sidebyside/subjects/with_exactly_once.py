"""exactly-once: `once` with its SQLite store and a key of the caller's, passed on; then with a prober that looks."""

from typing import Any

from exactly_once import ProbeResult, QuarantinedError, Store, Verdict, check_then_decide, current_key, once
from exactly_once.policies import Policy, quarantine
from sidebyside.work import Call, Desk, Inconclusive, again, subject


def _guarded(desk: Desk, policy: Policy = quarantine) -> Call:
    @once(Store.sqlite(desk.file("effects.db")), key=lambda name, args: f"{name}:{desk.reference}", policy=policy)
    def tool(name: str, args: dict[str, Any]) -> Any:
        return desk.send(name, args, current_key())

    return again(tool)


def layer(desk: Desk) -> Call:
    return _guarded(desk)


def looking(desk: Desk) -> Call:
    meant: dict[str, Any] = {}

    def prober(key: str) -> ProbeResult:
        try:
            found = desk.find(**meant)
        except Inconclusive:
            return ProbeResult(Verdict.UNKNOWN)
        return ProbeResult(Verdict.COMMITTED, found) if found else ProbeResult(Verdict.NOT_COMMITTED)

    tool = _guarded(desk, check_then_decide(prober))

    def call(name: str, args: Any) -> Any:
        meant.update(tool=name, args=args)
        return tool(name, args)

    return call


agent = subject(layer, QuarantinedError)
probing = subject(looking, QuarantinedError)
