"""Every exception of the package survives pickle and deepcopy with its text and all its attributes."""

import copy
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import pytest

from faultlab import ToolError
from faultlab.client.result import Evidence, NotDone, OutcomeUnknown, Result
from faultlab.core.agent import Answer
from faultlab.core.records import HandOver, Outcome, Receipt
from faultlab.core.tools import Refused

RECEIPT = Receipt(3, 50, Outcome.UNKNOWN, 503, Answer({"detail": "busy"}, {"age": "3"}), {"retry-after": "1"})
RECORD = HandOver("refund(A17)", "key-1", "sha", "", 0, "ReadTimeout", (2,))
EVIDENCE = Evidence(1, "refund", "2026-01-01T00:00:00Z", "key-1", None, Outcome.UNKNOWN, "ReadTimeout", False)
RESULT = Result("refund(A17)", "handed_over", Outcome.UNKNOWN, {"id": 1}, (EVIDENCE,), RECORD, why="ReadTimeout")
MADE: dict[str, Callable[[], BaseException]] = {
    "ToolError": lambda: ToolError("refund", Outcome.UNKNOWN, RECEIPT),
    "NotDone": lambda: NotDone(Result("refund(A17)", "not_done", Outcome.NOT_APPLIED)),
    "OutcomeUnknown": lambda: OutcomeUnknown(RESULT),
    "Refused": lambda: Refused(409, "busy", "try later"),
}
"""Those that take more than a text."""
INSIDE = {
    "HeaderMissing",  # inside of the tool client
    "HttpAnswer",  # the client's own: caught where it is raised
    "Missing",  # the shipped agents' own: becomes their claim
    "NotLeft",  # inside of the tool client
    "Unfit",  # of `faultlab serve`: becomes the answer 422
}


def exceptions() -> Iterator[type[BaseException]]:
    import faultlab

    root = Path(faultlab.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if "scenarios" in path.parts or path.name == "__main__.py":
            continue
        module = import_module(".".join(("faultlab", *path.relative_to(root).with_suffix("").parts)))
        for found in vars(module).values():
            if isinstance(found, type) and issubclass(found, BaseException) and found.__module__ == module.__name__:
                yield found


PUBLIC = [found for found in exceptions() if found.__name__ not in INSIDE]


def made(kind: type[BaseException]) -> BaseException:
    error = MADE[kind.__name__]() if kind.__name__ in MADE else kind("what is wrong")
    error.add_note("in the nightly run")
    return error


def pickled(error: BaseException) -> BaseException:
    again: BaseException = pickle.loads(pickle.dumps(error))  # noqa: S301  our own
    return again


def test_they_are_found() -> None:
    assert {"BadInput", "StoreError", "Crash", "Deadlock", "Refused", *MADE} <= {kind.__name__ for kind in PUBLIC}


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("way", [pickled, copy.deepcopy, copy.copy])
def test_each_travels_whole(kind: type[BaseException], way: Callable[[BaseException], BaseException]) -> None:
    error = made(kind)
    again = way(error)
    assert type(again) is kind and again is not error
    assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))


def fail() -> None:
    raise OutcomeUnknown(RESULT)


@pytest.mark.slow
def test_a_pool_of_processes_hands_it_on() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool, pytest.raises(OutcomeUnknown) as caught:
        pool.submit(fail).result()
    assert caught.value.result == RESULT
