"""The journal is gone and the work goes on: what may have been sent is asked after before anything is sent."""

from pathlib import Path

import pytest
from client.test_tool_client import CONTRACTS, check, fault
from client.tool_lab import REFUND, Shop

from faultlab.core.agent import Crash
from faultlab.core.records import Outcome

STEPS = ("after sending", "after call", "after settled")


def dying(at: str) -> object:
    def hook(step: str) -> None:
        if step == at:
            raise Crash

    return hook


def lose(shop: Shop, folder: Path, step: str) -> None:
    """A process that dies at a step, and its journal with it."""
    with shop.client(folder, hook=dying(step)) as client, pytest.raises(Crash):
        client.call(shop.spec(), **REFUND)
    for file in folder.glob("journal.db*"):
        file.unlink()


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("phase", [None, "before", "late_network", "late_server"])
def test_nothing_is_done_twice(contract: str, step: str, phase: str | None, tmp_path: Path) -> None:
    shop = Shop(contract, *([fault(phase, required=False)] if phase else []))
    lose(shop, tmp_path, step)
    with shop.client(tmp_path, lost=True) as client:
        result = client.call(shop.spec(), **REFUND)
        again = client.call(shop.spec(), **REFUND)  # with a budget of its own
    check(again, shop.effects)
    assert result.status in ("handed_over", again.status)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_what_was_done_is_found_by_its_own_handle(contract: str, tmp_path: Path) -> None:
    shop = Shop(contract)
    lose(shop, tmp_path, "after call")
    with shop.client(tmp_path, lost=True) as client:
        result = client.call(shop.spec(), **REFUND)
    assert (result.status, shop.effects) == ("done", 1)


def test_without_the_word_it_is_sent_again(tmp_path: Path) -> None:
    """Which is why one has to say so: an empty journal looks like one that was never used."""
    shop = Shop("none")
    lose(shop, tmp_path, "after call")
    with shop.client(tmp_path) as client:
        assert client.call(shop.spec(), **REFUND).status == "done"
    assert shop.effects == 2


def test_what_cannot_be_found_is_handed_over(tmp_path: Path) -> None:
    shop = Shop("none")
    lose(shop, tmp_path, "before call")
    with shop.client(tmp_path, lost=True) as client:
        result = client.call(shop.spec(), **REFUND)
    assert (result.status, result.outcome, shop.effects) == ("handed_over", Outcome.UNKNOWN, 0)
    assert result.hand_over is not None
    assert result.hand_over.handle
    assert result.hand_over.first_sent_ns > 0
