"""A correct agent as one would write it on a page: plain loops, one decision after the other."""

from typing import Any

from faultlab.agents.correct.desk import Desk, Job
from faultlab.core.agent import ToolError
from faultlab.core.contract import Contract
from faultlab.core.records import Claim, Outcome


class Plain(Desk):
    """Calls tools, and settles what a lost receipt leaves open."""

    def call(self, tool: str, **args: Any) -> Any:
        self.calls += 1
        return self.env.tools[tool](**args)

    def settle(self, job: Job) -> int:
        """Do it once. The number of the call that proves it; 0: it stays open."""
        contract = self.contract(job.tool)
        reference = job.handle
        for attempt in range(1, 5):
            handles = {"reference": reference}
            if contract.key is not None:
                handles["idempotency_key"] = job.handle
            sent_s = self.env.now()
            try:
                self.call(job.tool, **job.args, **handles)
            except ToolError as error:
                if error.outcome is Outcome.UNKNOWN and not self.protects(contract, error):
                    happened = self.find(job, reference, sent_s, contract)
                    if happened is not False:
                        return self.calls if happened else 0
                    reference += "+"
                self.env.sleep(float(attempt))
            else:
                return self.calls
        return 0

    def find(self, job: Job, reference: str, sent_s: float, contract: Contract) -> bool | None:
        """True: it happened. False: it did not, and will not. None: nobody can tell."""
        asked = "operation_status" if contract.status else "cancel_operation" if contract.fence == "durable" else ""
        while asked:
            state = self.call(asked, reference=reference)["state"]
            if state != "not_ready":
                return bool(state == "applied")
            self.env.sleep(contract.poll_s)
        if contract.settle_s is not None:
            self.env.sleep(max(0.0, sent_s + contract.settle_s + contract.read_lag_s - self.env.now()))
            return self.listed(job, reference)
        for look in range(2):
            if look:
                self.env.sleep(contract.poll_s)
            if self.listed(job, reference):
                return True
        return None

    def listed(self, job: Job, reference: str) -> bool:
        tool, args, member = job.listing()
        return any(row["reference"] == reference for row in self.call(tool, **args)[member])

    def work(self) -> Claim:
        for order_id in self.order_ids():
            job = self.refund(order_id, self.call("get_order", order_id=order_id)["total"])
            self.settled(job, self.settle(job))
        for job in self.orders():
            self.settled(job, self.settle(job))
        return self.claim()


def straight_line(task: Any, env: Any) -> Claim:
    """No table, no library: if, for and while."""
    return Plain(task, env).work()
