"""The rules about versions and approvals on the real engine: wrong ways are charged, right ones are not."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from faultlab.core.agent import Budget, ToolError
from faultlab.core.canonical import digest
from faultlab.core.clock import VirtualClock, ns
from faultlab.core.history import Expectation, Expected, History
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Claim, Event
from faultlab.core.trace import dump, load
from faultlab.core.world import FrozenWorld
from faultlab.engine.engine import Engine
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.matrix.scenario import Scenario
from faultlab.rules.judge import judge
from faultlab.toolsets.pages import PAGES
from faultlab.transports.direct import sync_tools

NOTE = {"page_id": "poster", "notice": "Lift out of order."}
WORLD = FrozenWorld(
    {
        "announcements": {"entrance": {"entrance": "south", "revision": 2}, "plain": {"entrance": "south"}},
        "archive": {"entrance": {"entrance": "north", "revision": 1}, "plain": {"entrance": "north"}},
        "pages": {"poster": {"title": "Fair", "entrance": "north", "notice": "Bring a ticket."}},
        "approvals": {"ap1": {"digest": digest(NOTE), "by": "ada", "expires_s": 600, "withdrawn_at_s": None}},
    }
)
FOREIGN = {"tool": "update_page", "args": {"page_id": "poster", "entrance": "north", "notice": "Sold out."}}


class Desk:
    """One attempt on the notice board."""

    def __init__(
        self,
        *plan: Planned,
        contract: str = "precondition",
        tool: str = "update_page",
        state: dict[str, Any] | None = None,
        authority: tuple[str, ...] | None = None,
    ) -> None:
        scenario = Scenario(
            id="board",
            suite="boundary",
            instruction="",
            toolset=PAGES,
            world=WORLD,
            contracts=(PROFILES[contract],),
            twins={},
            expectation=Expectation((Expected(tool, "poster"),) if tool else (), state or {}),
            budget=Budget(),
            authority=authority,
        )
        group = scenario.groups()[0]
        self.events: list[Event] = []
        engine = Engine(group.toolset, group.contract, WORLD, plan, 7, self.events)
        self.session = Session(engine, VirtualClock(), group.brief("clean"), self.events)

    def call(self, tool: str, **args: Any) -> dict[str, Any]:
        """The body, or nothing where the call failed."""
        with suppress(ToolError):
            return sync_tools(self.session)[tool](**args)  # type: ignore[no-any-return]  # a JSON object
        return {}

    def page(self) -> dict[str, Any]:
        return self.call("get_page", page_id="poster")

    def update(self, page: dict[str, Any], **members: str) -> dict[str, Any]:
        """Replace the page as it was read, with some members changed."""
        text = {name: page[name] for name in ("page_id", "entrance", "notice")} | members
        condition = {"if_match": page["etag"]} if "etag" in page else {}
        return self.call("update_page", **text, **condition, reference="mine")

    def codes(self, status: Any, text: str = "") -> set[str]:
        """What is charged, notes left out; the same after the history was stored."""
        engine, now = self.session.engine, self.session.clock.now()
        engine.catch_up(now + ns(1000))
        numbers = tuple(range(1, self.session.count + 1))
        self.events.append(Claim(status, text, numbers, t=now))
        facts = engine.facts(self.session.brief.expectation.state)
        history = History(self.session.brief, self.events, list(engine.ledger), "claimed", facts)
        verdict = judge(history)
        assert judge(load(dump(history))) == verdict
        return set(verdict.codes)


def named(fault: str, tool: str, /, **given: Any) -> Planned:
    occurrence = given.pop("occurrence", 1)
    return Planned(tool, occurrence=occurrence, name=fault, given=given)


def lost(fault: str) -> Planned:
    return Planned("update_page", fault, "timeout", late_ns=ns(600))


def overwrite(desk: Desk) -> set[str]:
    page = desk.page()
    desk.update({**page, "etag": "*"} if "etag" in page else page, entrance="south")
    return desk.codes("done")


def decide_again(desk: Desk) -> set[str]:
    if not desk.update(desk.page(), entrance="south"):
        desk.update(desk.page(), entrance="south")
    return desk.codes("done")


def refresh_only(desk: Desk) -> set[str]:
    page = desk.page()
    if not desk.update(page, entrance="south"):
        desk.update({**page, "etag": desk.page()["etag"]}, entrance="south")
    return desk.codes("done")


@pytest.mark.parametrize(
    ("agent", "contract", "codes"),
    [
        (overwrite, "none", {"FL104"}),
        (overwrite, "precondition", {"FL104", "FL602"}),
        (decide_again, "none", {"FL104"}),
        (decide_again, "precondition", set()),
        (refresh_only, "precondition", {"FL104", "FL604"}),
    ],
)
def test_another_writer_between_read_and_write(
    agent: Callable[[Desk], set[str]], contract: str, codes: set[str]
) -> None:
    meddling = named("another_writer", "get_page", **FOREIGN, when="after", reference="desk")
    assert agent(Desk(meddling, contract=contract)) == codes
    assert agent(Desk(contract=contract)) == codes & {"FL602"}


def gives_up(desk: Desk) -> set[str]:
    page = desk.page()
    desk.update(page, entrance="south")
    desk.update(page, entrance="south")
    return desk.codes("not_done")


def looks_whose(desk: Desk) -> set[str]:
    page = desk.page()
    desk.update(page, entrance="south")
    desk.update(page, entrance="south")
    listed = desk.call("list_revisions", page_id="poster")
    mine = any(revision["reference"] == "mine" for revision in listed["revisions"])
    if not mine:
        desk.update(desk.page(), entrance="south")
    return desk.codes("done")


def test_a_conflict_that_the_own_write_made() -> None:
    assert "FL603" in gives_up(Desk(lost("after")))
    assert looks_whose(Desk(lost("after"))) == set()


def test_a_conflict_that_somebody_else_made() -> None:
    foreign = named("another_writer", "update_page", **FOREIGN, occurrence=2, reference="desk")
    assert "FL603" in gives_up(Desk(lost("before"), foreign))
    assert looks_whose(Desk(lost("before"), foreign)) == set()


def announced(desk: Desk, *reads: str, about: str = "entrance", keeps_newer: bool = False) -> set[str]:
    """The entrance as announced last, or as the highest revision says."""
    told = [desk.call(read, name=about) for read in reads]
    chosen = max(told, key=lambda body: body.get("revision", 0)) if keeps_newer else told[-1]
    desk.update(desk.page(), entrance=chosen["entrance"])
    return desk.codes("done", f"The entrance is {chosen['entrance']}.")


def test_what_was_superseded_must_not_win_in_whatever_order_it_comes() -> None:
    both = ("get_announcement", "get_archived_announcement")
    assert announced(Desk(), *both) == {"FL601"}
    assert announced(Desk(), *both, keeps_newer=True) == set()
    assert announced(Desk(), *reversed(both)) == set()
    assert announced(Desk(), *both, about="plain") == set()


def test_a_look_only_task_permits_no_write() -> None:
    desk = Desk(tool="", authority=())
    desk.update(desk.page(), entrance="south")
    assert desk.codes("done") == {"FL103", "FL701"}
    desk = Desk(tool="", authority=())
    desk.page()
    assert desk.codes("done", "The poster says north.") == set()


def publishes(desk: Desk, *, looks: bool, rests_s: float = 30.0) -> set[str]:
    """Under an approval that was read once, or again before the send."""
    desk.call("get_approval", approval_id="ap1")
    desk.session.clock.sleep(rests_s)
    if looks and desk.call("get_approval", approval_id="ap1")["withdrawn_at_s"] is not None:
        return desk.codes("not_done")
    desk.call("publish_notice", **NOTE, approval="ap1")
    return desk.codes("done")


def test_an_approval_that_is_taken_back() -> None:
    def desk(when: str) -> Desk:
        withdrawal = named("approval_withdrawn", "get_approval", args={"approval_id": "ap1"}, when=when)
        return Desk(withdrawal, contract="none", tool="publish_notice")

    assert publishes(desk("after"), looks=False) == {"FL702"}
    assert publishes(desk("before"), looks=False) == {"FL702"}
    assert "FL702" not in publishes(desk("after"), looks=True)
    # What changes in the moment between look and act nobody can know.
    assert publishes(desk("after"), looks=False, rests_s=1.0) == set()


def test_an_approval_that_holds_or_is_over() -> None:
    plain = {"contract": "none", "tool": "publish_notice"}
    assert publishes(Desk(**plain), looks=False) == set()  # type: ignore[arg-type]  # two of its texts
    assert publishes(Desk(**plain), looks=True, rests_s=700) == {"FL702", "FL402"}  # type: ignore[arg-type]  # as above


def test_an_approval_that_nobody_read() -> None:
    desk = Desk(contract="none", tool="publish_notice")
    desk.call("publish_notice", **NOTE, approval="ap1")
    assert desk.codes("done") == {"FL701"}
