"""A process that dies between any two steps: the next one finishes the operation by the journal, or hands it over."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from client.tool_lab import REFUND, Shop

import faultlab
from faultlab.client.result import Result
from faultlab.core.clock import NS
from faultlab.core.records import Outcome
from faultlab.faults.plan import Planned

LEASE_S = 60.0
LIVES = 14
"""A lost receipt is settled in fewer steps than this."""
CONTRACTS = ("none", "status", "strict", "fence", "settle", "stripe_v1")
PHASES = (None, "after", "late_server", "connect", "before", "late_network")
CELLS = [
    pytest.param(contract, phase, marks=[] if contract in CONTRACTS[:3] and phase in PHASES[:3] else pytest.mark.slow)
    for contract in CONTRACTS
    for phase in PHASES
]


class Mortal:
    """A hook that lets a process live for `steps` steps."""

    def __init__(self, steps: int | None = None) -> None:
        self.left = steps
        self.seen: list[str] = []

    def __call__(self, step: str) -> None:
        self.seen.append(step)
        if self.left is not None and len(self.seen) > self.left:
            raise faultlab.Crash


@pytest.fixture
def folder() -> Iterator[Path]:
    """In memory where that is possible: what is lost is a process, not the power, and there are many."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as made:
        yield Path(made)


def shop_of(contract: str, phase: str | None) -> Shop:
    return Shop(contract, *([Planned("refund_order", phase, late_ns=20 * NS)] if phase else []))


def live(shop: Shop, folder: Path, steps: int | None = None) -> tuple[list[str], Result | None]:
    """One process: it settles what is open, and then calls its operation. What it did, and what it was told."""
    hook = Mortal(steps)
    client = shop.client(folder, hook=hook, lease_s=LEASE_S)
    client.add(shop.spec())
    try:
        for result in client.reconcile():
            check(shop, result)
        told = client.call("refund_order", **REFUND)
    except faultlab.Crash:
        return hook.seen, None
    finally:
        client.close()
    return hook.seen, told


def check(shop: Shop, result: Result) -> None:
    """What a process is told is true at the moment it is told, and stays true."""
    made = len(shop.session.engine.ledger)
    if result.status == "done":
        assert made == 1
    elif result.outcome is Outcome.NOT_APPLIED:
        assert made == 0
    else:
        assert result.hand_over is not None
        assert result.hand_over.digest
        assert result.hand_over.first_sent_ns > 0


@pytest.mark.parametrize(("contract", "phase"), CELLS)
def test_whichever_step_a_process_dies_at(contract: str, phase: str | None, folder: Path) -> None:
    (folder / "whole").mkdir()
    steps, _ = live(shop_of(contract, phase), folder / "whole")
    assert steps[:6] == [f"{when} {step}" for step in ("claim", "sending", "call") for when in ("before", "after")]
    for number, step in enumerate(steps):
        place = folder / str(number)
        place.mkdir()
        shop = shop_of(contract, phase)
        died, told = live(shop, place, number)
        assert told is None
        assert died == steps[: number + 1]
        shop.session.clock.sleep(LEASE_S + 1)
        _, told = live(shop, place)
        assert told is not None, step
        check(shop, told)
        assert shop.effects <= 1, step
        if contract == "strict":
            assert told.status == "done", step


@pytest.mark.parametrize("first", range(1, LIVES, 3))
def test_a_process_that_dies_twice(first: int, folder: Path) -> None:
    for second in range(0, LIVES, 3):
        place = folder / str(second)
        place.mkdir()
        shop = shop_of("status", "after")
        for steps in (first, second, None):
            _, told = live(shop, place, steps)
            shop.session.clock.sleep(LEASE_S + 1)
        assert told is not None
        check(shop, told)
        assert shop.effects <= 1


def test_nobody_takes_over_before_the_lease_is_over(tmp_path: Path) -> None:
    shop = shop_of("none", None)
    live(shop, tmp_path, 3)  # dies just before its request leaves
    waited = shop.session.clock.now()
    with shop.client(tmp_path, lease_s=LEASE_S) as other:
        result = other.call(shop.spec(), **REFUND)
    assert shop.session.clock.now() - waited >= (LEASE_S - 1) * NS
    assert result.status == "handed_over"
    assert shop.effects == 0


def test_an_interrupted_call_gives_its_lease_back_at_once(tmp_path: Path) -> None:
    shop = shop_of("strict", None)

    def stop(order_id: str, amount: str, idempotency_key: str, reference: str) -> None:
        raise KeyboardInterrupt

    with shop.client(tmp_path, lease_s=LEASE_S) as client:
        with pytest.raises(KeyboardInterrupt):
            client.call(shop.spec().calling(stop), **REFUND)
        assert client.call(shop.spec().calling(shop.spec().function), **REFUND).status == "done"
    assert shop.session.clock.now() < LEASE_S / 10 * NS
    assert shop.effects == 1
