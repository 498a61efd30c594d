"""A correct agent around tenacity: its retry predicate knows that unknown is not the same as failed."""

from typing import Any

from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from faultlab.agents.correct.desk import Job
from faultlab.agents.correct.straight_line import Plain
from faultlab.core.agent import ToolError
from faultlab.core.records import Claim, Outcome


def may_repeat(error: BaseException) -> bool:
    """Under a key an unknown outcome may be repeated, and a call that never left; a server's refusal may not."""
    return isinstance(error, ToolError) and (error.outcome is Outcome.UNKNOWN or error.receipt.status is None)


class WithTenacity(Plain):
    """Where keys are honoured, the retry is a decorator's work; elsewhere it must be settled first."""

    def settle(self, job: Job) -> int:
        key = self.contract(job.tool).key
        if key is None or key.frees_on_5xx:
            return super().settle(job)
        retrying = Retrying(
            stop=stop_after_attempt(4),
            wait=wait_exponential(multiplier=1, max=8),
            retry=retry_if_exception(may_repeat),
            sleep=self.env.sleep,
            reraise=True,
        )
        try:
            retrying(self.call, job.tool, **job.args, reference=job.handle, idempotency_key=job.handle)
        except ToolError:
            return 0
        return self.calls


def with_tenacity(task: Any, env: Any) -> Claim:
    """The retry library does the waiting, the contract decides."""
    return WithTenacity(task, env).work()
