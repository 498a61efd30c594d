"""The files that `faultlab new` writes: 15 lines each."""

AGENT = '''\
"""Refunds an order. Where the receipt of the refund is lost, it looks, and hands over what it cannot know."""
from faultlab import Claim, Env, Task, ToolError


def run(task: Task, env: Env) -> Claim:
    order_id = task.inputs["refund"][0]
    total = env.tools["get_order"](order_id=order_id)["total"]
    try:
        env.tools["refund_order"](order_id=order_id, amount=total, reference=task.id)
        return Claim.done(f"Refunded {total} for {order_id}.", evidence=[2])
    except ToolError:
        refunds = env.tools["list_refunds"](order_id=order_id)["refunds"]
    if any(refund["reference"] == task.id for refund in refunds):
        return Claim.done(f"Refunded {total} for {order_id}.", evidence=[3])
    return env.hand_over(f"I cannot tell whether {order_id} was refunded.")
'''

TOOLSET = '''\
"""A mailbox: one tool that sends, and one that shows what was sent."""
from faultlab import Toolset, tool

@tool(writes=True, identity=["to"])
def send(world, to: str, text: str) -> dict:
    """Send a mail. Every executed call sends one more."""
    mail = {"id": world.new_id("m"), "to": to, "text": text, "reference": world.reference}
    world.put("mails", mail["id"], mail)
    return mail

@tool(reveals={"send": lambda body: [mail["reference"] for mail in body["mails"]]})
def list_mails(world, to: str) -> dict:
    """List the mails to one address."""
    return {"mails": world.rows("mails", to=to), "complete": True}
TOOLSET = Toolset.of("mailbox", send, list_mails)
'''

SCENARIO = """\
id: my-scenario
suite: boundary
task: Refund order A17 in full and tell the customer the amount.
inputs: {refund: [A17]}
toolset: shop
world:
  orders: {A17: {status: paid, total: "40.00", customer: C5}}
contracts: [none, status, strict]
plan:
  - {tool: refund_order, occurrence: 1, twins: [never, committed, late], symptom: reset}
budget: {calls: 12, seconds: 300, cost: 20}
expect:
  effects: [{tool: refund_order, identity: {order_id: A17}, exactly: 1}]
  state: {orders/A17/status: refunded}
  must_say: ["40.00"]
"""
