"""What a user gives the client, and gives wrongly: told by name before anything is written or sent."""

import math
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from faultlab.client.client import ToolClient
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.agent import Budget
from faultlab.core.errors import BadInput, StoreError
from faultlab.core.profiles import PROFILES
from faultlab.records.journal import open_journal
from faultlab.records.journal_rows import OperationRow


def pay(order_id: str, note: Any = None, idempotency_key: str = "") -> str:
    return idempotency_key


SPEC = ToolSpec.of(pay, contract="strict", identity=["order_id"])
CYCLE: list[Any] = []
CYCLE.append(CYCLE)


LATE = ToolSpec.of(pay, name="late", contract=replace(PROFILES["none"], poll_s=-1), identity=["order_id"])


def settling(client: ToolClient, settle_s: Any) -> None:
    client.guard(contract={"profile": "none", "settle_s": settle_s}, identity=["order_id"])(pay)


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
        (lambda tools: ToolClient(None), r"journal=None: write a path, such as 'journal\.db'"),
        (lambda tools: ToolClient(b"journal.db"), r"journal=b'journal\.db': write a path"),
        (lambda tools: ToolClient(tools._journal, lease_s=0), r"lease_s=0: write seconds, more than the longest"),
        (lambda tools: ToolClient(tools._journal, lease_s=-1), r"lease_s=-1: write seconds"),
        (lambda tools: ToolClient(tools._journal, lease_s="60"), r"lease_s='60': write seconds"),
        (lambda tools: ToolClient(tools._journal, lease_s=math.inf), r"lease_s=inf: write seconds"),
        (
            lambda tools: ToolClient(tools._journal, budget=Budget(seconds=math.inf)),
            r"budget: seconds=inf is no number",
        ),
        (lambda tools: ToolClient(tools._journal, budget=Budget(cost=math.nan)), r"budget: cost=nan is no number"),
        (lambda tools: ToolClient(tools._journal, budget={"calls": 3}), r"budget={'calls': 3}: write a Budget"),
        (lambda tools: settling(tools, "30"), r"contract 'none': settle_s='30': write seconds as a number"),
        (lambda tools: settling(tools, -1), r"contract 'none': settle_s=-1: write seconds"),
        (lambda tools: tools.call(LATE, order_id="A"), r"contract 'none': poll_s=-1: write seconds"),
        (lambda tools: tools.reconcile(5), r"run=5: write a text"),
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
