"""Ten small wrappers that retry the way public bug reports describe it, each with a version that does it right.

Each takes an HTTP client (or a tool) and what to do. The reports are linked in `reports.py`.
"""

import asyncio
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import httpx

from faultlab import Claim


class OutcomeUnknown(Exception):
    """It may have happened. A person has to look."""


class Rejected(Exception):
    """It has not happened."""


numbers = count(1)


def fresh_key() -> str:
    return f"generated-{next(numbers)}"


def wait(response: httpx.Response) -> None:
    time.sleep(float(response.headers.get("Retry-After", 1)))


# 1. A generated client retries read timeouts of a POST.


def send_mail_retrying_timeouts(client: httpx.Client, text: str) -> Any:
    for _ in range(3):
        try:
            return client.post("/v1/mails", json={"text": text}).json()
        except httpx.TimeoutException:
            continue
    raise OutcomeUnknown(text)


def send_mail_retrying_connections(client: httpx.Client, text: str) -> Any:
    for _ in range(3):
        try:
            return client.post("/v1/mails", json={"text": text}).json()
        except (httpx.ConnectError, httpx.ConnectTimeout):
            continue
        except httpx.TransportError as error:
            raise OutcomeUnknown(text) from error
    raise Rejected(text)


# 2. A proxy's retry policy replays a POST on 503.


def post_through_eager_proxy(client: httpx.Client, path: str, body: dict[str, Any]) -> httpx.Response:
    for _ in range(2):
        response = client.post(path, json=body)
        if response.status_code != 503:
            break
    return response.raise_for_status()


def post_through_careful_proxy(client: httpx.Client, path: str, body: dict[str, Any]) -> httpx.Response:
    response = client.post(path, json=body)
    if response.status_code >= 500:
        raise OutcomeUnknown(f"{path}: {response.status_code}")
    return response.raise_for_status()


# 3. A tool says that it is not idempotent; the loop that calls tools does not read it.


def run_tool_until_it_works(tool: Callable[..., Any], **arguments: Any) -> Any:
    for _ in range(3):
        try:
            return tool(**arguments)
        except Exception:  # noqa: BLE001, S112  # as reported
            continue
    raise Rejected(arguments)


def run_tool_as_declared(tool: Callable[..., Any], idempotent: bool = False, **arguments: Any) -> Any:
    for _ in range(3 if idempotent else 1):
        try:
            return tool(**arguments)
        except Exception as error:  # noqa: BLE001
            failure = error
    raise OutcomeUnknown(arguments) from failure


# 4. An SDK with retries switched on puts a key of its own in the place of the caller's.


def charge_under_new_keys(client: httpx.Client, amount: str, key: str) -> Any:
    for _ in range(3):
        try:
            return client.post("/v1/charges", json={"amount": amount}, headers={"Idempotency-Key": fresh_key()}).json()
        except httpx.TransportError:
            continue
    raise OutcomeUnknown(key)


