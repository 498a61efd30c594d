"""Writes by version, on the real server: read, decide, write; and again where somebody else came first."""

from collections.abc import Mapping
from typing import Any

import pytest
from labs import fault, lab

from faultlab.agents.oracle import _follow
from faultlab.client.execute import drive, recover
from faultlab.client.recovery import Intent, Log, Recovery
from faultlab.client.source import Source
from faultlab.client.steps import Stop
from faultlab.core.actions import Meddle
from faultlab.core.agent import Budget, Task
from faultlab.core.contract import Contract
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call
from faultlab.core.world import FrozenWorld
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.matrix.env import LabEnv
from faultlab.toolsets.pages import PAGES

WORLD = FrozenWorld({"pages": {"poster": {"title": "Fair", "entrance": "north", "notice": ""}}})
THEIRS = {"page_id": "poster", "entrance": "west", "notice": "theirs"}
HONOURED = Contract(name="honoured", precondition="honoured")
KEYED = Contract(name="keyed", precondition="required", key=PROFILES["strict"].key)


def to_south(page: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The entrance is to be the south one, and the notice as it is; a page of somebody's own making is left alone."""
    if page["notice"] == "hands off":
        return None
    return {"page_id": "poster", "entrance": "south", "notice": page["notice"]}


class Desk:
    """One write of the poster."""

    def __init__(self, contract: Contract, *plan: Planned, meddle_at: int = 0, theirs: str = "theirs") -> None:
        self.session: Session = lab(contract, *plan, toolset=PAGES, world=WORLD)
        toolset = self.session.engine.toolset.tools
        task = Task("t1", "", {}, Budget(20, 300, 30), {name: tool.spec(contract) for name, tool in toolset.items()})
        source = Source("get_page", {"page_id": "poster"}, to_south)
        intent = Intent("update_page", {"page_id": "poster"}, "poster", source=source)
        self.recovery = Recovery(intent, task, LabEnv(self.session), Log())
        self.meddle_at, self.theirs = meddle_at, theirs

    def run(self, steps: Any) -> Stop:
        """Somebody else writes just before call `meddle_at`."""
        session, begin = self.session, self.session.begin

        def noticed(*args: Any, **more: Any) -> Any:
            if session.count + 1 == self.meddle_at:
                wish = Meddle("update_page", {**THEIRS, "notice": self.theirs}, "interference", "theirs")
                session.engine.server.meddle(wish, session.clock.now())
            return begin(*args, **more)

        object.__setattr__(self, "session", _Noticing(session, noticed))
        self.recovery.env = LabEnv(self.session)  # type: ignore[arg-type]  # a session that looks at each call
        return drive(self.recovery, steps)

    @property
    def calls(self) -> list[str]:
        return [event.tool for event in self.session.events if type(event) is Call]

    @property
    def page(self) -> Mapping[str, Any]:
        row: Mapping[str, Any] = self.session.engine.server.world.peek("pages", "poster")
        return row


class _Noticing:
    """A session with another `begin`."""

    def __init__(self, session: Session, begin: Any) -> None:
        self._session = session
        self.begin = begin

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


FOLLOWERS = {"table": recover, "oracle": _follow}


@pytest.mark.parametrize("follow", FOLLOWERS.values(), ids=FOLLOWERS)
@pytest.mark.parametrize("contract", [HONOURED, PROFILES["precondition"], KEYED], ids=lambda item: item.name)
class TestWrite:
    def test_it_names_the_version_that_was_read(self, contract: Contract, follow: Any) -> None:
        desk = Desk(contract)
        assert desk.run(follow(desk.recovery)).status == "done"
        assert desk.calls == ["get_page", "update_page"]
        sent = [event for event in desk.session.events if type(event) is Call][1]
        assert (sent.if_match, desk.page["entrance"]) == ('"1"', "south")

    def test_somebody_else_came_first_and_the_decision_is_made_again(self, contract: Contract, follow: Any) -> None:
        desk = Desk(contract, meddle_at=2)
        assert desk.run(follow(desk.recovery)).status == "done"
        assert desk.calls == ["get_page", "update_page", "get_page", "update_page"]
        assert (desk.page["entrance"], desk.page["notice"]) == ("south", "theirs")

    def test_what_they_wrote_may_be_a_reason_not_to_write(self, contract: Contract, follow: Any) -> None:
        desk = Desk(contract, meddle_at=2, theirs="hands off")
        assert desk.run(follow(desk.recovery)).status == "not_done"
        assert desk.page["entrance"] == "west"

    @pytest.mark.parametrize("phase", ["before", "after"])
    def test_a_lost_receipt_is_settled_by_the_same_write_and_a_look(
        self, contract: Contract, follow: Any, phase: str
    ) -> None:
        desk = Desk(contract, fault(phase, "reset", "update_page"))
        assert desk.run(follow(desk.recovery)).status == "done"
        own = [effect for effect in desk.session.engine.ledger if effect.actor == "agent"]
        assert len(own) == 1
        if contract is not KEYED:
            again = ["list_revisions"] if phase == "after" else []
            assert desk.calls == ["get_page", "update_page", "update_page", *again]

    def test_a_lost_receipt_and_somebody_elses_version_are_told_apart(self, contract: Contract, follow: Any) -> None:
        desk = Desk(contract, fault("before", "reset", "update_page"), meddle_at=3)
        assert desk.run(follow(desk.recovery)).status == "done"
        assert desk.page["notice"] == "theirs"
        own = [effect for effect in desk.session.engine.ledger if effect.actor == "agent"]
        assert len(own) == 1
