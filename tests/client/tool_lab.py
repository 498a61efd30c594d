"""A tool client in front of the lab's shop: real httpx, the real engine, a real journal, virtual time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from labs import drain, lab

from faultlab.client.client import ToolClient
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.contract import Contract
from faultlab.core.profiles import PROFILES
from faultlab.faults.plan import Planned
from faultlab.transports.http_library import BASE_URL
from faultlab.transports.httpx_transport import AsyncLabTransport, LabTransport

REFUND = {"order_id": "A17", "amount": "40.00"}


class Shop:
    """The server, and the functions by which it is reached."""

    def __init__(self, contract: str | Contract, *plan: Planned) -> None:
        self.contract = PROFILES[contract] if isinstance(contract, str) else contract
        self.session = lab(self.contract, *plan)
        self.http = httpx.Client(transport=LabTransport(self.session), base_url=BASE_URL)
        self.ahttp = httpx.AsyncClient(transport=AsyncLabTransport(self.session), base_url=BASE_URL)

    @property
    def effects(self) -> int:
        """Once everything that can still land has landed."""
        drain(self.session)
        return len(self.session.engine.ledger)

    def client(self, path: Path, **options: Any) -> ToolClient:
        """A new process, as it were: it knows the journal's file and nothing else."""
        return ToolClient(
            str(path / "journal.db"), **{"clock": self.session.clock, "run": "r", "fsync": False, **options}
        )

    def spec(self) -> ToolSpec:
        """The refund tool with the surfaces that the contract offers, and a list of refunds to look at."""
        return ToolSpec.of(
            self._keyed if self.contract.key else self._unkeyed,
            name="refund_order",
            contract=self.contract,
            identity=["order_id"],
            query=self.refunds,
            status=self.status if self.contract.status else None,
            fence=self.cancel if self.contract.fence else None,
        )

    def aspec(self) -> ToolSpec:
        """The same over asynchronous functions."""
        return self.spec().calling(self._akeyed if self.contract.key else self._aunkeyed)

    def _keyed(self, order_id: str, amount: str, idempotency_key: str, reference: str) -> Any:
        return self._post(
            "refund_order", {"order_id": order_id, "amount": amount, "reference": reference}, idempotency_key
        )

    def _unkeyed(self, order_id: str, amount: str, reference: str) -> Any:
        return self._post("refund_order", {"order_id": order_id, "amount": amount, "reference": reference})

    async def _akeyed(self, order_id: str, amount: str, idempotency_key: str, reference: str) -> Any:
        body = {"order_id": order_id, "amount": amount, "reference": reference}
        headers = {"Idempotency-Key": idempotency_key}
        return (await self.ahttp.post("/tools/refund_order", json=body, headers=headers)).raise_for_status().json()

    async def _aunkeyed(self, order_id: str, amount: str, reference: str) -> Any:
        body = {"order_id": order_id, "amount": amount, "reference": reference}
        return (await self.ahttp.post("/tools/refund_order", json=body)).raise_for_status().json()

    def refunds(self, order_id: str) -> Any:
        """Rows bear the reference that was given with them."""
        return self.http.get(f"/v1/orders/{order_id}/refunds").raise_for_status().json()["refunds"]

    def status(self, reference: str) -> Any:
        return self._post("operation_status", {"reference": reference})

    def cancel(self, reference: str) -> Any:
        return self._post("cancel_operation", {"reference": reference})

    def _post(self, tool: str, body: dict[str, Any], key: str | None = None) -> Any:
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.http.post(f"/tools/{tool}", json=body, headers=headers).raise_for_status().json()


def counting(function: Callable[..., Any]) -> tuple[Callable[..., Any], list[dict[str, Any]]]:
    """The function, and the arguments of each of its calls so far."""
    calls: list[dict[str, Any]] = []

    def counted(**arguments: Any) -> Any:
        calls.append(arguments)
        return function(**arguments)

    return counted, calls
