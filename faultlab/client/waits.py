"""Waits as tenacity strategies, with a jitter that derives from a seed: tenacity's own cannot be repeated."""

from typing import cast

from tenacity import RetryCallState, wait_exponential
from tenacity.wait import wait_base

from faultlab.core.seed import derive


class wait_seeded_jitter(wait_base):
    """Up to `share` of another strategy's wait on top of it, the same for the same seed and attempt."""

    def __init__(self, inner: wait_base, seed: int, share: float = 0.25) -> None:
        self._inner = inner
        self._seed = seed
        self._share = share

    def __call__(self, retry_state: RetryCallState) -> float:
        drawn = derive(self._seed, retry_state.attempt_number) % 1000 / 1000
        return self._inner(retry_state) * (1 + self._share * drawn)


BACK_OFF = wait_exponential(multiplier=0.5, max=30)
"""Between sends: 0.5, 1, 2, 4 ... 30 s."""

ASK_AGAIN = wait_exponential(multiplier=1, max=60)
"""After a query that gave no answer: 1, 2, 4 ... 60 s."""


class _Attempt:
    """The one field of a RetryCallState that wait strategies of this module read."""

    __slots__ = ("attempt_number",)

    def __init__(self, attempt_number: int) -> None:
        self.attempt_number = attempt_number


def seconds(strategy: wait_base, attempt_number: int) -> float:
    """What a strategy says before attempt `attempt_number + 1`."""
    return float(strategy(cast(RetryCallState, _Attempt(attempt_number))))
