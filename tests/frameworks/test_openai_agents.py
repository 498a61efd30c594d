"""OpenAI Agents SDK with a scripted model: what it tells the model of a lost receipt, and what follows."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from till import Till

from faultlab import Lab


def scripted(turns: list[Callable[[], Any]], heard: list[Any]) -> Any:
    """A model that says its lines, and keeps what it heard."""
    from agents import ModelResponse, Usage
    from agents.models.interface import Model

    class Scripted(Model):
        async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:  # noqa: A002
            heard.append(input)
            return ModelResponse(output=[turns.pop(0)()], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    return Scripted()


def order_a_mug(number: int = 1) -> Any:
    """A model numbers each of its calls anew, also one that means the same."""
    from openai.types.responses import ResponseFunctionToolCall

    arguments, call_id = json.dumps({"item": "mug"}), f"call_{number}"
    return ResponseFunctionToolCall(type="function_call", call_id=call_id, name="place_order", arguments=arguments)


def say_ordered() -> Any:
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    text = ResponseOutputText(type="output_text", text="Ordered.", annotations=[])
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])


@pytest.mark.parametrize(("twin", "orders"), [("committed", 2), ("never", 1), ("late_network", 2)])
def test_the_model_is_told_to_try_again_and_a_model_that_does_orders_twice(twin: str, orders: int) -> None:
    from agents import Agent, RunConfig, Runner, function_tool

    heard: list[Any] = []
    lab, till = Lab(twin=twin).fault("lost_receipt", tool="place_order"), Till()
    model = scripted([order_a_mug, lambda: order_a_mug(2), say_ordered], heard)
    agent = Agent(name="clerk", model=model, tools=[function_tool(lab.wrap(till.place_order))])
    result = lab.run(Runner.run, agent, "Order a mug.", run_config=RunConfig(tracing_disabled=True))
    assert result.final_output == "Ordered."
    told = [
        item["output"] for item in heard[1] if isinstance(item, dict) and item.get("type") == "function_call_output"
    ]
    assert told == ["An error occurred while running the tool. Please try again."]
    assert len(lab.ledger) == len(till.orders) == orders
    assert "FL201" in lab.verdict().codes


def test_a_failure_function_that_says_what_is_known_lets_the_model_stop() -> None:
    """The text is the developer's; the default hides that the outcome is unknown."""
    from agents import Agent, RunConfig, Runner, function_tool

    class NeedsAPerson(Exception):
        pass

    def hand_over(_: Any, error: Exception) -> str:
        raise NeedsAPerson("the order may have been placed") from error

    lab, till = Lab(twin="committed").fault("lost_receipt", tool="place_order"), Till()
    tool = function_tool(lab.wrap(till.place_order), failure_error_function=hand_over)
    agent = Agent(name="clerk", model=scripted([order_a_mug, say_ordered], []), tools=[tool])

    async def ordering() -> Any:
        try:
            return await Runner.run(agent, "Order a mug.", run_config=RunConfig(tracing_disabled=True))
        except Exception as error:
            if isinstance(error, NeedsAPerson) or isinstance(error.__cause__, NeedsAPerson):
                raise NeedsAPerson from error
            raise

    lab.run(ordering, hands_over=NeedsAPerson)
    assert type(lab.raised) is NeedsAPerson
    lab.assert_clean()
    assert till.orders == ["mug"]