def charge_under_the_callers_key(client: httpx.Client, amount: str, key: str) -> Any:
    for _ in range(5):
        try:
            response = client.post("/v1/charges", json={"amount": amount}, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            continue
        if response.status_code != 409:
            return response.raise_for_status().json()
        wait(response)
    raise OutcomeUnknown(key)


# 5. A guard looks for the word "timeout" in the error's text; an error without it goes to the plain fallback.


def reply_guarded_by_words(client: httpx.Client, text: str) -> Any:
    try:
        return client.post("/v1/messages", json={"text": text}).json()
    except httpx.TransportError as error:
        if "timeout" in str(error):
            raise OutcomeUnknown(text) from error
        return client.post("/v1/messages", json={"text": text}).json()


def reply_guarded_by_types(client: httpx.Client, text: str) -> Any:
    try:
        return client.post("/v1/messages", json={"text": text}).json()
    except (httpx.ConnectError, httpx.ConnectTimeout):
        return client.post("/v1/messages", json={"text": text}).json()
    except httpx.TransportError as error:
        raise OutcomeUnknown(text) from error


# 6. An interrupted call is reported as one that was never executed.


async def order_interrupted_as_rejected(client: httpx.AsyncClient, item: str) -> Claim:
    try:
        await asyncio.wait_for(client.post("/v1/orders", json={"item": item}), 2)
    except TimeoutError:
        return Claim.not_done("Interrupted: the order was not placed.")
    return Claim.done("Ordered.")


async def order_interrupted_as_unknown(client: httpx.AsyncClient, item: str) -> Claim:
    try:
        await asyncio.wait_for(client.post("/v1/orders", json={"item": item}), 2)
    except TimeoutError as interrupted:
        raise OutcomeUnknown(item) from interrupted
    return Claim.done("Ordered.")


# 7. One look right after the timeout decides that nothing was created, and it is created again.


def create_after_one_look(client: httpx.Client, name: str) -> Any:
    try:
        return client.post("/v1/jobs", json={"name": name, "reference": name}).json()
    except httpx.TransportError:
        found = client.get("/v1/jobs", params={"name": name}).json()["jobs"]
        return found[0] if found else client.post("/v1/jobs", json={"name": name, "reference": name}).json()


def create_and_adopt(client: httpx.Client, name: str) -> Any:
    try:
        return client.post("/v1/jobs", json={"name": name, "reference": name}).json()
    except httpx.TransportError as error:
        found = client.get("/v1/jobs", params={"name": name}).json()["jobs"]
        if not found:
            raise OutcomeUnknown(name) from error
        return found[0]


# 8. A client never repeats a POST, even one under a key, so an old connection is an error to its caller.


def ingest_once(client: httpx.Client, rows: list[int], key: str) -> Any:
    return client.post("/v1/rows", json={"rows": rows}, headers={"Idempotency-Key": key}).json()


def ingest_under_a_key(client: httpx.Client, rows: list[int], key: str) -> Any:
    for _ in range(5):
        try:
            response = client.post("/v1/rows", json={"rows": rows}, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            continue
        if response.status_code != 409:
            return response.raise_for_status().json()
        wait(response)
    raise OutcomeUnknown(key)


# 9. One request id lives as long as the client's context and is sent with every operation.


def pay_all_under_one_id(client: httpx.Client, amounts: list[str], request_id: str) -> list[Any]:
    return [keyed_payment(client, amount, request_id) for amount in amounts]


def pay_each_under_its_own_id(client: httpx.Client, amounts: list[str], request_id: str) -> list[Any]:
    return [keyed_payment(client, amount, f"{request_id}-{number}") for number, amount in enumerate(amounts)]


def keyed_payment(client: httpx.Client, amount: str, key: str) -> Any:
    for _ in range(5):
        try:
            response = client.post("/v1/payments", json={"amount": amount}, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            continue
        if response.status_code != 409:
            return response.json()
        wait(response)
    raise OutcomeUnknown(key)


# 10. When the status queries are used up, an order of unknown fate is booked as rejected.


def submit_rejected_after_queries(client: httpx.Client, order: str) -> Claim:
    try:
        client.post("/v1/orders", json={"reference": order})
    except httpx.TransportError:
        for _ in range(3):
            if client.get("/v1/orders", params={"name": order}).json()["orders"]:
                return Claim.done("accepted")
        return Claim.not_done("rejected")
    return Claim.done("accepted")


def submit_unknown_after_queries(client: httpx.Client, order: str) -> Claim:
    try:
        client.post("/v1/orders", json={"reference": order})
    except httpx.TransportError as error:
        for _ in range(3):
            if client.get("/v1/orders", params={"name": order}).json()["orders"]:
                return Claim.done("accepted")
        raise OutcomeUnknown(order) from error
    return Claim.done("accepted")


def backend() -> httpx.MockTransport:
    """A server without any guard: each POST adds a row, each GET lists those with a name."""
    rows: dict[str, list[dict[str, Any]]] = {}

    def handle(request: httpx.Request) -> httpx.Response:
        table = request.url.path.rpartition("/")[2]
        kept = rows.setdefault(table, [])
        if request.method == "GET":
            name = request.url.params["name"]
            return httpx.Response(200, json={table: [row for row in kept if row["reference"] == name]})
        kept.append({"id": f"{table}-{len(kept) + 1}", **httpx.Response(200, content=request.content).json()})
        return httpx.Response(201, json=kept[-1])

    return httpx.MockTransport(handle)
