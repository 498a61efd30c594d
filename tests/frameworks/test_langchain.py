"""LangChain and LangGraph with a scripted model: what their retries do to a lost receipt."""

from collections.abc import Iterator
from typing import Any, TypedDict

import httpx
import pytest
from till import Till, always_lost

from faultlab import Lab


def scripted(*turns: Any) -> Any:
    """A chat model that says its lines."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

    return Scripted(messages=iter(turns))


def order_a_mug(number: int = 1) -> Any:
    from langchain_core.messages import AIMessage

    return AIMessage("", tool_calls=[{"name": "place_order", "args": {"item": "mug"}, "id": f"call_{number}"}])


def agent_of(lab: Lab, till: Till, turns: Iterator[Any], **options: Any) -> Any:
    from langchain.agents import create_agent
    from langchain_core.tools import tool

    return create_agent(scripted(*turns), tools=[tool(lab.wrap(till.place_order))], **options)


def last_tool_message(answer: Any) -> str:
    return next(str(item.content) for item in reversed(answer["messages"]) if item.type == "tool")


@pytest.mark.parametrize(("twin", "orders"), [("committed", 3), ("never", 0), ("late_network", 3)])
def test_the_retry_middleware_with_its_defaults_makes_three_orders_of_one_tool_call(twin: str, orders: int) -> None:
    from langchain.agents.middleware import ToolRetryMiddleware

    lab, till = always_lost(twin=twin), Till()
    agent = agent_of(lab, till, iter([order_a_mug(), "It could not be ordered."]), middleware=[ToolRetryMiddleware()])
    answer = lab.run(agent.ainvoke, {"messages": ["Order a mug."]})
    assert len(lab.ledger) == len(till.orders) == orders
    assert "FL201" in lab.verdict().codes
    assert ("FL101" in lab.verdict().codes) is (orders > 1)
    assert last_tool_message(answer).endswith("timed out. Please try again.")


def test_the_same_through_the_synchronous_entrance() -> None:
    """Tools run in threads there; the waits of the middleware are set to nothing, for they are real."""
    from langchain.agents.middleware import ToolRetryMiddleware

    lab, till = always_lost(), Till()
    middleware = [ToolRetryMiddleware(initial_delay=0.0)]
    lab.run(agent_of(lab, till, iter([order_a_mug(), "No."]), middleware=middleware).invoke, {"messages": ["A mug."]})
    assert till.orders == ["mug"] * 3


def test_without_the_middleware_the_exception_comes_out_of_the_agent() -> None:
    lab, till = always_lost(), Till()
    lab.run(agent_of(lab, till, iter([order_a_mug(), "No."])).ainvoke, {"messages": ["A mug."]})
    assert type(lab.raised) is TimeoutError
    assert till.orders == ["mug"]
    assert lab.verdict().codes == ("FL204",)


class State(TypedDict):
    item: str
    receipt: str


def read_timeout() -> Exception:
    return httpx.ReadTimeout("timed out")


@pytest.mark.parametrize(
    ("symptom", "raises", "orders"),
    [("reset", None, 3), ("timeout", read_timeout, 3), ("timeout", None, 1)],
    ids=["ConnectionResetError", "httpx.ReadTimeout", "TimeoutError"],
)
def test_the_retry_policy_with_its_defaults(symptom: str, raises: Any, orders: int) -> None:
    """It tries three times what it takes for a connection's fault; a built-in TimeoutError is an OSError to it."""
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import RetryPolicy

    lab, till = always_lost(symptom, raises=raises), Till()
    order = lab.wrap(till.place_order)

    async def node(state: State) -> dict[str, str]:
        return {"receipt": order(state["item"])}

    graph = StateGraph(State)
    graph.add_node("order", node, retry_policy=RetryPolicy())
    graph.add_edge(START, "order")
    graph.add_edge("order", END)
    lab.run(graph.compile().ainvoke, {"item": "mug"})
    assert till.orders == ["mug"] * orders
    assert ("FL101" in lab.verdict().codes) is (orders > 1)
