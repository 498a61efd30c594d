"""Ends an agent that does not return, by real time: the virtual clock cannot see a busy loop."""

import signal
import sysconfig
import threading
from collections.abc import Iterable
from pathlib import Path
from types import FrameType, TracebackType

from faultlab.core.errors import Hung

_AGAIN_S = 0.1
"""Pause before the next try when an agent has swallowed Hung."""
LIBRARY = (
    str(Path(__file__).parents[1]),
    sysconfig.get_path("stdlib"),
    sysconfig.get_path("purelib"),
    sysconfig.get_path("platlib"),
    "<frozen",
)


def where(frames: Iterable[FrameType]) -> str:
    """The first of `frames` outside installed libraries, as FILE:LINE in FUNCTION; else the first of all."""
    found = list(frames)
    own = [frame for frame in found if not frame.f_code.co_filename.startswith(LIBRARY)]
    for frame in own or found:
        return f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"
    return "an unknown place"


def _outwards(frame: FrameType | None) -> Iterable[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


class limit:
    """Raise Hung in the body when it has not ended after `wall_s` seconds of real time.

    It is raised again and again until it gets out, and at the end if it did not. Where it cannot work
    (not in the main thread, or no SIGALRM on this system) the body runs without a limit. An outer
    timer and handler are put back. Put it inside the other contexts of an attempt, so that they end
    unhurt. A body that never leaves C code cannot be ended.
    """

    __slots__ = ("_armed", "_fired", "_hung", "_outer", "_previous", "_wall_s")

    def __init__(self, wall_s: float) -> None:
        if not wall_s > 0:
            raise ValueError(f"the limit of an attempt must be above 0 seconds, not {wall_s}")
        self._wall_s = wall_s
        self._fired = 0
        self._hung: Hung | None = None
        self._armed = False

    def __enter__(self) -> None:
        if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
            return
        self._previous = signal.signal(signal.SIGALRM, self._alarm)
        self._armed = True
        self._outer = signal.setitimer(signal.ITIMER_REAL, self._wall_s, _AGAIN_S)

    def _alarm(self, _signum: int, frame: FrameType | None) -> None:
        self._fired += 1
        # Raising while the lab enters or leaves one of its own contexts would skip what must be put back.
        if frame is None or (
            frame.f_code.co_name in ("__enter__", "__exit__")
            and frame.f_globals.get("__name__", "").startswith("faultlab.")
        ):
            return
        self._hung = Hung(
            f"the agent did not return within {self._wall_s:g} s of real time; it was at "
            f"{where(_outwards(frame))}. It must return a claim or raise: look there for an endless loop"
        )
        raise self._hung

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if not self._armed:
            return
        left_s, _ = signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._previous)
        outer_s, outer_again_s = self._outer
        if outer_s:
            spent_s = self._wall_s + self._fired * _AGAIN_S - left_s
            signal.setitimer(signal.ITIMER_REAL, max(outer_s - spent_s, 0.001), outer_again_s)
        if self._hung is not None and not isinstance(error, Hung):
            raise self._hung  # swallowed, or it ended a task that nobody awaits
