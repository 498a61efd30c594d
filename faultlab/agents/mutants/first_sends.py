"""Wrong from the first send on: what leaves, how often, by what client, and where it goes."""

import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httpx

from faultlab.agents.by_client import Tools
from faultlab.agents.mutants.mutant import Mutant, by, row
from faultlab.client.moves import stop
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Steps, Stop
from faultlab.core.canonical import digest
from faultlab.core.contract import KEY_FIELD


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
    yield recovery.request()._replace(key=digest([recovery.intent.tool, recovery.intent.args]))
    return None


def as_request(job: Recovery, args: Mapping[str, Any], **options: Any) -> httpx.Request:
    """The write, for `env.http`."""
    body = {name: value for name, value in args.items() if name != KEY_FIELD}
    headers = {"Idempotency-Key": args[KEY_FIELD]} if args.get(KEY_FIELD) else {}
    http: httpx.Client = job.env.http
    return http.build_request("POST", f"/tools/{job.intent.tool}", json=body, headers=headers, **options)


class OverARetryingClient(Tools):
    """An HTTP client that sends a failed request again by itself, and says nothing of it."""

    def invoke(self, tool: str, args: Mapping[str, Any]) -> Any:
        if tool != self.job.intent.tool:
            return super().invoke(tool, args)
        request, http = as_request(self.job, args), self.job.env.http
        self.noted(tool, args)
        with suppress(httpx.TransportError):
            return http.send(request).raise_for_status().json()
        self.noted(tool, args)
        return http.send(request).raise_for_status().json()


class WithoutTimeout(Tools):
    """Straight over HTTP, and for ever."""

    def invoke(self, tool: str, args: Mapping[str, Any]) -> Any:
        if tool != self.job.intent.tool:
            return super().invoke(tool, args)
        self.noted(tool, args)
        return self.job.env.http.send(as_request(self.job, args, timeout=None)).raise_for_status().json()


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
    "retry_below": by(OverARetryingClient, "FL406"),
    "never_send": row("not_sent", stop("not_done"), "FL901"),
    "no_timeout": by(WithoutTimeout, "FL903"),
    "real_service": row("not_sent", call_the_real_service, "FL904"),
}
