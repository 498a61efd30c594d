"""pytest_plugin: the fixture `faultlab`, the marks `faults` and `scenario`, and what pytest prints of twins.

Every test run of everybody who has faultlab installed loads this module, so nothing else is imported before a test
asks for it.
"""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from faultlab.api.marks import Case
    from faultlab.api.together import Item

FIXTURE = "faultlab"
MARKS = {
    "faults": "faults(fault, *, on=None, tool=None, symptom='timeout', occurrence=1, contract='none'): run the test"
    " once for each twin of the fault, which strikes the call `on` (METHOD /path) or `tool`",
    "scenario": "scenario(name, *, contract=None): run the test once for each twin of a scenario, by id or file",
}
SEED, PLAN, TWIN, TWINS = "faultlab_seed", "faultlab_plan", "faultlab_twin", "faultlab_twins"
"""The properties of a test item: junit reports show them, and xdist carries them to the summary."""

DEFAULT_SEED = 1
"""The same in every run: a test that fails on one machine fails on the next."""

LAB = pytest.StashKey[Any]()
"""What the fixture gave to a test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("faultlab", "faultlab: faults and their twins")
    group.addoption(
        "--faultlab-seed",
        type=int,
        default=DEFAULT_SEED,
        metavar="INT",
        help=f"the seed of ids, latencies and orders in tests that use faultlab (default: {DEFAULT_SEED})",
    )


def pytest_configure(config: pytest.Config) -> None:
    for text in MARKS.values():
        config.addinivalue_line("markers", text)


@pytest.hookimpl(trylast=True)  # ids end with the twin, whatever else a test is parametrized with
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marks = list(_marks(metafunc.definition))
    if not marks:
        return
    if FIXTURE not in metafunc.fixturenames:
        if useless := _useless(marks):
            pytest.fail(f"{metafunc.definition.nodeid}: {useless}", pytrace=False)
        return
    from faultlab.api.expand import cases_of

    cases = cases_of(metafunc.function, [(mark.name, mark.args, mark.kwargs) for mark in marks])
    if isinstance(cases, str):
        pytest.fail(cases, pytrace=False)
    metafunc.parametrize(FIXTURE, cases, indirect=True, ids=[case.id for case in cases])


def _marks(node: pytest.Item) -> Iterator[pytest.Mark]:
    """Ours, in the order of their writing: pytest gives the nearest to the function first."""
    return (mark for mark in reversed(list(node.iter_markers())) if mark.name in MARKS)


def _useless(marks: list[pytest.Mark]) -> str:
    """What to say of marks in a test without the fixture. Of one that is not surely ours, for others may use the
    names: nothing."""
    if not any(mark.name == "faults" and {"on", "tool"} & set(mark.kwargs) for mark in marks):
        return ""
    return f"the mark 'faults' does nothing in a test without the fixture {FIXTURE!r}: add it to the arguments"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tell each item's twin to its reports. A mark that no parametrization saw (unittest) is an error."""
    seed = config.getoption("--faultlab-seed")
    for item in items:
        if (case := _case(item)) is not None:
            told = {SEED: str(seed), PLAN: str(case), TWIN: case.twin, TWINS: " ".join(case.twins)}
            item.user_properties.extend(told.items())
        elif useless := _useless(list(_marks(item))):
            raise pytest.UsageError(f"{item.nodeid}: {useless}")


def _case(item: pytest.Item) -> "Case | None":
    spec = getattr(item, "callspec", None)
    case: Case | None = None if spec is None else spec.params.get(FIXTURE)
    return case if hasattr(case, "twins") else None  # a fixture of the user's own may have the name


@pytest.fixture(name=FIXTURE)
def _faultlab(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A Lab with the faults of the test's marks, in one of their twins; under `scenario`, a Trial.

    Without a mark: a Lab without faults.
    """
    from faultlab.api.bound import bound, loose_end, released

    case, seed = getattr(request, "param", None), request.config.getoption("--faultlab-seed")
    stash = request.node.stash
    stash[ENDED] = False  # plugins that rerun a failed test run this same item once more
    lab = stash[LAB] = bound(case, seed, request.node.nodeid, request.path.parent)
    yield lab
    try:
        wrong = "" if stash[ENDED] else loose_end(lab, case)
    finally:
        released(lab)
        del stash[LAB]
    if wrong:
        pytest.fail(wrong, pytrace=False)


ENDED = pytest.StashKey[bool]()
"""The test itself has failed or was skipped: its fixture need not complain as well."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Under a failed test: what the caller saw, what was true, and how to have it again."""
    report = yield
    if LAB not in item.stash or report.when == "teardown" or report.passed:
        return report
    item.stash[ENDED] = True
    lab = item.stash[LAB]
    if report.failed and lab.replay not in report.longreprtext:
        from faultlab.api.bound import section_text

        if text := section_text(lab):
            report.sections.append(("faultlab", text))
    return report


def pytest_terminal_summary(terminalreporter: "pytest.TerminalReporter") -> None:
    """The twins of a test pass or fail together."""
    items = list(_told(terminalreporter))
    if not any(item.outcome in ("failed", "error") for item in items):
        return
    from faultlab.api.together import together_lines

    terminalreporter.section("faultlab: twins pass or fail together")
    for line in together_lines(items):
        terminalreporter.write_line(line)


def _told(terminalreporter: "pytest.TerminalReporter") -> "Iterator[Item]":
    """Every report of a twin. Under xdist the properties are all that comes from the worker."""
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.getreports(outcome):
            told = dict(getattr(report, "user_properties", ()))  # the report of a collection has none
            if TWIN in told:
                from faultlab.api.together import Item

                yield Item(report.nodeid, told[TWIN], tuple(told[TWINS].split()), told[SEED], outcome)
