"""A lab bound to one pytest item, and what pytest has to say about it."""

from pathlib import Path

from faultlab.api.expand import groups_of
from faultlab.api.failure import failure_text
from faultlab.api.lab import Lab
from faultlab.api.marks import Case
from faultlab.api.together import command
from faultlab.api.trial import Trial
from faultlab.core.errors import BadInput
from faultlab.core.history import History
from faultlab.core.records import Call, Fired
from faultlab.faults.catalog import PHASES


def bound(case: Case | None, seed: int, node: str, folder: Path) -> Lab | Trial:
    """What the fixture gives to a test. `node`: its id, as seen from the folder in which pytest was started.
    `folder`: where its scenario file may stand."""
    replay = command(node, seed)
    if case is None:
        lab = Lab(seed=seed)
        lab.replay = replay
        return lab
    if case.scenario:
        (group,) = groups_of(case.scenario, case.contract, folder)
        return Trial(group, case.real_twin, seed, replay)
    return _faulty(case, seed, replay)


def _faulty(case: Case, seed: int, replay: str) -> Lab:
    """Each fault by the name that has its phase alone: two of them may be in different twins."""
    single = len(case.faults) == 1
    lab = Lab(seed=seed, contract=case.contract, twin=case.twin if single else "committed")
    lab.replay = replay
    for mark, phase in case.faults:
        name = mark.fault if single else PHASES[phase].name
        lab.fault(name, on=mark.call, symptom=mark.symptom, occurrence=mark.occurrence, **mark.more)
    return lab


def released(lab: Lab | Trial) -> None:
    """The test is over: nothing of it stays open."""
    if isinstance(lab, Lab):
        lab.close()


def loose_end(lab: Lab | Trial, case: Case | None) -> str:
    """Why a test that passed has tested nothing; empty: it has tested something."""
    if isinstance(lab, Lab) and lab.misuse is not None:
        return f"the test passed, but the code under test caught a mistake in the test: {lab.misuse}"
    if case is None:
        return ""
    try:
        history = lab.history
    except BadInput as error:
        return str(error)
    struck = sum(type(event) is Fired and event.required for event in history.events)
    if struck < history.brief.required_faults and not case.scenario:
        hint = _as_text(history, case)
        return f"the test passed, but {case} did not strike: no such call was answered.{hint} {_calls(lab)}"
    return ""


def _as_text(history: History, case: Case) -> str:
    """Where a call had a value that was to match, but as text."""
    for call in (event for event in history.events if type(event) is Call):
        for mark, _ in case.faults:
            for name, wanted in mark.match.items() if mark.call == call.tool else ():
                if (sent := call.args.get(name)) != wanted and sent == str(wanted):
                    return (
                        f" Call #{call.n} had {name}={sent!r}: what stands in a path or in a query is text,"
                        f" so write match={{{name!r}: {sent!r}}}."
                    )
    return ""


def _calls(lab: Lab | Trial) -> str:
    return f"What was called:\n{lab.timeline()}"


def section_text(lab: Lab | Trial) -> str:
    """Under a test that failed by something else than `assert_clean`: the verdict and the timeline; or why there are
    none, for the code under test may have caught that error."""
    try:
        history, verdict = lab.history, lab.verdict()
    except BadInput as error:
        return str(error)
    if verdict.verdict == "pass":
        return f"{lab.timeline()}\n\nAgain: {lab.replay}"
    return failure_text(history, verdict, lab.replay)
