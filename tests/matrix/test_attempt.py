"""One attempt: what an agent may do to the lab, and what the lab says of agents that go wrong."""

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from faultlab.core.agent import ToolError
from faultlab.core.history import History
from faultlab.core.records import Claim, HandOver
from faultlab.core.trace import dump, load
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.loader import find
from faultlab.matrix.scenario import Group
from faultlab.records.rows import encode

HERE = str(Path(__file__))
SEED = Conditions(7, wall_limit_s=0.3)


@pytest.fixture(scope="module")
def group() -> Group:
    return next(item for item in find(["lost-receipt"])[0].groups() if item.contract.name == "none")


def attempt(agent: Callable[..., Any], group: Group, twin: str = "clean") -> History:
    return run_attempt(agent, group, twin, 1, SEED)[0]


def test_an_agent_changes_nothing_for_the_next_one(group: Group) -> None:
    seen: list[tuple[Any, ...]] = []

    def vandal(task: Any, env: Any) -> Claim:
        order = env.tools["get_order"](order_id="A17")
        seen.append((dict(task.inputs), dict(task.tools["refund_order"]), dict(order), env.http.cookies.get("left")))
        order["total"] = "0.01"
        task.inputs["refund"].append("B92")
        task.tools["refund_order"]["parameters"]["required"].clear()
        task.tools["refund_order"]["contract"]["status"] = True
        env.http.cookies.set("left", "behind")
        return Claim.not_done()

    first = attempt(vandal, group)
    assert dump(attempt(vandal, group)) == dump(first)
    assert seen[0] == seen[1]


def test_all_twins_look_alike_and_attempts_do_not(group: Group) -> None:
    def look(task: Any, env: Any) -> Claim:
        views.append(repr((task.id, task.instruction, task.inputs, task.budget, dict(task.tools), env.base_url)))
        return Claim.not_done()

    views: list[str] = []
    for twin in group.twins:
        attempt(look, group, twin)
    assert len(set(views)) == 1
    for name in (group.scenario.id, "never", "committed", "late_network", "clean", "boundary"):
        assert name not in views[0]
    run_attempt(look, group, "clean", 2, SEED)
    assert views[-1] != views[0]


def ends_it(task: Any, env: Any) -> Any:
    os._exit(0)


def ends_it_and_goes_on(task: Any, env: Any) -> Any:
    with suppress(BaseException):
        os._exit(0)
    return Claim.done()


def ends_it_in_a_thread(task: Any, env: Any) -> Any:
    thread = threading.Thread(target=os._exit, args=(0,))
    thread.start()
    thread.join()


def becomes_another(task: Any, env: Any) -> Any:
    os.execv("/bin/true", ["true"])  # noqa: S606  # what the test is about


async def ends_it_in_a_loop(task: Any, env: Any) -> Any:
    os._exit(0)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # Python itself is silent
@pytest.mark.parametrize(
    "agent", [ends_it, ends_it_and_goes_on, ends_it_in_a_thread, becomes_another, ends_it_in_a_loop]
)
def test_an_agent_does_not_end_the_lab(agent: Callable[..., Any], group: Group) -> None:
    real = os._exit
    history = attempt(agent, group)
    assert history.end == "crashed" and "would have ended faultlab itself" in history.error
    assert os._exit is real


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork is a thing of POSIX")
def test_a_child_that_the_agent_forked_ends_as_it_likes(group: Group) -> None:
    def forks(task: Any, env: Any) -> Claim:
        child = os.fork()
        if not child:
            os._exit(7)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        return Claim.not_done()

    codes: list[int] = []
    assert attempt(forks, group).end == "claimed" and codes == [7]


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("nothing to say")


def in_the_claim(task: Any, env: Any) -> Any:
    return Claim.done("Refunded \ud83d")


def in_the_store(task: Any, env: Any) -> Any:
    env.store["left"] = [object()]


def in_the_notes(task: Any, env: Any) -> Any:
    env.notes["left"] = {"bytes": b"\xff"}


def in_a_call(task: Any, env: Any) -> Any:
    with suppress(ToolError):
        env.tools["refund_order"](order_id="A17", amount=object())


def in_an_identity(task: Any, env: Any) -> Any:
    with suppress(ToolError):
        env.tools["refund_order"](order_id=object(), amount="40.00")


def in_a_text_of_a_call(task: Any, env: Any) -> Any:
    with suppress(ToolError):
        env.tools["refund_order"](order_id="A17", amount="40.00", reference="\ud83d")


def in_a_question(task: Any, env: Any) -> Any:
    env.ask_user("\ud83d?")


def in_an_exception(task: Any, env: Any) -> Any:
    raise ValueError("\ud83d")


def in_no_text(task: Any, env: Any) -> Any:
    raise Mute


