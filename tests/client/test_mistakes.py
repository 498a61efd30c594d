"""What a new user does wrong, and what goes wrong around him: one clear error each, and nothing is lost."""

import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from faultlab.client.client import ToolClient
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.errors import BadInput, StoreError

sent: list[str] = []


def refund(order_id: str, amount: str = "1.00", idempotency_key: str = "") -> dict[str, str]:
    sent.append(idempotency_key)
    return {"order_id": order_id}


SPEC = ToolSpec.of(refund, contract="strict", identity=["order_id"])


@pytest.fixture
def client(tmp_path: Path) -> Iterator[ToolClient]:
    sent.clear()
    place = tmp_path / "new" / "folder" / "journal.db"  # a Path, and folders that are not there yet
    with ToolClient(place, run="r") as made:
        made.add(SPEC)
        yield made


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda tools: tools.call("refnd", order_id="A17"), r"unknown tool 'refnd'; declared: refund"),
        (lambda tools: tools.call("refund", oder_id="A17"), r"tool refund: missing.*; it takes order_id, amount"),
        (
            lambda tools: tools.call("refund", order_id="A17", amount={1}),
            r"tool refund, argument 'amount': .*set.*JSON",
        ),
        (lambda tools: tools.call("refund", order_id=object()), r"tool refund, argument 'order_id'"),
        (lambda tools: tools.call("refund", order_id="A", reference="x"), r"'reference' is made by the client"),
        (
            lambda tools: tools.guard(contract="strikt", identity=["a"])(lambda a: a),
            r"unknown contract 'strikt'; known:",
        ),
        (lambda tools: tools.guard(contract={"settle_s": 3}, identity=["a"])(lambda a: a), r"write a profile's name"),
        (
            lambda tools: tools.guard(contract=None, identity=["a"])(lambda a: a),
            r"contract None: write a profile's name",
        ),
        (lambda tools: tools.guard(contract="none", identity="a")(lambda a: a), r"write a list of names, \['a'\]"),
        (lambda tools: tools.guard(contract="none", identity=["a"])(lambda a, **more: a), r"'\*\*more' has no name"),
        (lambda tools: tools.guard(contract="none", identity=["a"])(lambda a, /: a), r"parameter 'a' has no name"),
    ],
)
def test_a_mistake_is_told_before_anything_is_sent(
    client: ToolClient, call: Callable[[ToolClient], Any], told: str
) -> None:
    with pytest.raises(BadInput, match=told):
        call(client)
    assert sent == []
    assert client.reconcile() == []
    assert client.call("refund", order_id="A17").status == "done"


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"that is a folder; name a file in it, such as .*journal\.db"):
        ToolClient(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"the folder .* for the journal cannot be made"):
        ToolClient(tmp_path / "file" / "journal.db")


def test_a_call_that_is_interrupted_is_settled_by_reconcile(client: ToolClient) -> None:
    def slow(order_id: str, idempotency_key: str) -> dict[str, str]:
        first = not sent
        answer = refund(order_id, idempotency_key=idempotency_key)
        if first:
            signal.raise_signal(signal.SIGINT)  # as by Ctrl-C: the request has left
        return answer

    client.add(ToolSpec.of(slow, contract="strict", identity=["order_id"]))
    with pytest.raises(KeyboardInterrupt):
        client.call("slow", order_id="A17")
    (result,) = client.reconcile()
    assert (result.operation, result.status) == ("slow(A17)", "done")
    assert sent[0] == sent[1]
    assert len(sent) == 2
    assert client.reconcile() == []


def test_a_disk_that_is_full_stops_the_request_and_loses_nothing(client: ToolClient, tmp_path: Path) -> None:
    client.call("refund", order_id="A17")
    size = (tmp_path / "new" / "folder" / "journal.db-wal").stat().st_size
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        with pytest.raises(StoreError, match=r"Nothing was sent that is not in it; call reconcile\(\)"):
            client.call("refund", order_id="B92")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert len(sent) == 1
    assert client.call("refund", order_id="B92").status == "done"
    assert client.call("refund", order_id="A17").status == "done"
    assert len(sent) == 2


READ_ONLY = """
import os, sys
from faultlab import ToolClient
ToolClient("other/journal.db").close()  # root may write everything: so not as root, once all is loaded
os.getuid() or (os.setgid(65534), os.setuid(65534))
try:
    ToolClient("journal.db")
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("exists", [True, False])
def test_a_journal_that_may_not_be_written(exists: bool, tmp_path: Path) -> None:
    place, other = tmp_path / "journal.db", tmp_path / "other"
    if exists:
        ToolClient(place).close()
        place.chmod(0o444)
    other.mkdir()
    tmp_path.chmod(0o555)
    try:
        command = [sys.executable, "-c", READ_ONLY]
        told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    finally:
        tmp_path.chmod(0o755)
    assert told.stdout.startswith("StoreError the journal journal.db cannot be used: ")
    assert told.stderr == ""
