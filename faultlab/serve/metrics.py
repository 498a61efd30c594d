"""Counters in the Prometheus text exposition format, version 0.0.4."""

from faultlab.serve.sessions import Sessions


def metrics_text(sessions: Sessions, connections: int) -> str:
    """One family a counter, each with its HELP and TYPE."""
    calls, effects = sessions.totals()
    families = (
        ("sessions_open", "gauge", "Sessions that take calls.", sessions.open_count),
        ("sessions_opened_total", "counter", "Sessions opened since the start.", sessions.opened),
        ("calls_total", "counter", "Tool calls that reached the data port.", calls),
        ("effects_total", "counter", "Committed effects.", effects),
        ("connections", "gauge", "Open connections of the data port.", connections),
    )
    lines = [
        f"# HELP faultlab_{name} {text}\n# TYPE faultlab_{name} {kind}\nfaultlab_{name} {value}\n"
        for name, kind, text, value in families
    ]
    return "".join(lines)
