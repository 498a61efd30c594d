"""Waits grow, stay near their strategy, and are the same for the same seed."""

import pytest

from faultlab.client.waits import ASK_AGAIN, BACK_OFF, seconds, wait_seeded_jitter

PLAIN = [0.5, 1, 2, 4, 8, 16, 30, 30]


def test_the_strategies_without_jitter() -> None:
    assert [seconds(BACK_OFF, number) for number in range(1, 9)] == PLAIN
    assert [seconds(ASK_AGAIN, number) for number in range(1, 9)] == [1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize("seed", range(40))
def test_jitter_lengthens_a_wait_by_a_quarter_at_most_and_never_breaks_the_growth(seed: int) -> None:
    waits = [seconds(wait_seeded_jitter(BACK_OFF, seed), number) for number in range(1, 9)]
    assert all(plain <= wait <= 1.25 * plain for plain, wait in zip(PLAIN, waits, strict=True))
    assert waits[:7] == sorted(set(waits[:7]))


def test_jitter_follows_its_seed() -> None:
    def drawn(seed: int) -> list[float]:
        return [seconds(wait_seeded_jitter(BACK_OFF, seed), number) for number in range(1, 5)]

    assert drawn(1) == drawn(1)
    assert len({tuple(drawn(seed)) for seed in range(20)}) == 20
