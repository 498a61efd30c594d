"""Sessions and verdicts as JSON."""

from typing import Any

from faultlab.core.verdict import Verdict
from faultlab.matrix.door import task_as_json
from faultlab.serve.live import Live
from faultlab.transports.wire.listener import url_of


def session_url(live: Live, data_url: str) -> str:
    """Where its agent finds it: on the data port, or on its own."""
    return f"{data_url if live.address is None else url_of(live.address)}/s/{live.id}"


def session_view(live: Live, data_url: str, *, with_task: bool = False) -> dict[str, Any]:
    """A session as the admin port shows it: it names the twin, which the agent must not know."""
    order = live.order
    calls, effects = live.totals()
    view: dict[str, Any] = {
        "id": live.id,
        "url": session_url(live, data_url),
        "state": "ended" if live.ended else "open",
        "scenario": order.group.scenario.id,
        "contract": order.group.contract.name,
        "twin": order.twin,
        "seed": order.seed,
        "attempt": order.attempt,
        "time_scale": order.time_scale,
        "created": live.created,
        "calls": calls,
        "effects": effects,
    }
    if with_task:
        view["task"] = task_as_json(live.task)
    return view


def verdict_view(live: Live, verdict: Verdict) -> dict[str, Any]:
    """How a session was judged, with the evidence of each finding."""
    order = live.order
    return {
        "session": live.id,
        "scenario": order.group.scenario.id,
        "contract": order.group.contract.name,
        "twin": order.twin,
        "verdict": verdict.verdict,
        "mark": verdict.mark,
        "excluded_reason": verdict.excluded_reason or None,
        "knowledge": dict(verdict.knowledge),
        "findings": [
            {
                "code": item.code,
                "severity": item.severity,
                "cause": item.cause,
                "operation": item.operation,
                "text": item.text,
                "calls": list(item.calls),
                "effects": list(item.effects),
            }
            for item in verdict.findings
        ],
    }
