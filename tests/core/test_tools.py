"""The tool decorator: JSON Schema from a signature, and declarations that cannot be meant."""

from typing import Any, Literal, Optional

import pytest
from jsonschema import Draft202012Validator

from faultlab.core.errors import BadInput
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.tools import Toolset, tool
from faultlab.core.world import World
from faultlab.toolsets.shop import SHOP


def every(
    world: World,
    text: str,
    count: int,
    share: float,
    sure: bool,
    names: list[str],
    free: dict[str, Any],
    kind: Literal["a", "b"],
    maybe: int | None = None,
    old: Optional[str] = "x",  # noqa: UP045 - users still write it
) -> dict[str, Any]:
    """Take one of each."""
    return {}


GOOD = {"text": "t", "count": 1, "share": 0.5, "sure": True, "names": ["n"], "free": {"x": 1}, "kind": "a"}


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        ({}, True),
        ({"maybe": None, "old": None}, True),
        ({"maybe": 3, "old": "y", "share": 1}, True),
        ({"text": 1}, False),
        ({"count": 1.5}, False),
        ({"sure": "yes"}, False),
        ({"names": [1]}, False),
        ({"free": []}, False),
        ({"kind": "c"}, False),
        ({"maybe": "3"}, False),
        ({"more": 1}, False),
    ],
)
def test_the_schema_accepts_what_the_annotations_say(change: dict[str, Any], fits: bool) -> None:
    schema = tool(writes=True, identity=["text"])(every).schema
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid({**GOOD, **change}) == fits


def test_parameters_without_a_default_are_required_and_the_world_is_none_of_them() -> None:
    made = tool(writes=True, identity=["text"])(every)
    assert made.schema["required"] == list(GOOD)
    assert made.arguments == (*GOOD, "maybe", "old")
    assert (made.name, made.kind, made.description) == ("every", "write", "Take one of each.")


def untyped(world: World, order_id) -> dict[str, Any]:  # type: ignore[no-untyped-def]
    """An argument without an annotation."""
    return {}


def sets(world: World, order_ids: set[str]) -> dict[str, Any]:
    """An argument that JSON does not have."""
    return {}


def plain(world: World, order_id: str) -> dict[str, Any]:
    """One argument."""
    return {}


@pytest.mark.parametrize(
    ("function", "declared", "says"),
    [
        (plain, {"writes": True}, ["plain", "identity"]),
        (plain, {"writes": True, "identity": ["order"]}, ["plain", "'order'"]),
        (plain, {"writes": True, "identity": ["order_id"], "reveals": {"plain": None}}, ["plain", "writes or reveals"]),
        (plain, {"versioned": "orders/order"}, ["plain", "'orders/order'", "TABLE/PARAMETER"]),
        (plain, {"revised": "orders"}, ["plain", "'orders/'", "TABLE/PARAMETER"]),
        (plain, {"scope": "region"}, ["plain", "'region'"]),
        (plain, {"writes": True, "identity": ["order_id"], "scope": "order_id"}, ["plain", "name it once"]),
        (plain, {"writes": True, "identity": ["order_id"], "items": "order_id"}, ["plain", "is a list"]),
        (plain, {"writes": True, "identity": ["order_id"], "needs_approval": True}, ["plain", "'approval'"]),
        (plain, {"writes": True, "identity": ["order_id"], "depends_on": ["total"]}, ["plain", "versioned="]),
        (plain, {"writes": True, "identity": ["order_id"], "retryable": True}, ["plain", "provisional"]),
        (plain, {"poll_s": 0}, ["plain", "above 0"]),
        (untyped, {}, ["untyped(order_id)", "annotate"]),
        (sets, {}, ["sets(order_ids)", "list"]),
    ],
)
def test_a_declaration_that_cannot_be_meant_is_refused(
    function: Any, declared: dict[str, Any], says: list[str]
) -> None:
    with pytest.raises(BadInput) as raised:
        tool(**declared)(function)
    for word in says:
        assert word in str(raised.value)


