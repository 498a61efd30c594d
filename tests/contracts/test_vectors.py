"""Published behaviour of idempotency contracts, as sequences of calls, on the real engine over each transport."""

from typing import Any

import pytest
from contracts.play import TRANSPORTS, VECTORS, Play, Seen

from faultlab.core.refusals import code_in
from faultlab.rules.catalog import CATALOG
from faultlab.rules.judge import judge

CASES = [
    pytest.param(vector, transport, id=f"{vector['id']}-{transport}")
    for vector in VECTORS
    for transport in vector.get("over", TRANSPORTS)
]
BAD = [
    pytest.param(vector, bad, id=f"{vector['id']}-{place}")
    for vector in VECTORS
    for place, bad in enumerate(vector.get("bad", ()), 1)
]
PUBLISHED = {*(f"V{number:02}" for number in range(1, 29)), "V30"}
"""V29 needs a transport that speaks MCP."""


@pytest.mark.parametrize(("vector", "transport"), CASES)
def test_the_server_answers_as_published(vector: dict[str, Any], transport: str) -> None:
    play = Play(vector, transport, vector)
    bodies: list[Any] = []
    for number, (step, seen) in enumerate(play.run(), 1):
        bodies.append(seen.body)
        check(seen, step.get("see", {}), bodies, f"{vector['id']} step {number}: {seen}")
        if "known" in step:
            assert play.known() == step["known"], f"{vector['id']} step {number}"
    assert play.effects == vector["effects"]


def check(seen: Seen, wanted: dict[str, Any], bodies: list[Any], where: str) -> None:
    """Everything that a step says of its answer."""
    assert seen.error == wanted.get("error"), where
    assert seen.status == (None if "error" in wanted else wanted.get("status", 200)), where
    for name, value in wanted.get("headers", {}).items():
        assert seen.headers.get(name) == value, where
    for name in wanted.get("without", ()):
        assert name not in seen.headers, where
    if "code" in wanted:
        assert code_in(seen.body) == wanted["code"], where
    if "same_as" in wanted:
        assert seen.body == bodies[wanted["same_as"] - 1], where
    if "other_than" in wanted:
        assert seen.body != bodies[wanted["other_than"] - 1], where
    for name, value in wanted.get("body", {}).items():
        assert seen.body[name] == value, where


@pytest.mark.parametrize("vector", [item for item in VECTORS if "claim" in item], ids=lambda vector: vector["id"])
def test_who_does_as_the_vector_says_is_not_charged(vector: dict[str, Any]) -> None:
    play = Play(vector, vector.get("over", TRANSPORTS)[0], vector)
    list(play.run())
    found = judge(play.history()).findings
    assert [item for item in found if item.severity != "note"] == []


@pytest.mark.parametrize(("vector", "bad"), BAD)
def test_the_bad_move_is_flagged(vector: dict[str, Any], bad: dict[str, Any]) -> None:
    play = Play(vector, vector.get("over", TRANSPORTS)[0], bad)
    list(play.run())
    found = {item.code for item in judge(play.history()).findings if item.severity != "note"}
    assert set(bad["codes"]) <= found, bad["what"]
    assert set(bad["codes"]) <= set(CATALOG)


def test_every_published_vector_is_here_and_cites_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    names = [vector["id"] for vector in VECTORS]
    assert len(names) == len(set(names))
    assert {name[:3] for name in names} >= PUBLISHED
    for vector in VECTORS:
        assert vector["source"].startswith(("https://", "RFC ", "draft-")), vector["id"]
    with capsys.disabled():
        print(
            f" {len(names)} vectors, {len(CASES)} plays over {len(TRANSPORTS)} transports, {len(BAD)} bad moves ",
            end="",
        )
