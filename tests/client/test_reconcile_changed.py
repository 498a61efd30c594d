"""Operations of an earlier life, by a later program: a changed signature stops its own operation and no other."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from faultlab.client.client import ToolClient
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.agent import Budget, Crash


def leave_open(place: Path, *specs: ToolSpec, at: str) -> None:
    """Each tool is called once by a process that dies at a step."""

    def die(step: str) -> None:
        if step == at:
            raise Crash

    with ToolClient(place, run="r", hook=die, lease_s=0.001) as client:
        for spec in specs:
            with pytest.raises(Crash):
                client.call(spec, order_id="A")


def spec(name: str, function: Callable[..., Any], identity: str = "order_id", query: Any = None) -> ToolSpec:
    return ToolSpec.of(function, name=name, contract="none", identity=[identity], query=query)


@pytest.mark.parametrize("at", ["before sending", "after sending"])
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (
            spec("pay", lambda order_id, currency: 1),
            r"tool pay takes other parameters now \(missing .*'currency'\) .*\(order_id\): declare it with those",
        ),
        (
            spec("pay", lambda order: 1, "order", query=lambda order: []),
            r"tool pay takes other parameters now .*'order'",
        ),
        (None, r"tool pay is not declared here"),
    ],
)
def test_a_changed_tool_is_reported_and_the_others_go_on(
    changed: ToolSpec | None, told: str, at: str, tmp_path: Path
) -> None:
    place = tmp_path / "journal.db"
    first, other = spec("pay", lambda order_id: 1), spec("other", lambda order_id: 2)
    leave_open(place, first, at=at)
    leave_open(place, other, at="before sending")
    with ToolClient(place, run="r") as client:
        client.add(other)
        if changed is not None:
            client.add(changed)
        stuck, done = client.reconcile()
        assert (done.operation, done.status, done.value) == ("other(A)", "done", 2)
    assert re.search(told, stuck.why)
    assert (stuck.operation, stuck.resumable) == ("pay(A)", True)
    assert stuck.status == ("not_done" if at == "before sending" else "handed_over")
    with ToolClient(place, run="r") as client:
        client.add(first)
        assert [result.operation for result in client.reconcile()] == ["pay(A)"]


@pytest.mark.parametrize("asked", ["999999999999", "9" * 100, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_server_may_ask_to_wait_for_ever(asked: str, tmp_path: Path) -> None:
    server = httpx.MockTransport(lambda _: httpx.Response(429, headers={"retry-after": asked}))

    def pay(order_id: str, idempotency_key: str) -> None:
        httpx.Client(transport=server).post("http://shop/").raise_for_status()

    with ToolClient(tmp_path / "journal.db", run="r", budget=Budget(seconds=1)) as client:
        client.add(ToolSpec.of(pay, contract="strict", identity=["order_id"]))
        result = client.call("pay", order_id="A")
        assert (result.status, result.not_before) == ("not_done", "9999-12-31T23:59:59Z")
        for again in client.reconcile():
            assert again.not_before == "9999-12-31T23:59:59Z"
