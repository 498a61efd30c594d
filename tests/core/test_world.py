"""The world overlay against plain dicts: what is read, what is put back, and that the start never changes."""

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from faultlab.core.world import FrozenWorld, World

IDS = ("a", "b", "c", "d")
TABLES = {"t": {"a": {"n": 1, "deep": {"list": [1]}}, "b": {"n": 2}}, "u": {}}
rows = st.fixed_dictionaries({"n": st.integers(0, 2)}, optional={"deep": st.just({"list": [3]})})
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("tu"), st.sampled_from(IDS), rows),
        st.tuples(st.just("update"), st.sampled_from("tu"), st.sampled_from(IDS), st.integers(5, 7)),
        st.tuples(st.just("drop"), st.sampled_from("tu"), st.sampled_from(IDS), st.none()),
        st.tuples(st.just("mark"), st.just(""), st.just(""), st.none()),
        st.tuples(st.just("back"), st.just(""), st.just(""), st.none()),
    ),
    max_size=25,
)


def take(world: World, model: dict[str, Any], step: tuple[str, str, str, Any]) -> None:
    kind, table, row_id, value = step
    if kind == "put":
        world.put(table, row_id, value)
        model[table][row_id] = copy.deepcopy(value)
    elif kind == "update":
        if row_id in model[table]:
            world.update(table, row_id, n=value)
            model[table][row_id]["n"] = value
    else:
        world.drop(table, row_id)
        model[table].pop(row_id, None)


@given(steps)
def test_an_overlay_reads_like_a_dict_and_goes_back_like_one(script: list[tuple[str, str, str, Any]]) -> None:
    start = FrozenWorld(TABLES)
    world = World(start)
    model: dict[str, Any] = copy.deepcopy(TABLES)
    marks: list[tuple[int, dict[str, Any]]] = []
    for step in script:
        if step[0] == "mark":
            marks.append((world.enter((1, "", "", 1), None, 1), copy.deepcopy(model)))
        elif step[0] == "back":
            if marks:
                mark, model = marks.pop()
                world.rollback(mark)
        else:
            take(world, model, step)
        for table in "tu":
            for row_id in IDS:
                assert world.get(table, row_id) == model[table].get(row_id)
            assert sorted(map(repr, world.rows(table))) == sorted(map(repr, model[table].values()))
            assert world.rows(table, n=1) == [row for row in world.rows(table) if row["n"] == 1]
    assert start.tables == TABLES
    assert FrozenWorld(TABLES).digest == start.digest


def test_rows_come_in_the_order_of_their_making_also_after_a_change() -> None:
    world = World(FrozenWorld(TABLES))
    world.put("t", "z", {"n": 9})
    world.update("t", "a", n=7)
    world.update("t", "z", n=8)
    assert [row["n"] for row in world.rows("t")] == [7, 2, 8]


def test_nothing_that_is_handed_out_leads_back_into_the_world_or_the_start() -> None:
    start = FrozenWorld(TABLES)
    world = World(start)
    world.update("t", "a", n=5)
    for row in (world.get("t", "a"), world.rows("t")[0]):
        assert row is not None
        row["deep"]["list"].append("changed")
        row["n"] = "changed"
    assert world.get("t", "a") == {"n": 5, "deep": {"list": [1]}}
    assert start.tables == TABLES


def test_two_overlays_of_one_start_do_not_meet() -> None:
    start = FrozenWorld(TABLES)
    one, other = World(start), World(start)
    one.drop("t", "a")
    one.put("t", "b", {"n": 99})
    assert other.get("t", "a") == TABLES["t"]["a"]
    assert other.get("t", "b") == {"n": 2}


def test_the_start_does_not_follow_what_it_was_made_of() -> None:
    given_tables = copy.deepcopy(TABLES)
    start = FrozenWorld(given_tables)
    given_tables["t"]["a"]["n"] = 99
    assert World(start).get("t", "a") == TABLES["t"]["a"]


def test_the_digest_tells_worlds_apart_and_nothing_else() -> None:
    assert FrozenWorld({"t": {"a": {"x": 1, "y": 2}}}).digest == FrozenWorld({"t": {"a": {"y": 2, "x": 1.0}}}).digest
    assert FrozenWorld({"t": {"a": {"x": 1}}}).digest != FrozenWorld({"t": {"a": {"x": "1"}}}).digest


def test_ids_depend_on_seed_operation_and_occurrence_and_never_repeat_within_a_call() -> None:
    def ids(seed: int, occurrence: int) -> list[str]:
        world = World(FrozenWorld({}))
        world.enter((seed, "make", "a", occurrence), None, 1)
        return [world.new_id("x"), world.new_id("x"), world.new_id("x")]

    assert ids(1, 1) == ids(1, 1)
    assert len({*ids(1, 1), *ids(1, 2), *ids(2, 1)}) == 9


def test_a_fact_is_found_by_path_and_missing_ones_are_none() -> None:
    world = World(FrozenWorld(TABLES))
    assert (world.fact("t/a/n"), world.fact("t/b")) == (1, {"n": 2})
    assert (world.fact("t/x/n"), world.fact("x/y"), world.fact("t/a/none")) == (None, None, None)
