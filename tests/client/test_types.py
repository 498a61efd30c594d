"""The documented uses of `guard` check under mypy --strict, and what a guarded function returns is known."""

import subprocess
import sys
from pathlib import Path

import pytest

USES = """
from faultlab import ToolClient
from faultlab.client.result import NotDone, OutcomeUnknown

tools = ToolClient("journal.db", run="ticket-4711")


@tools.guard(contract="stripe_v1", identity=["order_id"])
def refund(order_id: str, amount: str, idempotency_key: str) -> dict[str, str]:
    return {"order_id": order_id, "amount": amount, "key": idempotency_key}


@tools.guard(contract="stripe_v1", identity=["order_id"])
async def arefund(order_id: str, idempotency_key: str, reference: str) -> int:
    return 1


async def main() -> None:
    try:
        reveal_type(refund(order_id="A17", amount="40.00"))
        refund("A17", "40.00", operation="line-2")
        reveal_type(await arefund("A17", operation="line-2"))
    except (NotDone, OutcomeUnknown) as error:
        print(error.result.for_model(), refund.__name__)
    tools.call(refund, order_id="A17", amount="40.00")
"""


@pytest.mark.slow
def test_the_documented_uses_are_typed(tmp_path: Path) -> None:
    (tmp_path / "uses.py").write_text(USES, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "uses.py"]
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout
    assert "error:" not in told and "Success" in told, told
    assert 'Revealed type is "dict[str, str]"' in told.replace("builtins.", "")
    assert 'Revealed type is "int"' in told.replace("builtins.", "")
