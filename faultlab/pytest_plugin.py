"""pytest_plugin: the fixture `faultlab`, the marks `faults` and `scenario`, and what pytest prints of twins.

Every test run of everybody who has faultlab installed loads this module, so nothing else is imported before a test
asks for it.
"""

from collections.abc import Generator, Iterable, Iterator
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
    own = list(_ours(reversed(list(metafunc.definition.iter_markers()))))
    if FIXTURE not in metafunc.fixturenames:
        if useless := _useless(own):
            pytest.fail(f"{metafunc.definition.nodeid}: {useless}", pytrace=False)
        return
    calls = getattr(metafunc, "_calls", ())  # pytest's own: nothing else knows the marks of a pytest.param
    if not any(_ours(mark for call in calls for mark in call.marks)):
        _multiply(metafunc, own)
        return
    made = []
    for call in calls:
        metafunc._calls = [call]
        _multiply(metafunc, [*own, *_ours(call.marks)])
        made += metafunc._calls
    metafunc._calls = made


def _multiply(metafunc: pytest.Metafunc, marks: list[pytest.Mark]) -> None:
    """One test for each case of the marks."""
    if not marks:
        return
    from faultlab.api.expand import cases_of

    cases = cases_of(metafunc.function, [(mark.name, mark.args, mark.kwargs) for mark in marks])
    if isinstance(cases, str):
        pytest.fail(cases, pytrace=False)
    metafunc.parametrize(FIXTURE, cases, indirect=True, ids=[case.id for case in cases])


def _ours(marks: Iterable[Any]) -> Iterator[pytest.Mark]:
    return (mark for mark in marks if mark.name in MARKS)


def _useless(marks: list[pytest.Mark]) -> str:
    """What to say of marks in a test without the fixture. Of one that is not surely ours, for others may use the
    names: nothing."""
    if not any(mark.name == "faults" and {"on", "tool"} & set(mark.kwargs) for mark in marks):
        return ""
    return f"the mark 'faults' does nothing in a test without the fixture {FIXTURE!r}: add it to the arguments"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tell each item's twin to its reports."""
    seed = config.getoption("--faultlab-seed")
    for item in items:
        if (case := _case(item)) is not None:
            told = {SEED: str(seed), PLAN: str(case), TWIN: case.twin, TWINS: " ".join(case.twins)}
            item.user_properties.extend(told.items())


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A mark that pytest_generate_tests has not seen is an error of its test; all others run."""
    marks, case = list(_ours(item.iter_markers())), _case(item)
    if len(marks) > (0 if case is None else len(case.faults) or 1) and (wrong := _unseen(item, marks)):
        pytest.fail(wrong, pytrace=False)


def _unseen(item: pytest.Item, marks: list[pytest.Mark]) -> str:
    """Why the marks made no twins of a test, and what to do; empty: they may be somebody else's."""
    import unittest

    fixed = FIXTURE in getattr(item, "fixturenames", ())
    useless = _useless(marks)
    if not fixed and not useless:
        return ""
    if issubclass(getattr(item, "cls", None) or object, unittest.TestCase):
        return (
            f"the mark {marks[0].name!r} makes one test for each twin, which pytest cannot do in a unittest.TestCase:"
            f" write a function, or a class without that base, and take the fixture {FIXTURE!r} as an argument"
        )
    if not fixed:
        return useless
    return (
        f"the mark {marks[0].name!r} was added by add_marker to a test that is made already, too late for its twins:"
        " write it at the test, or in the conftest: def pytest_generate_tests(metafunc):"
        " metafunc.definition.add_marker(...)"
    )


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
    node = _from_here(request.node.nodeid, request.config)
    stash = request.node.stash
    stash[ENDED] = False  # plugins that rerun a failed test run this same item once more
    lab = stash[LAB] = bound(case, seed, node, request.path.parent)
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

        if (text := section_text(lab)) and text not in report.longreprtext:
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

                node = _from_here(report.nodeid, terminalreporter.config)
                yield Item(node, told[TWIN], tuple(told[TWINS].split()), told[SEED], outcome)


def _from_here(node: str, config: pytest.Config) -> str:
    from faultlab.api.together import from_here

    return from_here(node, config.rootpath, config.invocation_params.dir)
