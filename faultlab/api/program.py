"""What a lab is given to run, and what came of calling it: mistakes of a test's author, which are nobody's claim."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any

from faultlab.core.errors import BadInput
from faultlab.transports.begin import in_trio

INSTEAD = "give the function and then its arguments: lab.run(refund, client)"


def start_of(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Callable[[], Any]:
    """The call that a lab makes. Raises BadInput for what cannot be called, now or, with wrong arguments, then."""
    if inspect.iscoroutine(function):
        function.close()
        raise BadInput(f"lab.run was given the coroutine {function.__name__}(...), already called: {INSTEAD}")
    if not callable(function):
        raise BadInput(f"lab.run was given {function!r}, which cannot be called: {INSTEAD}")

    def start() -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            _check_arguments(function, args, kwargs, error)
            raise

    return start


def _check_arguments(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], error: TypeError) -> None:
    """Raises BadInput where they do not fit: the function then never began. A TypeError of its own says something."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # written in C: it does not say what it takes
    try:
        signature.bind(*args, **kwargs)
    except TypeError as misfit:
        raise BadInput(
            f"lab.run({getattr(function, '__name__', function)}, ...): {misfit}; it takes {signature}: {INSTEAD}"
        ) from error


def awaited_or_not(value: Any) -> Any:
    """The value of a call; one that is to be awaited as a coroutine. Raises BadInput for one that nobody goes through
    or that cannot be awaited here."""
    if inspect.isawaitable(value):
        return _coroutine_of(value)
    if inspect.isgenerator(value) or inspect.isasyncgen(value):
        raise BadInput(
            f"lab.run: {value.__name__} is a generator, of which nothing has run yet:"
            " give a function that goes through it, as lambda: list(...)"
        )
    return value


def _coroutine_of(value: Awaitable[Any]) -> Coroutine[Any, Any, Any]:
    if asyncio.isfuture(value) and value.get_loop() is not asyncio._get_running_loop():
        value.cancel()
        raise BadInput(
            f"lab.run: the function returned a {type(value).__name__} of an event loop that does not run:"
            " give a coroutine function that makes it and awaits it"
        )
    main = value if inspect.iscoroutine(value) else _result_of(value)
    if in_trio():
        main.close()
        raise BadInput(
            "lab.run: a coroutine would run under trio here, and the lab knows asyncio only: run this test under"
            ' asyncio (with anyio: a fixture anyio_backend that returns "asyncio")'
        )
    return main


async def _result_of(value: Awaitable[Any]) -> Any:
    return await value
