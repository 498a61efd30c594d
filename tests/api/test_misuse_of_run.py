"""Mistakes of a test's author in `lab.run` come out as BadInput that says what to write, and are nobody's claim."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from functools import partial, wraps
from types import SimpleNamespace
from typing import Any

import pytest

from faultlab import Lab
from faultlab.core.errors import BadInput


def refund(order: str, amount: int = 1) -> str:
    return order * amount


async def arefund(order: str) -> str:
    await asyncio.sleep(0)
    return order


def steps() -> Iterator[int]:
    yield 1


async def asteps() -> AsyncIterator[int]:
    yield 1


@wraps(refund)
def retried(*args: Any, **kwargs: Any) -> str:
    return refund(*args, **kwargs)


class Later:
    """An awaitable that is no coroutine."""

    def __await__(self) -> Generator[Any, None, str]:
        yield from asyncio.sleep(30).__await__()
        return "A17"


def mistaken(*args: Any, **kwargs: Any) -> str:
    """What BadInput says; no claim is made of it."""
    lab = Lab()
    with pytest.raises(BadInput) as caught:
        lab.run(*args, **kwargs)
    assert lab.history.claim is None
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            (3,),
            "was given 3, which cannot be called: give the function and then its arguments: lab.run(refund, client)",
        ),
        ((None,), "was given None, which cannot be called"),
        (
            (refund,),
            "lab.run(refund, ...): missing a required argument: 'order'; it takes (order: str, amount: int = 1)",
        ),
        ((refund, "A17", 1, 2), "too many positional arguments"),
        ((retried,), "missing a required argument: 'order'"),
        ((partial(refund, amount=2),), "missing a required argument: 'order'"),
        ((arefund,), "missing a required argument: 'order'"),
        ((steps,), "lab.run: steps is a generator, of which nothing has run yet: give a function that goes through it"),
        ((asteps,), "asteps is a generator"),
        ((lambda: (_ for _ in "A"),), "<genexpr> is a generator"),
    ],
)
def test_what_is_no_call_of_a_function(given: tuple[Any, ...], said: str) -> None:
    assert said in mistaken(*given)


def test_a_coroutine_that_was_called_already() -> None:
    assert "was given the coroutine arefund(...), already called: give the function" in mistaken(arefund("A17"))


def test_a_type_error_of_the_function_itself_is_a_claim() -> None:
    def wrong(order: str) -> str:
        return str(order + 1)  # type: ignore[operator]

    lab = Lab()
    lab.run(wrong, "A17")
    assert type(lab.raised) is TypeError
    assert lab.history.claim is not None and lab.history.claim.status == "not_done"


@pytest.mark.parametrize("hands_over", [[KeyError], "KeyError", (KeyError, 3), int, None])
def test_hands_over_is_a_class_or_a_tuple(hands_over: Any) -> None:
    assert "give one (hands_over=NeedsAPerson) or a tuple" in mistaken(refund, "A17", hands_over=hands_over)


def test_anything_that_can_be_awaited_is() -> None:
    lab = Lab()
    assert lab.run(Later) == "A17"
    assert lab.history.claim is not None and lab.history.claim.t == 30 * 10**9

    async def main() -> list[str]:
        found: Awaitable[list[str]] = Lab().run(lambda: asyncio.gather(arefund("A17"), arefund("B92")))
        return await found

    assert asyncio.run(main()) == ["A17", "B92"]


def test_a_future_of_a_loop_that_does_not_run() -> None:
    loop = asyncio.new_event_loop()
    assert "returned a Future of an event loop that does not run: give a coroutine function" in mistaken(
        loop.create_future
    )
    loop.close()


async def sleeping() -> None:
    time.sleep(5)  # noqa: ASYNC251  the mistake


async def in_a_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(sleeping())


async def handing_over() -> None:
    try:
        await sleeping()
    except RuntimeError as error:
        raise KeyError("unknown") from error


@pytest.mark.parametrize("function", [sleeping, in_a_group, handing_over])
def test_a_coroutine_that_blocks_its_loop(function: Callable[[], Awaitable[None]]) -> None:
    said = mistaken(function, hands_over=KeyError)
    assert "sleep(5) blocks the event loop" in said and "await asyncio.sleep(5) instead" in said


def test_under_trio_a_coroutine_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trio", SimpleNamespace(lowlevel=SimpleNamespace(current_task=object)))
    said = mistaken(arefund, "A17")
    assert "a coroutine would run under trio here, and the lab knows asyncio only: run this test under asyncio" in said
    assert Lab().run(refund, "A17") == "A17"
