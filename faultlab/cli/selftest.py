"""`faultlab selftest`: the lab proves that its rules can fail, and that they leave right agents alone."""

import os
from typing import Annotated

import typer

from faultlab.cli.guard import HARNESS_FAULT
from faultlab.cli.options import Json


def selftest(
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", help="Worker processes. [one a core]")] = None,
    as_json: Json = False,
) -> None:
    """Test the lab itself: wrong agents must be caught.

    Each mutant of the careful agent must be caught by the rule named for it, right agents by none."""
    from importlib.metadata import version

    import faultlab.app as lab
    from faultlab.cli.news import News
    from faultlab.cli.output import print_json
    from faultlab.report.as_json import selftest_json
    from faultlab.report.screen import Screen
    from faultlab.report.selftest import selftest_lines

    screen = Screen.of()
    news = News(screen, version("faultlab"), silent=as_json)
    try:
        report = lab.run_selftest(news, (os.cpu_count() or 1) if jobs is None else jobs, news.meter.start)
    finally:
        news.meter.stop()
    mutants = [(item.name, item.expected, item.killed_by, item.killed) for item in report.mutants]
    correct = [(item.name, item.findings) for item in report.correct]
    if as_json:
        print_json(selftest_json(mutants, correct, report.ok))
    else:
        screen.show(selftest_lines(mutants, correct, report.twins, report.unproved, screen.width))
    raise typer.Exit(0 if report.ok else HARNESS_FAULT)