def test_a_toolset_names_its_own_mistakes() -> None:
    write = tool(writes=True, identity=["order_id"])(plain)
    with pytest.raises(BadInput, match="two tools have one name"):
        Toolset.of("mine", write, write)
    read = tool(reveals={"refund": lambda body: []})(every)
    with pytest.raises(BadInput, match=r"every names 'refund'.*not a write tool"):
        Toolset.of("mine", write, read)
    undo = tool(writes=True, identity=["text"], reverses="pay")(every)
    with pytest.raises(BadInput, match="every names 'pay'"):
        Toolset.of("mine", write, undo)
    round_it = tool(writes=True, identity=["text"], equivalent_to="pay")(every)
    with pytest.raises(BadInput, match="every names 'pay'"):
        Toolset.of("mine", write, round_it)


def batch(world: World, region: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """A list of lines, somewhere."""
    return {"items": []}


def test_a_call_says_which_effects_it_means_and_where() -> None:
    made = tool(writes=True, identity=["event", "email"], items="lines", scope="region")(batch)
    args = {"region": "r1", "event": "E1", "lines": [{"email": "a"}, {"email": "b", "event": "E2"}]}
    assert made.meant(args) == ("E1, a; E2, b", ("E1, a", "E2, b"))
    assert made.place(args) == "r1"
    assert made.meant({"lines": "none"}) == ("", ())
    assert made.place({}) is None
    single = tool(writes=True, identity=["order_id"])(plain)
    assert single.meant({"order_id": "A17"}) == ("A17", ())
    assert single.place({"order_id": "A17"}) is None


def test_what_a_write_declares_is_told_as_data_and_in_words() -> None:
    spec = tool(
        writes=True, identity=["text"], items="names", scope="kind", provisional=True, retryable=True, poll_s=9
    )(every).spec(PROFILES["none"])
    assert {name: spec[name] for name in ("items", "scope", "provisional", "retryable", "poll_s")} == {
        "items": "names",
        "scope": "kind",
        "provisional": True,
        "retryable": True,
        "poll_s": 9,
    }
    for word in ("kind says where", "207", "promise", "asked for again"):
        assert word in spec["description"]
    silent = tool(writes=True, identity=["order_id"])(plain).spec(PROFILES["none"])
    assert not {"items", "scope", "versioned", "equivalent_to", "depends_on", "needs_approval"} & set(silent)


@pytest.mark.parametrize("contract", sorted(PROFILES))
@pytest.mark.parametrize("name", sorted(SHOP.tools))
def test_every_specification_is_a_schema_that_takes_the_documented_call(name: str, contract: str) -> None:
    spec = SHOP.tools[name].spec(PROFILES[contract])
    Draft202012Validator.check_schema(spec["parameters"])
    given = {"order_id": "A17", "amount": "1", "customer": "C5", "item": "mug", "quantity": 1, "account": "C5"}
    call = {field: given[field] for field in SHOP.tools[name].arguments}
    if spec["kind"] == "write":
        call |= {"reference": "r1"}
        call |= {"idempotency_key": "k1"} if PROFILES[contract].key else {}
    assert Draft202012Validator(spec["parameters"]).is_valid(call)


def test_key_and_reference_are_parameters_where_the_contract_says_so() -> None:
    def required(contract: Any) -> tuple[bool, list[str]]:
        parameters = SHOP.tools["refund_order"].spec(contract)["parameters"]
        return "idempotency_key" in parameters["properties"], parameters["required"][2:]

    assert required(PROFILES["none"]) == (False, [])
    assert required(PROFILES["status"]) == (False, ["reference"])
    assert required(PROFILES["fence"]) == (False, ["reference"])
    assert required(PROFILES["strict"]) == (True, [])
    assert required(contract_of("x", {"profile": "strict", "key": {"required": True}})) == (True, ["idempotency_key"])
