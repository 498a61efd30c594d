"""docs/contracts.md, cell by cell, on the real server; and the state table of keys is whole."""

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from contracts.things import THINGS, WORLD

from faultlab.core.actions import Reply
from faultlab.core.clock import ns
from faultlab.core.keys import TABLE, Action, KeyRecord, KeyState, decide, state_of
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call
from faultlab.core.world import World
from faultlab.engine.server import Server

KEYED = [name for name, contract in PROFILES.items() if contract.key is not None]


def tables(project: Path) -> list[list[list[str]]]:
    """The tables of the page, as rows of cells."""
    text = (project / "docs" / "contracts.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [
        [[cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()] for block in blocks
    ]


class Counter:
    """A server under one profile; `send` is a request under the key k at a time."""

    def __init__(self, profile: str) -> None:
        self.server = Server(THINGS, PROFILES[profile], World(WORLD), 7)
        rules = PROFILES[profile].key
        assert rules is not None
        self.rules = rules
        self.sent = 0

    def call(self, at_s: float, tool: str = "make", key: str | None = "k", **args: Any) -> Call:
        self.sent += 1
        given = {"name": "a", **args}
        first_ns = 0 if key and self.rules.first_sent_header else None
        region = given.get("region", "r1")
        made = Call(self.sent, ns(at_s), tool, "write", given, "a", key, None, None, region, first_ns)
        self.server.number(made)
        return made

    def send(self, at_s: float, tool: str = "make", key: str | None = "k", **args: Any) -> Reply:
        return self.server.forward(self.call(at_s, tool, key, **args), ns(at_s))

    def seen(self, send: Callable[[], Reply], replay: int = 200) -> str:
        """What a request comes to, in the words of the page."""
        before = len(self.server.ledger)
        reply = send()
        if len(self.server.ledger) > before:
            return "executes"
        return "replay" if reply.status == replay else str(reply.status)


def slow(lab: Counter) -> None:
    assert lab.server.admit(lab.call(0), 0) is None


def done(lab: Counter) -> None:
    assert lab.send(0).status == 200


def over(lab: Counter) -> str:
    done(lab)
    lab.send(0, "terminate", key=None)
    assert lab.rules.window_s is not None
    return lab.seen(lambda: lab.send(lab.rules.window_s or 0))


def failed(lab: Counter, *, applied: bool) -> str:
    call = lab.call(0)
    assert lab.server.admit(call, 0) is None
    assert lab.server.fail(call, 0, applied=applied).status == 500
    return lab.seen(lambda: lab.send(1))


def refused(lab: Counter) -> str:
    """A refusal that is not kept leaves the key free for something else."""
    assert [lab.send(at_s, size=0).status for at_s in (0, 1)] == [402, 402]
    return "executes" if lab.seen(lambda: lab.send(2, size=1)) == "executes" else "replay"


def corrected(lab: Counter) -> str:
    assert lab.send(0, size="big").status == 400
    return lab.seen(lambda: lab.send(1))


SITUATIONS: dict[str, Callable[[Counter], str]] = {
    "no key": lambda lab: (done(lab), lab.seen(lambda: lab.send(1, key=None)))[1],
    "new key": lambda lab: lab.seen(lambda: lab.send(0)),
    "in flight, same parameters": lambda lab: (slow(lab), lab.seen(lambda: lab.send(1)))[1],
    "in flight, other parameters": lambda lab: (slow(lab), lab.seen(lambda: lab.send(1, size=2)))[1],
    "in flight for 15 minutes": lambda lab: (slow(lab), lab.seen(lambda: lab.send(900)))[1],
    "done, same parameters": lambda lab: (done(lab), lab.seen(lambda: lab.send(1)))[1],
    "done, other parameters": lambda lab: (done(lab), lab.seen(lambda: lab.send(1, size=2)))[1],
    "done, another tool": lambda lab: (done(lab), lab.seen(lambda: lab.send(1, "terminate")))[1],
    "done, another region": lambda lab: (done(lab), lab.seen(lambda: lab.send(1, region="r2")))[1],
    "the window is over": over,
    "refused before execution, then corrected": corrected,
    "refused by the tool, again": refused,
    "5xx before the effect, again": lambda lab: failed(lab, applied=False),
    "receipt lost after the effect, again": lambda lab: (done(lab), lab.seen(lambda: lab.send(1)))[1],
    "5xx after the effect, again": lambda lab: failed(lab, applied=True),
}


@pytest.mark.parametrize("profile", KEYED)
def test_every_cell_of_the_page_is_what_the_server_does(profile: str, project: Path) -> None:
    head, _, *rows = tables(project)[0]
    place = head.index(f"`{profile}`")
    page = {row[0]: row[place].strip("`") for row in rows}
    assert {situation: play(Counter(profile)) for situation, play in SITUATIONS.items()} == page


def test_the_page_shows_each_profile_and_its_figures(project: Path) -> None:
    shown = {row[0].strip("`"): row for row in tables(project)[1][2:]}
    assert set(shown) == set(KEYED)
    for profile, (_, key, kept, length, shows) in shown.items():
        rules = PROFILES[profile].key
        assert rules is not None
        assert f"`{rules.carrier.partition(' ')[2]}`" in key
        assert kept.startswith(f"{rules.window_s:.0f} s")
        assert int(length) == rules.max_length
        for name in (rules.replay_header, rules.advice_header, rules.result_header):
            assert name is None or f"`{name}`" in shows
        assert ("the key" in shows) == rules.echoes_key


def test_every_profile_has_a_chapter_with_a_link(project: Path) -> None:
    text = (project / "docs" / "contracts.md").read_text(encoding="utf-8")
    for profile in KEYED:
        chapter = text.partition(f"\n### {profile}\n")[2].partition("\n### ")[0]
        assert "](https://" in chapter or profile == "strict"


REPLY = Reply(200, {})
RECORDS = {
    KeyState.ABSENT: None,
    KeyState.IN_FLIGHT: KeyRecord(("a",), 0),
    KeyState.DONE: KeyRecord(("a",), 0, REPLY),
}


def test_the_state_table_has_a_row_for_every_state_and_comparison() -> None:
    assert set(TABLE) == set(product(KeyState, (True, False)))


@pytest.mark.parametrize("profile", KEYED)
def test_every_state_is_reached_and_decided_under_every_profile(profile: str) -> None:
    rules = PROFILES[profile].key
    assert rules is not None
    assert rules.window_s is not None
    sent_ns = 0 if rules.first_sent_header else None
    reached = {(state_of(rules, record, 1, sent_ns), state) for state, record in RECORDS.items()}
    assert reached == {(state, state) for state in RECORDS}
    over_ns = ns(rules.window_s)
    assert state_of(rules, RECORDS[KeyState.DONE], over_ns, sent_ns) is KeyState.EXPIRED
    assert state_of(rules, RECORDS[KeyState.DONE], over_ns - 1, sent_ns) is KeyState.DONE
    if rules.lease_s is not None:
        assert state_of(rules, RECORDS[KeyState.IN_FLIGHT], ns(rules.lease_s), sent_ns) is KeyState.OVERDUE
        assert state_of(rules, RECORDS[KeyState.IN_FLIGHT], ns(rules.lease_s) - 1, sent_ns) is KeyState.IN_FLIGHT
    decided = {
        decide(rules, record, (word,), at, sent_ns)
        for record in RECORDS.values()
        for word in "ab"
        for at in (1, over_ns)
    }
    assert decided >= {Action.EXECUTE, Action.BUSY, Action.REPLAY, Action.MISMATCH}
    assert (Action.REJECT in decided) == (rules.on_expired == "reject")
