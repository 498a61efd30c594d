"""How a run goes on: a bar on a terminal, one line at the end in a pipe."""

from typing import Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from faultlab.core.clock import stopwatch
from faultlab.report.screen import Screen, prose

REFRESHES = 10
"""A second, at most: drawing must not cost more than attempts."""


class Meter(Protocol):
    """What a run reports to."""

    def start(self, total: int) -> None: ...

    def advance(self) -> None: ...

    def tell(self, line: str) -> None:
        """A line that stays."""

    def stop(self) -> None:
        """The last attempt is made, or the run was interrupted."""


class Silent:
    """For `--json`: nothing but the data is printed."""

    def start(self, total: int) -> None:
        pass

    def advance(self) -> None:
        pass

    def tell(self, line: str) -> None:
        pass

    def stop(self) -> None:
        pass


class Counter:
    """For pipes and dumb terminals: one line when all is done."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.total = self.done = 0
        self.began_s = stopwatch()

    def start(self, total: int) -> None:
        self.total = total
        self.began_s = stopwatch()

    def advance(self) -> None:
        self.done += 1

    def tell(self, line: str) -> None:
        self.screen.show(prose(line, self.screen.width, "  ", ""))

    def stop(self) -> None:
        """`1,890/1,890 attempts · 2.9 s · 650/s`."""
        if self.done == 0:
            return
        elapsed_s = stopwatch() - self.began_s
        rate = self.done / elapsed_s if elapsed_s > 0 else 0.0
        per_s = f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"
        self.screen.show([f"{self.done:,}/{self.total:,} attempts · {elapsed_s:.1f} s · {per_s}"])


class Bar(Counter):
    """For terminals: a bar with rate and time left, which the counter's line replaces at the end."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        self.progress = Progress(
            BarColumn(bar_width=max(10, screen.width - 50)), MofNCompleteColumn(), TextColumn("attempts"),
            TextColumn("{task.fields[rate]}"), TimeRemainingColumn(compact=True), TextColumn("left"),
            console=screen.console, refresh_per_second=REFRESHES, transient=True,
        )  # fmt: skip
        self.task = self.progress.add_task("", total=None, rate="")
        self.drawn_s = 0.0

    def start(self, total: int) -> None:
        super().start(total)
        self.progress.update(self.task, total=total)
        self.progress.start()

    def advance(self) -> None:
        super().advance()
        now_s = stopwatch()
        if now_s - self.drawn_s > 1 / REFRESHES or self.done == self.total:
            self.drawn_s = now_s
            elapsed_s = max(now_s - self.began_s, 1e-9)
            self.progress.update(self.task, completed=self.done, rate=f"{self.done / elapsed_s:,.0f}/s")

    def stop(self) -> None:
        self.progress.stop()
        super().stop()


def meter_for(screen: Screen) -> Counter:
    """A bar where one can be drawn."""
    console = screen.console
    return Bar(screen) if console.is_terminal and not console.is_dumb_terminal else Counter(screen)
