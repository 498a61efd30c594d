"""What a function gives back is read as evidence about its write, and about nothing else."""

from pathlib import Path
from typing import Any

import pytest

from faultlab.client.client import ToolClient
from faultlab.core.clock import VirtualClock


@pytest.fixture
def client(tmp_path: Path) -> Any:
    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as made:
        yield made


@pytest.mark.parametrize("row", [{"id": 1, "reference": "INV-7"}, {"id": 1}])
def test_what_a_query_finds_by_the_operations_own_reference_is_its_own(row: dict[str, Any], client: ToolClient) -> None:
    sent: list[str] = []

    def find(order_id: str, reference: str) -> list[dict[str, Any]]:
        return [row] if reference in sent else []

    @client.guard(contract="settle", identity=["order_id"], query=find)
    def pay(order_id: str, reference: str) -> None:
        sent.append(reference)
        raise TimeoutError("the receipt is lost")

    result = client.call(pay, order_id="A17")
    assert (result.status, result.value, len(sent)) == ("done", row, 1)
