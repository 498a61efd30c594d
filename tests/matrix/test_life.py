"""A planned crash ends an agent's life and begins another, with its store or without, on the same server."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lives import crash_plan, group_of, lived

from faultlab.agents.careful import careful, careful_async
from faultlab.agents.catalog import AGENTS
from faultlab.core.agent import Crash
from faultlab.core.history import History
from faultlab.core.records import Call, Claim, Crashed, Note, Receipt
from faultlab.core.trace import dump, load
from faultlab.matrix.attempt import Conditions
from faultlab.matrix.scenario import Group
from faultlab.report.timeline import timeline_of
from faultlab.report.timeline_text import timeline_lines
from faultlab.rules.judge import judge

CONTRACTS = ("none", "status", "fence", "settle", "strict")
ORACLE = AGENTS["oracle"]
ARGS = {"order_id": "A17", "amount": "40.00", "reference": "mine"}


def crashes(history: History) -> list[Crashed]:
    return [event for event in history.events if type(event) is Crashed]


def named_crash(when: str, journal: str, more: str = "") -> str:
    return f"plan: [{{tool: refund_order, fault: client_crash, with: {{when: {when}, journal: {journal}}}{more}}}]"


@pytest.mark.parametrize("journal", ["kept", "lost"])
@pytest.mark.parametrize("contract", CONTRACTS)
def test_careful_comes_through_a_crash_in_every_twin(contract: str, journal: str, tmp_path: Path) -> None:
    group = group_of(tmp_path, crash_plan(journal), contract)
    for agent in (careful, careful_async, ORACLE):
        for twin in group.twins:
            history = lived(agent, group, twin)
            verdict = judge(history)
            assert not verdict.codes, (twin, verdict.findings)
            assert verdict.verdict == "pass"
            assert len(crashes(history)) == (twin != "clean")
            assert len(history.ledger) <= 1
            assert load(dump(history)) == history


@pytest.mark.parametrize("journal", ["kept", "lost"])
@pytest.mark.parametrize("when", ["before_send", "after_dispatch", "after_receipt"])
def test_a_crash_leaves_no_receipt_and_the_same_server(when: str, journal: str, tmp_path: Path) -> None:
    group = group_of(tmp_path, named_crash(when, journal), "status")
    history = lived(careful, group, group.twins[1])
    died = crashes(history)
    assert [item.journal for item in died] == [journal]
    assert not [event for event in history.events if type(event) is Receipt and event.call == died[0].call]
    assert [effect.call for effect in history.ledger] == [5 if when == "before_send" else 2]
    assert not judge(history).codes
    assert history.claim is not None and history.claim.status == "done"


def test_the_caller_cannot_tell_the_twins_of_a_crash_until_it_asks(tmp_path: Path) -> None:
    group = group_of(tmp_path, crash_plan("kept"))

    def looks(task: Any, env: Any) -> Claim:
        views[-1].append((env.now(), env.resumed, env.calls, dict(env.store), dict(env.notes), task.id))
        if not env.resumed:
            env.store["a"] = {"b": [1]}
            env.notes["c"] = 2
            env.tools["refund_order"](**ARGS)
        return Claim.not_done()

    views: list[list[Any]] = []
    for twin in group.twins[1:]:
        views.append([])
        lived(looks, group, twin)
    assert all(view == views[0] for view in views)
    (_, first, *_), (later_s, again, calls, store, notes, _) = views[0]
    assert (first, again, calls, store, notes) == (False, True, 1, {"a": {"b": [1]}}, {})
    assert later_s > 0


def test_a_lost_journal_is_empty(tmp_path: Path) -> None:
    group = group_of(tmp_path, crash_plan("lost"))

    def looks(task: Any, env: Any) -> Claim:
        stores.append(dict(env.store))
        if not env.resumed:
            env.store["a"] = 1
            env.tools["refund_order"](**ARGS)
        return env.hand_over("?")  # type: ignore[no-any-return]  # a Claim

    stores: list[Any] = []
    lived(looks, group, "never")
    assert stores == [{}, {}]


def absorbs(task: Any, env: Any) -> Claim:
    with suppress(BaseException):
        env.tools["refund_order"](**ARGS)
    return Claim.done()


def absorbs_and_asks(task: Any, env: Any) -> Claim:
    try:
        env.tools["refund_order"](**ARGS)
    except BaseException:  # noqa: BLE001  # what the test is about
        env.tools["list_refunds"](order_id="A17")
    return Claim.done()


def renames(task: Any, env: Any) -> Claim:
    try:
        env.tools["refund_order"](**ARGS)
    except BaseException as error:
        raise RuntimeError("something") from error
    return Claim.done()


async def absorbs_async(task: Any, env: Any) -> Claim:
    await asyncio.gather(env.atools["refund_order"](**ARGS), return_exceptions=True)
    return Claim.done()


async def absorbs_and_asks_async(task: Any, env: Any) -> Claim:
    try:
        await env.atools["refund_order"](**ARGS)
    except BaseException:  # noqa: BLE001  # what the test is about
        await env.atools["list_refunds"](order_id="A17")
    return Claim.done()


@pytest.mark.parametrize("agent", [absorbs, absorbs_and_asks, renames, absorbs_async, absorbs_and_asks_async])
def test_a_crash_that_is_caught_is_a_crash_of_the_agent(agent: Callable[..., Any], tmp_path: Path) -> None:
    history = lived(agent, group_of(tmp_path, crash_plan("kept")), "committed")
    assert history.end == "crashed"
    assert "call 1" in history.error and "must not catch" in history.error
    assert "FL902" in judge(history).codes
    assert len([event for event in history.events if type(event) is Call]) == 1


def test_a_crash_that_nobody_planned_is_the_agents_own(tmp_path: Path) -> None:
    def dies(task: Any, env: Any) -> Claim:
        raise Crash

    history = lived(dies, group_of(tmp_path, crash_plan("kept")), "committed")
    assert history.end == "crashed"
    assert "no crash is planned" in history.error


def test_a_dead_process_writes_nothing(tmp_path: Path) -> None:
    def clings(task: Any, env: Any) -> Claim:
        if env.resumed:
            return Claim.unknown(repr((dict(env.store), env.now())))
        try:
            env.tools["refund_order"](**ARGS)
        finally:
            for late in (
                lambda: env.store.update(a=1),
                lambda: env.notes.clear() or env.notes.update(a=1),
                lambda: env.sleep(5),
                lambda: env.ask_user("?"),
                lambda: env.hand_over("?"),
            ):
                with pytest.raises(Crash):
                    late()
        raise AssertionError("not reached")

    history = lived(clings, group_of(tmp_path, crash_plan("kept")), "never")
    assert history.claim is not None
    store, now_s = eval(history.claim.text)  # noqa: S307  # our own repr
    assert store == {} and 0 < now_s < 1


@pytest.mark.parametrize("agent", [careful, careful_async])
def test_a_crash_may_strike_again_and_again(agent: Callable[..., Any], tmp_path: Path) -> None:
    text = """plan:
  - {tool: refund_order, twins: [never, committed], symptom: crash_kept}
  - {tool: refund_order, fault: client_crash, occurrence: 2, with: {when: before_send}}"""
    for contract in ("status", "strict"):
        history = lived(agent, group_of(tmp_path, text, contract), "never")
        assert len(crashes(history)) == 2
        assert not judge(history).codes
        assert len(history.ledger) == 1
        assert history.claim is not None and history.claim.status == "done"


def test_what_a_dead_life_left_running_reaches_nothing(tmp_path: Path) -> None:
    async def leaves(task: Any, env: Any) -> Claim:
        if env.resumed:
            await env.asleep(60)
            return Claim.unknown()

        async def later() -> None:
            try:
                await asyncio.sleep(30)
            finally:
                with suppress(BaseException):
                    await env.atools["list_refunds"](order_id="A17")

        running.append(asyncio.create_task(later()))
        running.append(asyncio.create_task(env.atools["get_order"](order_id="A17")))
        await asyncio.sleep(0)
        await env.atools["refund_order"](**ARGS)
        raise AssertionError("not reached")

    running: list[asyncio.Task[Any]] = []
    history = lived(leaves, group_of(tmp_path, crash_plan("kept")), "committed")
    assert history.end == "claimed"
    assert [event.tool for event in history.events if type(event) is Call] == ["get_order", "refund_order"]
    assert all(task.done() for task in running)


def test_a_task_group_may_wrap_the_crash(tmp_path: Path) -> None:
    async def grouped(task: Any, env: Any) -> Claim:
        if not env.resumed:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(env.atools["refund_order"](**ARGS))
        return Claim.unknown()

    history = lived(grouped, group_of(tmp_path, crash_plan("kept")), "committed")
    assert history.end == "claimed" and len(crashes(history)) == 1


def by_function(task: Any, env: Any) -> Any:
    return env.tools["list_refunds"](order_id="A17") if env.resumed else env.tools["refund_order"](**ARGS)


def by_http(task: Any, env: Any) -> Any:
    if env.resumed:
        return env.http.post("/tools/list_refunds", json={"order_id": "A17"}).raise_for_status()
    return env.http.post("/tools/refund_order", json=ARGS)


async def by_function_async(task: Any, env: Any) -> Any:
    tools = env.atools
    return await (tools["list_refunds"](order_id="A17") if env.resumed else tools["refund_order"](**ARGS))


async def by_http_async(task: Any, env: Any) -> Any:
    if env.resumed:
        return (await env.ahttp.post("/tools/list_refunds", json={"order_id": "A17"})).raise_for_status()
    return await env.ahttp.post("/tools/refund_order", json=ARGS)


@pytest.mark.parametrize("twin", ["never", "committed", "late_network", "late_server"])
def test_histories_are_equal_over_all_transports_after_a_crash(twin: str, tmp_path: Path) -> None:
    group = group_of(tmp_path, crash_plan("kept"), "strict")
    texts = set()
    for ask in (by_function, by_http, by_function_async, by_http_async):
        if asyncio.iscoroutinefunction(ask):

            async def agent(task: Any, env: Any, ask: Any = ask) -> Claim:
                await ask(task, env)
                return Claim.unknown()

        else:

            def agent(task: Any, env: Any, ask: Any = ask) -> Claim:  # type: ignore[misc]  # one of the two
                ask(task, env)
                return Claim.unknown()

        history = lived(agent, group, twin)
        assert len(crashes(history)) == 1
        texts.add(dump(history))
    assert len(texts) == 1


@pytest.mark.parametrize("agent", [careful, careful_async])
def test_the_real_clock_goes_on_through_a_crash(agent: Callable[..., Any], tmp_path: Path) -> None:
    group = group_of(tmp_path, crash_plan("kept"), "strict")
    history = lived(agent, group, "committed", Conditions(7, clock="real"))
    assert not judge(history).codes
    assert len(crashes(history)) == 1
    times = [event.t for event in history.events if type(event) is not Note]
    assert times == sorted(times)


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for journal in ("kept", "lost"):
        group = group_of(tmp_path, crash_plan(journal), "settle")
        for twin in group.twins:
            assert len({dump(lived(agent, group, twin)) for agent in (careful, careful, careful_async)}) == 1


def test_resending_after_a_crash_is_found_out(tmp_path: Path) -> None:
    """The others start again as if nothing had been sent."""
    group: Group = group_of(tmp_path, crash_plan("kept"))
    for name in ("blind_retry", "same_key", "fresh_key"):
        assert {"FL101", "FL201"} <= set(judge(lived(AGENTS[name], group, "committed")).codes)
    assert "FL203" in judge(lived(AGENTS["giver_up"], group, "committed")).codes
    assert "FL502" in judge(lived(AGENTS["never_retry"], group, "committed")).codes
    assert not judge(lived(AGENTS["query_once"], group, "committed")).codes


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("journal", ["kept", "lost"])
def test_the_timeline_tells_a_crash_and_what_was_left(width: int, journal: str, tmp_path: Path) -> None:
    history = lived(careful, group_of(tmp_path, crash_plan(journal), "strict"), "committed")
    lines = [line.plain for line in timeline_lines(timeline_of(history), width)]
    assert all(len(line) <= width for line in lines)
    text = " ".join(" ".join(lines).split())
    died = text.index("CRASH in #2: its process dies")
    assert text.index("#2 refund_order") < died < text.index("STARTS again") < text.index("#3 get_order")
    assert ("finds its store" in text) == (journal == "kept")
    assert "journal/refund_order(A17) under" in text[:died]
    assert "receipt" not in text[died : text.index("CLAIM")], "no receipt of #2 is drawn"
    clean = lived(careful, group_of(tmp_path, crash_plan(journal), "strict"), "clean")
    assert not any("store:" in line.plain for line in timeline_lines(timeline_of(clean), width))


def test_a_call_that_never_left_is_drawn_as_lost(tmp_path: Path) -> None:
    group = group_of(tmp_path, named_crash("before_send", "kept"))
    lines = timeline_of(lived(careful, group, group.twins[1])).lines
    ways = [line.way for line in lines if line.caller.startswith("#2")]
    assert ways == ["lost"]
    sent = group_of(tmp_path, named_crash("after_receipt", "kept"))
    lines = timeline_of(lived(careful, sent, sent.twins[1])).lines
    assert [line.way for line in lines if line.caller.startswith("#2") or line.fault] == ["sent", "no_answer"]
