"""What a user gives the client, and gives wrongly: told by name before anything is written or sent."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from faultlab.client.client import ToolClient
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.errors import BadInput, StoreError
from faultlab.records.journal import open_journal
from faultlab.records.journal_rows import OperationRow


def pay(order_id: str, note: Any = None, idempotency_key: str = "") -> str:
    return idempotency_key


SPEC = ToolSpec.of(pay, contract="strict", identity=["order_id"])
CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[ToolClient]:
    with ToolClient(tmp_path / "journal.db", run="r") as made:
        made.add(SPEC)
        yield made


@pytest.mark.parametrize(
    ("give", "told"),
    [
        (lambda tools: tools.call(SPEC, order_id="A", operation=1), r"operation=1: write a text, such as operation="),
        (lambda tools: tools.call(SPEC, order_id="A", operation=None), r"operation=None: write a text"),
        (lambda tools: tools.call(SPEC, order_id="A", operation="a\0"), r"operation='a\\x00': no database can hold"),
        (lambda tools: tools.of_run(uuid.UUID(int=1)), r"run=UUID\('0{8}-.*'\): write a text, such as run="),
        (lambda tools: ToolClient(tools._journal, run=4711), r"run=4711: write a text, such as run='ticket-4711'"),
        (lambda tools: tools.call(SPEC, order_id="\ud83d"), r"identity '\\ud83d' holds half a surrogate pair"),
        (lambda tools: tools.call(SPEC, order_id="A", note=CYCLE), r"argument 'note': Circular.*plain JSON"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_written(
    client: ToolClient, give: Callable[[ToolClient], Any], told: str
) -> None:
    with pytest.raises(BadInput, match=told):
        give(client)
    assert client.reconcile() == []
    assert client.call(SPEC, order_id="A").status == "done"


def test_an_operation_of_an_older_journal_under_another_id_is_told(tmp_path: Path) -> None:
    journal = open_journal(str(tmp_path / "journal.db"))
    row = OperationRow("an id made of run 4711", "4711", "pay", "A", "", {}, "d", 100)
    journal.claim(row, 100, 50)
    with pytest.raises(StoreError, match=r"pay\(A\) of run '4711': it holds it under another id.*name it: operation="):
        journal.claim(row._replace(id="an id made of run '4711'"), 100, 50)
    assert journal.claim(row, 200, 50).mine
    journal.close()
