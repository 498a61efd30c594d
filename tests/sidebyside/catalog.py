"""The subjects of docs/side-by-side.md, in its order, and the scenarios that all of them are put before."""

from importlib.metadata import version
from typing import NamedTuple

HERE = "sidebyside.subjects."


class Subject(NamedTuple):
    """A row of the table."""

    name: str
    package: str
    """As PyPI spells it."""
    agent: str
    """`module:function`, or a reference agent."""

    @property
    def release(self) -> str:
        return f"{self.package} {version(self.package)}"


SUBJECTS = (
    Subject("httpx alone", "httpx", f"{HERE}alone:agent"),
    Subject("tenacity", "tenacity", f"{HERE}with_tenacity:agent"),
    Subject("stamina", "stamina", f"{HERE}with_stamina:agent"),
    Subject("httpx-retries", "httpx-retries", f"{HERE}with_httpx_retries:agent"),
    Subject("httpx-retries, POST", "httpx-retries", f"{HERE}with_httpx_retries:allowed"),
    Subject("agentraas", "agentraas", f"{HERE}with_agentraas:agent"),
    Subject("exactly-once", "exactly-once", f"{HERE}with_exactly_once:agent"),
    Subject("exactly-once, prober", "exactly-once", f"{HERE}with_exactly_once:probing"),
    Subject("agent-once", "agent-once", f"{HERE}with_agent_once:agent"),
    Subject("agent-once, verify", "agent-once", f"{HERE}with_agent_once:verifying"),
    Subject("latch-idempotent", "latch-idempotent", f"{HERE}with_latch:agent"),
    Subject("deduplex", "deduplex", f"{HERE}with_deduplex:agent"),
    Subject("deduplex, webhook", "deduplex", f"{HERE}with_deduplex:connector"),
    Subject("agent-outbox", "agent-outbox", f"{HERE}with_agent_outbox:agent"),
    Subject("durastep", "durastep", f"{HERE}with_durastep:agent"),
    Subject("durastep, own key", "durastep", f"{HERE}with_durastep:keyed"),
    Subject("agent-ledger", "agent-ledger", f"{HERE}with_agent_ledger:agent"),
    Subject("ToolClient", "faultlab", f"{HERE}with_tool_client:agent"),
    Subject("careful", "faultlab", "careful"),
)

SCENARIOS = (
    "lost-receipt",
    "resend-lost-too",
    "receipt-truncated",
    "server-error",
    "connect-timeout",
    "throttled",
    "throttled-resend",
    "query-stale",
    "crash-journal-kept",
    "two-intended",
)
