"""Pydantic AI with a scripted model: parallel tool calls, one of which fails."""

import asyncio
from typing import Any

import pytest
from till import Till

from faultlab import Lab


@pytest.mark.parametrize("clock", ["virtual", "real"])
def test_a_failing_sibling_cancels_a_call_after_its_effect(clock: str) -> None:
    """The order is in the books, and all that the caller of the agent hears of is the other tool."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    till, lab = Till(), Lab(twin="clean", clock=clock)

    async def place_order(item: str) -> str:
        """Order one item."""
        answer = till.place_order(item)
        await asyncio.sleep(0.2)
        return answer

    async def check_stock(item: str) -> str:
        """Look whether an item is there."""
        raise ConnectionError("the stock service is down")

    async def model(_: Any, __: AgentInfo) -> ModelResponse:
        parts = [ToolCallPart(name, {"item": "mug"}) for name in ("place_order", "check_stock")]
        return ModelResponse(parts=parts)

    agent = Agent(FunctionModel(model), tools=[lab.wrap(place_order), lab.wrap(check_stock, writes=False)])
    assert lab.run(agent.run, "Order a mug.") is None
    assert str(lab.raised) == "the stock service is down"
    assert till.orders == ["mug"]
    assert [effect.tool for effect in lab.ledger] == ["place_order"]
    receipts = [getattr(event, "error", None) for event in lab.history.events]
    assert "CancelledError" in receipts
    assert lab.verdict().codes == ("FL204",)


def test_a_lost_receipt_comes_out_as_it_is() -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    till, lab = Till(), Lab(twin="committed").fault("lost_receipt", tool="place_order")

    async def model(_: Any, __: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart("place_order", {"item": "mug"})])

    async def place_order(item: str) -> str:
        """Order one item."""
        return till.place_order(item)

    agent = Agent(FunctionModel(model), tools=[lab.wrap(place_order)])
    lab.run(agent.run, "Order a mug.", hands_over=TimeoutError)
    assert till.orders == ["mug"]
    lab.assert_clean()
