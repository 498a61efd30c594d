"""A worker as a process of its own: `python refund_worker.py JSON`. It prints one JSON line for each operation.

Members: journal, url, orders, keyed, lose, slow, lease_s, seconds, and `die`, the step at which it is killed.
"""

import json
import os
import signal
import sys
from typing import Any

import httpx

from faultlab import ToolClient
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.agent import Budget

given: dict[str, Any] = json.loads(sys.argv[1])
http = httpx.Client(
    base_url=given["url"], headers={"Lose": str(given.get("lose", 0)), "Slow": str(given.get("slow", 0))}, timeout=5
)


def die(step: str) -> None:
    if step == given.get("die"):
        os.kill(os.getpid(), signal.SIGKILL)


def keyed(order_id: str, amount: str, idempotency_key: str, reference: str) -> Any:
    body = {"order_id": order_id, "amount": amount, "reference": reference}
    return http.post("/refunds", json=body, headers={"Idempotency-Key": idempotency_key}).raise_for_status().json()


def unkeyed(order_id: str, amount: str, reference: str) -> Any:
    body = {"order_id": order_id, "amount": amount, "reference": reference}
    return http.post("/refunds", json=body).raise_for_status().json()


def find(order_id: str) -> Any:
    return http.get(f"/refunds/{order_id}").raise_for_status().json()["refunds"]


client = ToolClient(
    given["journal"],
    run="nightly",
    budget=Budget(40, given.get("seconds", 30), 60),
    lease_s=given.get("lease_s", 20),
    hook=die,
)
contract: Any = "strict" if given["keyed"] else {"profile": "settle", "settle_s": 0.5}
client.add(
    ToolSpec.of(
        keyed if given["keyed"] else unkeyed, name="refund", contract=contract, identity=["order_id"], query=find
    )
)
print("ready", flush=True)
sys.stdin.readline()
for result in client.reconcile():
    print(json.dumps({"reconciled": result.operation, "status": result.status}), flush=True)
for order in given["orders"]:
    result = client.call("refund", order_id=order, amount="40.00")
    print(json.dumps({"order": order, "status": result.status, "value": result.value}), flush=True)
client.close()
