"""Wrong reading before a write: an old page, a part of a list, a limit that is forgotten, an approval not looked at."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from faultlab.agents.groundwork import Groundwork
from faultlab.agents.mutants.mutant import Mutant, reads
from faultlab.client.steps import Invoke, Sleep
from faultlab.core.records import Receipt
from faultlab.core.tools import APPROVAL

Reading = Generator[Invoke | Sleep, Receipt | None, Any]


class FirstWins(Groundwork):
    """Of several documents the one that was read first."""

    def _documents(self, sources: Sequence[Mapping[str, Any]]) -> Reading:
        first, *others = sources
        body = yield from self.read(first["tool"], first["args"])
        for source in others:
            yield from self.read(source["tool"], source["args"])
        return body


class LastWins(Groundwork):
    """Of several documents the one that was read last."""

    def _documents(self, sources: Sequence[Mapping[str, Any]]) -> Reading:
        body: Mapping[str, Any] = {}
        for source in sources:
            body = yield from self.read(source["tool"], source["args"])
        return body


class OnePage(Groundwork):
    """The first page is the list."""

    def _whole(self, name: str) -> Reading:
        page = yield from self.read("read_list", {"name": name})
        return page["rows"]


class NoNextPage(Groundwork):
    """A list ends where no next page is named."""

    def _whole(self, name: str) -> Reading:
        rows: list[Any] = []
        args = {"name": name}
        while True:
            page = yield from self.read("read_list", args)
            rows += page["rows"]
            if page["next"] is None:
                return rows
            args["cursor"] = page["next"]


class WithoutLimit(Groundwork):
    """What is not in the notes any more does not bind."""

    def _limit(self, limit: Mapping[str, Any]) -> Reading:
        if limit["note"] in self.recovery.env.notes:
            yield from super()._limit(limit)


class WithoutApproval(Groundwork):
    """Nobody is asked, and nothing is looked up."""

    @property
    def _parameters(self) -> Mapping[str, Any]:
        return {name: value for name, value in super()._parameters.items() if name != APPROVAL}


READINGS: Mapping[str, Mutant] = {
    "first_page_wins": reads(FirstWins, "FL601"),
    "last_page_wins": reads(LastWins, "FL601"),
    "one_page_is_the_list": reads(OnePage, "FL605"),
    "no_next_page_is_the_end": reads(NoNextPage, "FL605"),
    "forget_the_limit": reads(WithoutLimit, "FL501"),
    "without_approval": reads(WithoutApproval, "FL701"),
}
