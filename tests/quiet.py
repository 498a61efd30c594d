"""Calls of the shop that declare to tell of a lost one, and any calls that a caller may make meanwhile."""

from typing import Any

from hypothesis import strategies as st
from labs import Step

from faultlab.core.canonical import identity_of
from faultlab.toolsets.shop import SHOP

KEY, REFERENCE = "k-lost", "r-lost"


def tells(step: Step, lost: Step) -> bool:
    """Whether a call declares that it tells about the effect of `lost`."""
    tool = SHOP.tools.get(step.tool)
    victim = SHOP.tools[lost.tool]
    if tool is None:  # a status query or a fence
        return step.args["reference"] in (lost.key, lost.reference)
    if step.key == lost.key:
        return True
    about = lost.tool in tool.reveals or tool.reverses == lost.tool or (tool is victim and victim.reverses is not None)
    # Asked about everything, or about this very effect.
    asked = all(name in step.args for name in victim.identity)
    own = not asked or identity_of(victim.identity, step.args) == identity_of(victim.identity, lost.args)
    return about and own


def steps(contract: str) -> st.SearchStrategy[Step]:
    """Any call of the shop, by a caller with any patience that waits any time before it."""
    orders = st.sampled_from(["A17", "B92", "Z00"])
    people = st.sampled_from(["C1", "C2", "C9"])
    items = st.sampled_from(["mug", "cup"])
    amounts = st.sampled_from(["40.00", "9.00", "99.00", "-1"])
    args: dict[str, dict[str, Any]] = {
        "get_order": {"order_id": orders},
        "list_refunds": {"order_id": orders},
        "list_orders": {"customer": people, "item": items},
        "get_balance": {"account": people},
        "refund_order": {"order_id": orders, "amount": amounts},
        "reverse_refund": {"order_id": orders, "amount": amounts},
        "place_order": {"customer": people, "item": items, "quantity": st.integers(0, 2)},
    }
    handles = st.sampled_from([None, KEY, REFERENCE, "k-2", "k-3"])
    if contract == "status":
        args["operation_status"] = {"reference": handles.filter(lambda handle: handle is not None)}

    def step(tool: str) -> st.SearchStrategy[Step]:
        writes = tool in SHOP.tools and SHOP.tools[tool].kind == "write"
        return st.builds(
            Step,
            st.just(tool),
            st.fixed_dictionaries(args[tool]),
            key=handles if writes else st.none(),
            reference=handles if writes else st.none(),
            timeout_s=st.sampled_from([0.01, 1.0, 5.0]),
            rest_s=st.sampled_from([0.0, 0.3, 30.0, 650.0]),
        )

    return st.sampled_from(sorted(args)).flatmap(step)
