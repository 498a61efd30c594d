"""Garbage collection for a process that keeps what it is given: histories grow by some twenty objects a call."""

import asyncio
import gc
from collections.abc import Callable
from typing import Any

THRESHOLD = 50_000
"""Objects made and not freed again until they are looked through for garbage that only a collector finds."""
IDLE_S = 60.0


def tune() -> None:
    """Look through each object once, while it is new: what a history holds is freed with it, and not before.

    Python looks through the whole of a growing history over and over; the longer it is, the longer do calls wait.
    """
    gc.callbacks.append(_looked_through)
    gc.set_threshold(THRESHOLD)
    gc.collect()


def _looked_through(phase: str, _info: dict[str, Any]) -> None:
    if phase == "stop":
        gc.freeze()


async def sweep(activity: Callable[[], object], idle_s: float = IDLE_S) -> None:
    """Look through everything once nothing has happened for `idle_s`: a cycle may have died after it was looked at.

    `activity`: what changes whenever something happens. Runs until it is cancelled.
    """
    before = swept = activity()
    while True:
        await asyncio.sleep(idle_s)
        now = activity()
        if now == before and now != swept:
            gc.unfreeze()
            gc.collect()
            swept = now
        before = now
