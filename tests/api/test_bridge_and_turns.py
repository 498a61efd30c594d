"""The bridge between waiting and awaiting, and the lock that lets go while anybody waits."""

import asyncio
import contextvars
import threading

import pytest

from faultlab.api.bridge import await_here, bridged, in_bridge, started
from faultlab.api.portal import Portal
from faultlab.api.turns import Turns

variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="outside")


async def later(value: str, wait_s: float = 0.0) -> str:
    await asyncio.sleep(wait_s)
    return value


def test_a_function_awaits_on_the_callers_loop() -> None:
    def function(first: str) -> list[object]:
        assert in_bridge()
        loops = [asyncio.get_running_loop()]
        return [first, await_here(later("b")), await_here(later("c")), loops == [asyncio.get_running_loop()]]

    async def main() -> list[object]:
        assert not in_bridge()
        return await bridged(function, "a")

    assert asyncio.run(main()) == ["a", "b", "c", True]


def test_exceptions_cross_in_both_directions() -> None:
    async def fails() -> None:
        raise ValueError("below")

    def function() -> None:
        try:
            await_here(fails())
        except ValueError as error:
            raise KeyError("above") from error

    async def main() -> None:
        await bridged(function)

    with pytest.raises(KeyError, match="above") as told:
        asyncio.run(main())
    assert str(told.value.__cause__) == "below"


def test_a_cancellation_reaches_the_function() -> None:
    seen: list[str] = []

    def function() -> None:
        try:
            await_here(later("never", 60))
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def main() -> None:
        task = asyncio.create_task(bridged(function))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["cancelled"]


def test_context_variables_are_the_callers() -> None:
    def function() -> list[str]:
        return [variable.get(), await_here(later("x")), variable.get()]

    async def main() -> list[str]:
        variable.set("inside")
        return await bridged(function)

    assert asyncio.run(main()) == ["inside", "x", "inside"]


def test_what_was_started_goes_on_when_its_starter_has_ended() -> None:
    done: list[str] = []

    def work() -> None:
        done.append(await_here(later("work", 0.01)))

    def starter() -> "asyncio.Future[None]":
        return started(work)

    async def main() -> None:
        future = await bridged(starter)
        assert done == []
        await future

    asyncio.run(main())
    assert done == ["work"]


def test_what_never_waits_is_done_at_once() -> None:
    async def main() -> bool:
        return await bridged(lambda: started(lambda: 3).done())

    assert asyncio.run(main())


def test_tasks_of_one_loop_and_threads_take_turns() -> None:
    turns, inside, most = Turns(), 0, 0

    def book() -> None:
        nonlocal inside, most
        with turns:
            inside += 1
            most = max(most, inside)
            inside -= 1
            if in_bridge():
                turns.apart(lambda: await_here(later("x")))
            inside += 1
            most = max(most, inside)
            inside -= 1

    async def main() -> None:
        await asyncio.gather(*(bridged(book) for _ in range(20)))

    threads = [threading.Thread(target=lambda: [book() for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    asyncio.run(main())
    for thread in threads:
        thread.join()
    assert most == 1
    with turns:
        assert turns.apart(lambda: 1) == 1


def test_the_portal_runs_what_it_is_given_in_its_own_thread() -> None:
    portal = Portal()

    async def where() -> str:
        return threading.current_thread().name

    assert [portal.run(where()) for _ in range(2)] == ["faultlab-app"] * 2

    async def fails() -> None:
        raise ValueError("there")

    with pytest.raises(ValueError, match="there"):
        portal.run(fails())
