"""A journaled call against the bare httpx call that it makes, by the clock on the wall: waiting for the disk counts."""

import tempfile
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter

import httpx

from faultlab import ToolClient

CALLS = 40
ROUNDS = 11
TARGET = 15.0
"""Without waiting for the disk. With it, the disk decides: that figure is reported and not gated."""


def journal() -> Mapping[str, object]:
    """Medians of interleaved rounds."""
    http = httpx.Client(
        transport=httpx.MockTransport(lambda request: httpx.Response(200, json={"id": "re_1"})),
        base_url="https://api.example",
    )
    numbers = count()

    def bare(order_id: str, idempotency_key: str = "k") -> object:
        headers = {"Idempotency-Key": idempotency_key}
        return http.post("/refunds", json={"order_id": order_id}, headers=headers).json()

    with tempfile.TemporaryDirectory() as folder:
        clients = [ToolClient(str(Path(folder) / f"{fsync}.db"), fsync=fsync) for fsync in (False, True)]
        guarded = [client.guard(contract="strict", identity=["order_id"])(bare) for client in clients]
        ratios: list[tuple[float, float]] = []
        for number in range(ROUNDS + 1):
            spent = [_spent(call, numbers) for call in (bare, *guarded)]
            if number:
                ratios.append((spent[1] / spent[0], spent[2] / spent[0]))
        for client in clients:
            client.close()
    without, durable = (median(side) for side in zip(*ratios, strict=True))
    return {
        "ratio": round(without, 2),
        "target": TARGET,
        "holds": without <= TARGET,
        "baseline": f"the bare call over httpx.MockTransport; with fsync {durable:.1f}",
        "with_fsync": round(durable, 2),
        "low": round(min(side[0] for side in ratios), 2),
        "high": round(max(side[0] for side in ratios), 2),
    }


def _spent(call: Callable[[str], object], numbers: "count[int]") -> float:
    began = perf_counter()
    for _ in range(CALLS):
        call(f"A{next(numbers)}")
    return perf_counter() - began
