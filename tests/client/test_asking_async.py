"""What is asked after a lost receipt, as a coroutine function: a caller without a loop is told before it sends."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from faultlab.client.client import ToolClient
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.errors import BadInput

sent: list[str] = []


async def find(order_id: str, reference: str) -> str | None:
    return reference if reference in sent else None


async def ask(reference: str) -> str:
    return "applied"


class Finder:
    async def __call__(self, order_id: str, reference: str) -> str | None:
        return await find(order_id, reference)


def pay(order_id: str, reference: str) -> None:
    sent.append(reference)
    raise TimeoutError("the receipt is lost")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[ToolClient]:
    sent.clear()
    with ToolClient(tmp_path / "journal.db", run="r") as made:
        yield made


@pytest.mark.parametrize(
    ("asked", "contract", "word"),
    [
        ({"query": find}, "settle", "query"),
        ({"query": partial(find)}, "settle", "query"),
        ({"query": Finder()}, "settle", "query"),
        ({"status": ask}, "status", "status"),
        ({"fence": ask}, "fence", "fence"),
    ],
)
def test_what_a_loop_must_ask_is_refused_before_anything_is_sent(
    asked: dict[str, Any], contract: str, word: str, client: ToolClient
) -> None:
    client.add(ToolSpec.of(pay, contract=contract, identity=["order_id"], **asked))
    with pytest.raises(BadInput, match=f"tool pay has an asynchronous {word}: use acall or areconcile"):
        client.call("pay", order_id="A")
    assert (sent, client.reconcile()) == ([], [])


def test_under_a_loop_it_is_asked(client: ToolClient) -> None:
    client.add(ToolSpec.of(pay, contract={"profile": "settle", "settle_s": 0}, identity=["order_id"], query=find))
    result = asyncio.run(client.acall("pay", order_id="A"))
    assert (result.status, result.value) == ("done", sent[0])


def test_an_asynchronous_generator_is_no_query(client: ToolClient) -> None:
    async def rows(order_id: str) -> AsyncIterator[str]:
        yield order_id

    with pytest.raises(BadInput, match=r"tool pay: query=... is an asynchronous generator"):
        ToolSpec.of(pay, contract="settle", identity=["order_id"], query=rows)
