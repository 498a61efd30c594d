"""Real processes, killed by SIGKILL at a step of theirs: `kill_points.py` takes all points, this a sample of them."""

import pytest
from client.crash_scenes import SCENES
from client.kill_points import CALLER_STEPS, SERVER_STEPS, points, prove

STRIDE = 17
"""Takes every step of both processes, every scene and every contract (the test looks)."""


@pytest.mark.slow
def test_no_kill_is_one_too_many() -> None:
    sample = list(points())[::STRIDE]
    assert {point.caller.step for point in sample} == {*CALLER_STEPS, ""}
    assert {point.server.step for point in sample} == {*SERVER_STEPS, ""}
    assert prove(sample).total() == len(sample)


def test_every_scene_and_contract_has_its_points() -> None:
    seen = {(point.scene, point.contract, point.kind) for point in points()}
    pairs = {pair[:2] for pair in seen}
    assert len(seen) == 2 * len(pairs) + 3
    assert {scene for scene, _ in pairs} == set(SCENES)
