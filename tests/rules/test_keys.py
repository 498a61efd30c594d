"""Keys on the real engine: one key for what differs, and a key that the server had kept with a refusal."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import pytest

from faultlab.core.agent import ToolError
from faultlab.core.records import Claim
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.loader import load_inline
from faultlab.matrix.scenario import CLEAN
from faultlab.rules.judge import judge

Send = tuple[str, str, Mapping[str, Any]]
"""Tool, key, arguments."""
REFUND = {"order_id": "A17", "amount": "40.00"}
OTHER = {"order_id": "B92", "amount": "9.00"}
MUG = {"customer": "C5", "item": "mug", "quantity": 1}


def codes(contract: Any, *sends: Send) -> set[str]:
    """What is charged for these sends."""
    scenario = {
        "id": "keys",
        "suite": "boundary",
        "task": "Refund A17 and B92, and order a mug.",
        "toolset": "shop",
        "world": {"orders": {"A17": {"status": "paid", "total": "40.00"}, "B92": {"status": "paid", "total": "9.00"}}},
        "contracts": [contract],
        "expect": {
            "effects": [
                {"tool": "refund_order", "identity": {"order_id": "A17"}},
                {"tool": "refund_order", "identity": {"order_id": "B92"}},
                {"tool": "place_order", "identity": {"customer": "C5", "item": "mug"}},
            ]
        },
    }
    history, _ = run_attempt(sender(sends), load_inline(scenario).groups()[0], CLEAN, 0, Conditions(1))
    return set(judge(history).codes) & {"FL302", "FL306"}


def sender(sends: tuple[Send, ...]) -> Callable[[Any, Any], Claim]:
    def run(task: Any, env: Any) -> Claim:
        for tool, key, args in sends:
            with suppress(ToolError):
                env.tools[tool](**args, idempotency_key=key)
        return Claim("handed_over")

    return run


@pytest.mark.parametrize(
    ("contract", "expected"),
    [("strict", {"FL306"}), ("stripe_v1", {"FL306"}), ("stripe_v2", set()), ("powertools", set())],
)
def test_one_key_for_two_tools_where_a_key_counts_once(contract: str, expected: set[str]) -> None:
    assert codes(contract, ("refund_order", "k", REFUND), ("place_order", "k", MUG)) == expected


@pytest.mark.parametrize("contract", ["strict", "stripe_v2", "powertools", "aip155"])
def test_one_key_for_two_orders_of_one_tool(contract: str) -> None:
    """Also where the server compares nothing, and answers the second with the result of the first."""
    assert codes(contract, ("refund_order", "k", REFUND), ("refund_order", "k", OTHER)) == {"FL306"}


def test_keys_of_their_own_are_not_charged() -> None:
    each: list[Send] = [("refund_order", "k1", REFUND), ("refund_order", "k2", OTHER), ("place_order", "k3", MUG)]
    assert codes("strict", *each) == set()
    assert codes("strict", ("refund_order", "k1", REFUND), ("refund_order", "k1", REFUND)) == set()


@pytest.mark.parametrize(("contract", "expected"), [("stripe_v1", {"FL302"}), ("strict", {"FL302"}), ("ec2", set())])
def test_a_corrected_request_under_the_key_of_a_refusal_that_was_kept(contract: str, expected: set[str]) -> None:
    too_much = {**REFUND, "amount": "99.00"}
    assert codes(contract, ("refund_order", "k", too_much), ("refund_order", "k", REFUND)) == expected
    assert codes(contract, ("refund_order", "k", too_much), ("refund_order", "k2", REFUND)) == set()
    # Refused before execution nothing is kept: the corrected one may bear the same key.
    for wrong in ({**REFUND, "amount": 40}, {**REFUND, "order_id": 7}):
        assert codes(contract, ("refund_order", "k", wrong), ("refund_order", "k", REFUND)) == set()


def test_a_key_for_other_parameters_is_charged_where_the_server_does_not_compare_them() -> None:
    less = {**REFUND, "amount": "10.00"}
    assert codes("powertools", ("refund_order", "k", REFUND), ("refund_order", "k", less)) == {"FL302"}
