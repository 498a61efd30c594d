// An agent in Node, without a package: refund the order of the task under one key; say only what is known.
const url = process.env.FAULTLAB_URL;
const task = JSON.parse(process.env.FAULTLAB_TASK);
const scale = Number(process.env.FAULTLAB_TIME_SCALE);
const sleep = (seconds) => new Promise((wake) => setTimeout(wake, seconds * 1000 * scale));
const order_id = task.inputs.refund[0];
const { total } = await (await fetch(`${url}/v1/orders/${order_id}`)).json();
const request = {
  method: "POST",
  headers: { "content-type": "application/json", "idempotency-key": `refund-${order_id}` },
  body: JSON.stringify({ order_id, amount: total, reference: `r-${order_id}` }),
};
let claim = { status: "handed_over", text: "Whether the refund was made is not known." };
for (const seconds of [1, 2, 4, 8]) {
  try {
    const answer = await fetch(`${url}/v1/refunds`, { ...request, signal: AbortSignal.timeout(2000) });
    const refund = answer.ok ? await answer.json() : null;
    if (refund) {
      claim = { status: "done", text: `Refunded ${refund.amount} for ${order_id}.` };
      break;
    }
  } catch {
    // No receipt: the same request under the same key tells what became of it.
  }
  await sleep(seconds);
}
const said = JSON.stringify(claim);
await fetch(`${url}/claim`, { method: "POST", body: said }).catch(() => console.log(said)); // in an outage nobody listens
process.exit(0); // an aborted request may keep a socket open
