"""Wrong from the first send on: what leaves, how often, by what client, and where it goes."""

import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httpx

from faultlab.agents.mutants.mutant import Mutant, row
from faultlab.client.moves import stop
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Steps, Stop
from faultlab.core.canonical import digest
from faultlab.core.records import Call


def send_twice(recovery: Recovery) -> Steps:
    """To be on the safe side."""
    first = recovery.request()
    yield first
    yield first._replace(key=f"{first.key}-2" if first.key else None)
    return None


def send_and_sweep(recovery: Recovery) -> Steps:
    """Does what was asked, and refunds another order as well."""
    yield recovery.request()
    if "refund_order" in recovery.specs:
        yield Invoke("refund_order", {"order_id": "C33", "amount": "5.00"}, None, f"{recovery.reference}-sweep")
    return None


def send_without_key(recovery: Recovery) -> Steps:
    yield recovery.request()._replace(key=None)
    return None


def send_with_key_of_arguments(recovery: Recovery) -> Steps:
    """Two equal orders get one key."""
    recovery.handle = digest([recovery.intent.tool, recovery.intent.args])
    yield recovery.request()
    return None


def _request(recovery: Recovery, **options: Any) -> tuple[httpx.Request, Call]:
    """What is meant as an HTTP request, and as the first call of it."""
    body = {**recovery.intent.args, "reference": recovery.reference}
    headers = {} if recovery.key is None else {"Idempotency-Key": recovery.key}
    path = f"/tools/{recovery.intent.tool}"
    request: httpx.Request = recovery.env.http.build_request("POST", path, json=body, headers=headers, **options)
    return request, Call(recovery.log.count + 1, recovery.now_ns, recovery.intent.tool, "write", body)


def send_through_a_retrying_client(recovery: Recovery) -> Steps:
    """An HTTP client that sends a failed request again by itself, and says nothing of it."""
    request, call = _request(recovery)
    for number in (call.n, call.n + 1):
        recovery.log.calls.append(call._replace(n=number))
        with suppress(httpx.TransportError):
            if recovery.env.http.send(request).is_success:
                return Stop("done", (number,))
    return Stop("handed_over")
    yield


def send_without_timeout(recovery: Recovery) -> Steps:
    """Straight over HTTP, and for ever."""
    request, call = _request(recovery, timeout=None)
    recovery.env.http.send(request)
    recovery.log.calls.append(call)
    return Stop("done", (call.n,))
    yield


def call_the_real_service(recovery: Recovery) -> Steps:
    """Talks past the lab, and takes the refused connection for a success."""
    with suppress(OSError):
        socket.create_connection(("payments.example", 443), timeout=1).close()
    return Stop("done")
    yield


FIRST_SENDS: Mapping[str, Mutant] = {
    "send_twice": row("not_sent", send_twice, "FL101"),
    "sweep": row("not_sent", send_and_sweep, "FL103"),
    "send_without_key": row("not_sent", send_without_key, "FL305"),
    "key_of_arguments": row("not_sent", send_with_key_of_arguments, "FL306"),
    "retry_below": row("not_sent", send_through_a_retrying_client, "FL406"),
    "never_send": row("not_sent", stop("not_done"), "FL901"),
    "no_timeout": row("not_sent", send_without_timeout, "FL903"),
    "real_service": row("not_sent", call_the_real_service, "FL904"),
}
