"""Histories about pages, approvals and lists, written by hand, one record at a time."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rules.histories import Story, at

from faultlab.core.canonical import digest, identity_of
from faultlab.core.contract import Contract
from faultlab.core.history import Expected, WriteTerms
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Ask, Effect, Outcome, Receipt, Reveal, Sight

CONDITIONAL = PROFILES["precondition"]
WRITES = {
    "update_page": WriteTerms(("page_id",), queryable=True, versioned=("pages", "page_id"), depends_on=("notice",)),
    "publish": WriteTerms(("page_id",), queryable=True, needs_approval=True),
    "register": WriteTerms(("email",), queryable=True),
    "send": WriteTerms(("to",), queryable=True),
}
PAGE = Expected("update_page", "poster")


class Board(Story):
    """An attempt on pages; `expect` says what is wanted."""

    def __init__(
        self,
        contract: str | Contract = CONDITIONAL,
        *,
        expect: tuple[Expected, ...] = (PAGE,),
        state: Mapping[str, Any] | None = None,
        authority: tuple[str, ...] | None = None,
        secrets: tuple[str, ...] = (),
    ) -> None:
        super().__init__(contract, expect=expect, state=state)
        expectation = replace(self.brief.expectation, secrets=secrets)
        self.brief = replace(self.brief, writes=WRITES, authority=authority, expectation=expectation)

    def write(
        self, at_s: float, tool: str, if_match: str | None = None, reference: str | None = None, **args: Any
    ) -> "Board":
        """A write leaves."""
        identity = identity_of(WRITES[tool].identity, args)
        self._call(at_s, tool, "write", args, identity, None, reference, if_match)
        return self

    def page(self, at_s: float, version: int | None, **body: Any) -> "Board":
        """The page is read."""
        self._call(at_s, "get_page", "read", {"page_id": "poster"})
        return self.shows("pages/poster", version, **body)

    def news(self, at_s: float, version: int | None, entrance: str) -> "Board":
        """The announcement is read."""
        self._call(at_s, "get_announcement", "read", {"name": "entrance"})
        return self.shows("announcements/entrance", version, entrance=entrance)

    def shows(self, thing: str, version: int | None, **body: Any) -> "Board":
        """The last call gets a 200 that shows a version of a thing."""
        call = self.calls[-1]
        told = {"etag": f'"{version}"'} if version is not None else {}
        sights = (Sight(thing, version),)
        self.events.append(Receipt(call.n, call.t + at(0.1), Outcome.APPLIED, 200, body, told, None, (), sights))
        return self

    def listed(
        self, at_s: float, tool: str, body: Mapping[str, Any], *reveals: Reveal, sight: int | None = None, **args: Any
    ) -> "Board":
        """A list is read; `sight`: the version of the page that it shows."""
        self._call(at_s, tool, "read", args)
        call = self.calls[-1]
        sights = () if sight is None else (Sight("pages/poster", sight),)
        self.events.append(Receipt(call.n, call.t + at(0.1), Outcome.APPLIED, 200, body, {}, None, reveals, sights))
        return self

    def approval(self, at_s: float, arguments: Mapping[str, Any], **terms: Any) -> "Board":
        """An approval is read; `arguments` are those that it was given for."""
        self._call(at_s, "get_approval", "read", {"approval_id": "ap1"})
        given = {"by": "ada", "expires_s": None, "withdrawn_at_s": None, **terms}
        return self.shows("approvals/ap1", None, approval_id="ap1", digest=digest(arguments), **given)

    def done(self, call: int | None = None, *, before: Any = None, after: Any = None) -> "Board":
        """A write took effect."""
        written = self.calls[(call or len(self.calls)) - 1]
        self.effect(written.n, tool=written.tool, order=written.identity)
        thing = f"pages/{written.identity}" if written.tool == "update_page" else ""
        self.ledger[-1] = self.ledger[-1]._replace(object=thing, before=before or {}, after=after or {})
        return self

    def meddled(self, at_s: float, thing: str, before: Any, after: Any, actor: Any = "interference") -> "Board":
        """Somebody else changed something."""
        name = f"e{len(self.ledger) + 1}"
        effect = Effect(name, at(at_s), 0, "update_page", "other", {}, None, None, actor, actor)
        self.ledger.append(effect._replace(object=thing, before=before, after=after))
        return self

    def asked(self, at_s: float, answer: str, retracts: str | None = None) -> "Board":
        self.events.append(Ask(at(at_s), "Well?", answer, retracts))
        return self