@pytest.mark.parametrize(
    ("agent", "named"),
    [
        (in_the_claim, "its claim"), (in_the_store, "env.store"), (in_the_notes, "env.store"),
        (in_a_call, "a tool call"), (in_an_identity, ""), (in_a_text_of_a_call, ""),
        (in_a_question, "ask_user"), (in_an_exception, "ValueError: ?"), (in_no_text, "__str__ raises RuntimeError"),
    ],
)  # fmt: skip
def test_what_json_cannot_hold_is_the_agents_crash_and_can_be_stored(
    agent: Callable[..., Any], named: str, group: Group
) -> None:
    history = attempt(agent, group)
    assert history.end == "crashed" and named in history.error
    assert load(dump(history, encode)).end == "crashed" and dump(history, encode) == dump(history)


def nonsense(task: Any, env: Any) -> Any:
    return "ok"


def raises(task: Any, env: Any) -> Any:
    raise ValueError("boom")


def exits(task: Any, env: Any) -> Any:
    raise SystemExit(3)


def wrong_status(task: Any, env: Any) -> Any:
    return Claim("success")  # type: ignore[arg-type]  # what the test is about


def wrong_evidence(task: Any, env: Any) -> Any:
    return Claim("done", evidence=("3",))  # type: ignore[arg-type]  # as above


def wrong_operations(task: Any, env: Any) -> Any:
    return Claim("done", operations={"refund_order(A17)": ["done"]})  # type: ignore[dict-item]  # as above


def wrong_records(task: Any, env: Any) -> Any:
    return Claim("handed_over", hand_over=({"operation": "refund_order(A17)"},))  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (nonsense, ["returned 'ok' (str)", "Claim or None"]),
        (raises, ["ValueError: boom", HERE]),
        (exits, ["SystemExit: 3", HERE]),
        (wrong_status, ["status 'success'", "handed_over"]),
        (wrong_evidence, ["evidence", "numbers of calls"]),
        (wrong_operations, ["operations", "done, not_done"]),
        (wrong_records, ["hand_over", "HandOver"]),
    ],
)
def test_a_wrong_agent_is_told_what_is_wrong_with_it(agent: Any, words: list[str], group: Group) -> None:
    history = attempt(agent, group)
    assert history.end == "crashed" and history.claim is None
    assert all(word in history.error for word in words), history.error


def test_lists_in_a_claim_are_taken_as_tuples(group: Group) -> None:
    record = HandOver("refund_order(A17)", None, "", None, 0, "")
    claim = Claim("handed_over", evidence=[1], hand_over=[record])  # type: ignore[arg-type]  # users write lists
    taken = attempt(lambda task, env: claim, group).claim
    assert taken is not None
    assert (taken.evidence, taken.hand_over) == ((1,), (record,))


def busy(task: Any, env: Any) -> Any:
    while True:
        pass


def asks_for_ever(task: Any, env: Any) -> Any:
    while True:
        with suppress(Exception):
            env.tools["get_order"](order_id="nobody")


def no_patience(task: Any, env: Any) -> Any:
    body = {"order_id": "A17", "amount": "40.00", "reference": "r"}
    env.http.post("/v1/refunds", json=body, timeout=None)


def test_agents_that_do_not_end_are_ended(group: Group) -> None:
    began_s = time.monotonic()
    assert (history := attempt(busy, group)).end == "hung" and f"{HERE}:" in history.error
    assert attempt(asks_for_ever, group).end == "over_budget"
    assert (history := attempt(no_patience, group, "committed")).end == "hung" and "no timeout" in history.error
    assert time.monotonic() - began_s < 5


def test_a_real_host_is_refused_and_named(group: Group) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]

        def agent(task: Any, env: Any) -> Any:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()

        history = attempt(agent, group)
        assert history.refused_hosts == (f"127.0.0.1:{port}",)
        assert f"127.0.0.1:{port}" in history.error and "--allow-host" in history.error and HERE in history.error
        with pytest.raises(TimeoutError):
            server.accept()
        allowed = Conditions(7, allow_hosts=("127.0.0.1",))
        history, why = run_attempt(agent, group, "clean", 1, allowed)
        assert history.end == "claimed"
        assert why is not None and str(port) in why
        server.accept()[0].close()


def test_a_thread_moves_the_agent_to_the_real_clock(group: Group) -> None:
    def agent(task: Any, env: Any) -> Claim:
        thread = threading.Thread(target=time.sleep, args=(0.02,))
        thread.start()
        thread.join()
        return Claim.not_done()

    history, why = run_attempt(agent, group, "clean", 1, SEED)
    assert why is not None and "thread" in why
    assert history.claim is not None and history.claim.t >= 20_000_000


def test_sleeping_costs_no_real_time(group: Group) -> None:
    def agent(task: Any, env: Any) -> Claim:
        time.sleep(100)
        env.sleep(100)
        return Claim.not_done()

    began_s = time.monotonic()
    claim = attempt(agent, group).claim
    assert claim is not None and claim.t == 200_000_000_000
    assert time.monotonic() - began_s < 2


def test_calls_after_the_claim_change_nothing(group: Group) -> None:
    kept: list[Any] = []

    def agent(task: Any, env: Any) -> Claim:
        kept.append(env)
        return Claim.not_done()

    history = attempt(agent, group)
    with pytest.raises(BaseException, match="times a budget") as error:
        kept[0].tools["refund_order"](order_id="A17", amount="40.00", reference="late")
    assert not isinstance(error.value, ToolError)
    assert history.ledger == []
