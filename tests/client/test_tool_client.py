"""The tool client on the real engine: one effect at most, true results, and the same operation whoever calls again."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from client.tool_lab import REFUND, Shop
from hypothesis import given, settings
from hypothesis import strategies as st

import faultlab
from faultlab.client.client import ToolClient
from faultlab.client.policy import TABLE, Row
from faultlab.client.result import NotDone, OutcomeUnknown, Result
from faultlab.client.tool_spec import Page, ToolSpec
from faultlab.client.work import Work
from faultlab.core.agent import Budget
from faultlab.core.clock import NS, VirtualClock
from faultlab.core.errors import BadInput
from faultlab.core.records import Outcome
from faultlab.core.tools import Refused
from faultlab.faults.plan import Planned

CONTRACTS = ("none", "status", "fence", "cooperative", "settle", "strict", "ietf", "stripe_v1")
PHASES = ("connect", "before", "after", "late_network", "late_server", "torn")


def fault(phase: str, symptom: str = "timeout", tool: str = "refund_order", **more: Any) -> Planned:
    """One that keeps every promise: what is late lands before a settle time of 30 s is over."""
    return Planned(tool, phase, symptom, late_ns=20 * NS, **more)


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("phase", [None, *PHASES])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_at_most_one_effect_and_the_result_is_true(contract: str, phase: str | None, way: str, tmp_path: Path) -> None:
    shop = Shop(contract, *([fault(phase)] if phase else []))
    client = shop.client(tmp_path)
    sync = way == "sync"
    result = client.call(shop.spec(), **REFUND) if sync else asyncio.run(client.acall(shop.aspec(), **REFUND))
    client.close()
    check(result, shop.effects, surplus=contract in ("strict", "ietf", "stripe_v1") and phase == "torn")


def check(result: Result, effects: int, *, surplus: bool = False) -> None:
    """`surplus`: the server lost a key that it had promised to keep."""
    assert effects <= (2 if surplus else 1)
    if result.status == "done":
        assert (result.outcome, effects >= 1) == (Outcome.APPLIED, True)
    elif result.status == "handed_over":
        assert result.outcome is Outcome.UNKNOWN
        assert result.hand_over is not None
        assert result.hand_over.handle
    else:
        assert (result.outcome, effects) == (Outcome.NOT_APPLIED, 0)


@given(
    contract=st.sampled_from(CONTRACTS),
    plan=st.lists(
        st.builds(
            fault,
            st.sampled_from(["before", "after", "late_network", "late_server"]),
            st.sampled_from(["timeout", "reset", "status", "truncated"]),
            st.sampled_from(["refund_order", "list_refunds", "operation_status"]),
            occurrence=st.integers(1, 3),
            required=st.just(False),
        ),
        max_size=4,
    ),
    calls=st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_called_again_and_again_it_is_one_operation(
    contract: str, plan: list[Any], calls: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    unique = {(item.tool, item.occurrence): item for item in plan}
    shop = Shop(contract, *unique.values())
    folder = tmp_path_factory.mktemp("again")
    for _ in range(calls):
        with shop.client(folder) as client:  # each time a new process, with a new call of the model
            result = client.call(shop.spec(), **REFUND)
    check(result, shop.effects)


@given(
    contract=st.sampled_from(CONTRACTS),
    phases=st.lists(st.sampled_from(["before", "after", "late_network", "late_server"]), max_size=2),
    symptom=st.sampled_from(["timeout", "reset", "status"]),
    deaf=st.integers(0, 4),
)
@settings(max_examples=40, deadline=None)
def test_what_is_read_back_from_the_journal_is_what_was_known(
    contract: str, phases: list[str], symptom: str, deaf: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    writes = [fault(phase, symptom, occurrence=n, required=False) for n, phase in enumerate(phases, 1)]
    reads = [fault("before", symptom, "list_refunds", occurrence=n, required=False) for n in range(1, deaf + 1)]
    shop = Shop(contract, *writes, *reads)
    seen: list[Any] = []
    spy = Row("spy", lambda recovery: bool(seen.append(recovery)), TABLE[0].move)  # type: ignore[func-returns-value]
    with shop.client(tmp_path_factory.mktemp("back"), table=(spy, *TABLE)) as client:
        client.call(shop.spec(), **REFUND)
        live = seen[-1]
        claimed = client._journal.claim(live.row, live.times.now_ns() + 10**12, 1)
        back = Work(shop.spec(), REFUND, claimed, Budget(), live.times, 1)
    assert known(back) == known(live)


def known(work: Work) -> dict[str, Any]:
    operation = work.operation
    fields = ("applied", "open", "handles", "tombs", "settled_by", "failed", "disputed", "last_unknown_ns", "reads")
    calls = [(call.n, call.t, call.key, call.reference) for call in operation.calls]
    receipts = [(n, item.t, item.outcome, item.status, item.error) for n, item in operation.receipts.items()]
    facts = {name: getattr(operation, name) for name in fields}
    return {**facts, "calls": calls, "receipts": receipts, "key": work.key, "reference": work.reference}


def test_threads_that_want_the_same_send_it_once(tmp_path: Path) -> None:
    sent: list[str] = []
    inside = threading.Event()

    def order(item: str) -> int:
        sent.append(item)
        inside.wait(5)
        return len(sent)

    with ToolClient(str(tmp_path / "j.db")) as client, ThreadPoolExecutor(4) as pool:
        client.add(ToolSpec.of(order, contract="none", identity=["item"]))
        waiting = [pool.submit(client.call, "order", item="mug") for _ in range(4)]
        while not sent:
            pass
        inside.set()
        results = [future.result() for future in waiting]
    assert [result.value for result in results] == [1] * 4
    assert sent == ["mug"]


def test_a_promise_is_followed_until_it_is_kept(tmp_path: Path) -> None:
    clock = VirtualClock()

    def refund(order_id: str, reference: str) -> dict[str, str]:
        return {"state": "accepted"}

    def status(reference: str) -> str:
        return "applied" if clock.now() > 12 * NS else "not_ready"

    with ToolClient(str(tmp_path / "j.db"), clock=clock) as client:
        spec = ToolSpec.of(refund, contract="status", identity=["order_id"], status=status, provisional=True)
        result = client.call(spec, order_id="A17")
    assert (result.status, result.value) == ("done", {"state": "applied"})
    assert clock.now() > 12 * NS


def test_a_cancelled_coroutine_leaves_an_operation_that_the_next_call_finishes(tmp_path: Path) -> None:
    calls: list[str] = []

    async def refund(order_id: str, idempotency_key: str) -> str:
        calls.append(idempotency_key)
        if len(calls) == 1:
            await asyncio.sleep(60)
        return "paid"

    async def cancelled_then_called(client: ToolClient) -> Result:
        first = asyncio.create_task(client.acall("refund", order_id="A17"))
        while not calls:
            await asyncio.sleep(0.001)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return await client.acall("refund", order_id="A17")

    with ToolClient(str(tmp_path / "j.db")) as client:
        client.add(ToolSpec.of(refund, contract="strict", identity=["order_id"]))
        result = asyncio.run(cancelled_then_called(client))
    assert (result.value, len(calls), len(set(calls))) == ("paid", 2, 1)
    assert [item.said for item in result.evidence] == ["CancelledError", "200"]


def test_a_done_operation_is_answered_from_the_journal(tmp_path: Path) -> None:
    shop = Shop("none")
    with shop.client(tmp_path) as client:
        first = client.call(shop.spec(), **REFUND)
    count = shop.session.count
    with shop.client(tmp_path) as client:
        second = client.call(shop.spec(), **REFUND)
    assert shop.session.count == count == 1
    assert second == first


def test_equal_operations_are_told_apart_by_label_and_by_run(tmp_path: Path) -> None:
    made: list[str] = []

    def order(item: str, idempotency_key: str) -> str:
        made.append(idempotency_key)
        return item

    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as client:
        client.add(ToolSpec.of(order, contract="strict", identity=["item"]))
        results = [client.call("order", item="mug", operation=label) for label in ("line-1", "line-2", "line-1", "")]
        results.append(client.of_run("another").call("order", item="mug", operation="line-1"))
    assert [result.operation for result in results] == [f"order(mug){mark}" for mark in ("", "#2", "", "#3", "#4")]
    assert len(made) == len(set(made)) == 4


def test_keys_depend_on_the_operation_and_not_on_the_journal_where_the_run_is_named(tmp_path: Path) -> None:
    keys: list[str] = []

    def order(item: str, idempotency_key: str) -> None:
        keys.append(idempotency_key)

    for run in ("r", "r", None, None):
        with ToolClient(str(tmp_path / f"{len(keys)}.db"), run=run, clock=VirtualClock()) as client:
            client.call(ToolSpec.of(order, contract="strict", identity=["item"]), item="mug")
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3
    assert all(len(key) == 36 for key in keys)


def test_other_parameters_of_the_same_operation_are_not_sent(tmp_path: Path) -> None:
    shop = Shop("strict")
    with shop.client(tmp_path) as client:
        client.call(shop.spec(), **REFUND)
        with pytest.raises(BadInput, match=r"refund_order\(A17\) was called before .*'40.00'.*'1.00'.*operation="):
            client.call(shop.spec(), order_id="A17", amount="1.00")
    assert shop.effects == 1


def test_parameters_corrected_after_a_refusal_get_a_key_of_their_own(tmp_path: Path) -> None:
    keys: list[str] = []

    def refund(order_id: str, amount: str, idempotency_key: str) -> str:
        keys.append(idempotency_key)
        if amount == "400.00":
            raise Refused(422, "too_much", "more than was paid")
        return amount

    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as client:
        spec = client.add(ToolSpec.of(refund, contract="strict", identity=["order_id"]))
        wrong = client.call(spec, order_id="A17", amount="400.00")
        again = client.call(spec, order_id="A17", amount="400.00")
        right = client.call(spec, order_id="A17", amount="40.00")
    assert (wrong.status, again.status, right.status) == ("not_done", "not_done", "done")
    assert "422: more than was paid" in wrong.for_model()
    assert len(keys) == len(set(keys)) == 2  # the refused request was not repeated


def test_the_waits_obey_the_server_and_the_budget(tmp_path: Path) -> None:
    clock = VirtualClock()
    busy = httpx.Response(429, headers={"Retry-After": "40"}, request=httpx.Request("POST", "https://api.example/"))
    answers = iter([busy, busy])

    def refund(order_id: str, idempotency_key: str) -> str:
        for answer in answers:
            answer.raise_for_status()
        return "paid"

    with ToolClient(str(tmp_path / "j.db"), clock=clock, budget=Budget(10, 60, 20)) as client:
        spec = client.add(ToolSpec.of(refund, contract="strict", identity=["order_id"]))
        late = client.call(spec, order_id="A17")
        assert 40e9 <= clock.now() < 60e9
        assert (late.status, late.outcome, late.resumable) == ("not_done", Outcome.NOT_APPLIED, True)
        assert late.not_before is not None and late.not_before in late.for_model()
        done = client.call(spec, order_id="A17")
    assert done.value == "paid"
    assert clock.now() >= 80e9


def test_a_retry_after_date_counts_from_the_date_of_its_answer(tmp_path: Path) -> None:
    clock = VirtualClock()
    headers = {"Date": "Wed, 02 Dec 2026 10:00:00 GMT", "Retry-After": "Wed, 02 Dec 2026 10:00:30 GMT"}
    busy = httpx.Response(503, headers=headers, request=httpx.Request("POST", "https://api.example/"))
    answers = iter([busy])

    def refund(order_id: str, idempotency_key: str) -> str:
        for answer in answers:
            answer.raise_for_status()
        return "paid"

    with ToolClient(str(tmp_path / "j.db"), clock=clock) as client:
        assert (
            client.call(ToolSpec.of(refund, contract="strict", identity=["order_id"]), order_id="A17").status == "done"
        )
    assert 30e9 <= clock.now() < 33e9


def test_what_has_no_budget_left_is_gone_on_with_by_reconcile(tmp_path: Path) -> None:
    down = [True]

    def refund(order_id: str, idempotency_key: str) -> str:
        if down[0]:
            raise httpx.ReadTimeout("timed out")
        return "paid"

    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as client:
        client.add(ToolSpec.of(refund, contract="strict", identity=["order_id"]))
        result = client.call("refund", order_id="A17")
        assert (result.status, result.resumable) == ("handed_over", True)
        down[0] = False
        (settled,) = client.reconcile()
        assert (settled.status, settled.value) == ("done", "paid")
        assert client.reconcile() == []


def test_what_nothing_can_settle_is_handed_over_for_good_and_not_sent_again(tmp_path: Path) -> None:
    shop = Shop("none", fault("after"), *[fault("before", tool="list_refunds", occurrence=n) for n in range(1, 9)])
    with shop.client(tmp_path) as client:
        result = client.call(shop.spec(), **REFUND)
        sent = shop.session.count
        assert (result.status, result.resumable) == ("handed_over", False)
        again = client.call(shop.spec(), **REFUND)
        assert client.reconcile() == []
    assert again.hand_over == result.hand_over
    assert shop.session.count == sent
    assert shop.effects == 1


def test_an_operation_of_a_tool_that_is_not_known_here_is_reported_and_left_open(tmp_path: Path) -> None:
    shop = Shop("none", fault("after"))

    def die(step: str) -> None:
        if step == "after call":
            raise faultlab.Crash

    with shop.client(tmp_path, hook=die) as dying, pytest.raises(faultlab.Crash):
        dying.call(shop.spec(), **REFUND)
    with shop.client(tmp_path) as other:
        for _ in range(2):
            (found,) = other.reconcile()
            assert (found.status, found.resumable) == ("handed_over", True)
            assert "refund_order is not declared here" in found.why
            assert found.hand_over is not None and found.hand_over.handle
        shop.session.clock.sleep(61)
        other.add(shop.spec())
        assert [result.status for result in other.reconcile()] == ["done"]
    assert shop.effects == 1


def test_a_guarded_function_looks_as_before_without_key_and_reference(tmp_path: Path) -> None:
    import inspect

    client = ToolClient(str(tmp_path / "j.db"), clock=VirtualClock())

    @client.guard(contract="strict", identity=["order_id"])
    def refund(order_id: str, amount: str = "1.00", *, idempotency_key: str) -> dict[str, str]:
        """Pay back."""
        return {"order_id": order_id, "amount": amount, "key": idempotency_key}

    assert str(inspect.signature(refund)) == "(order_id: str, amount: str = '1.00') -> dict[str, str]"
    assert (refund.__name__, refund.__doc__) == ("refund", "Pay back.")
    assert "idempotency_key" not in refund.__annotations__
    assert refund("A17") == refund(order_id="A17", amount="1.00")  # type: ignore[call-arg]  # the client gives the key
    with pytest.raises(BadInput, match="made by the client|unexpected"):
        refund("A17", idempotency_key="mine")
    with pytest.raises(BadInput, match="missing a required argument: 'order_id'"):
        refund()  # type: ignore[call-arg]  # the mistake is the point
    client.close()


def test_a_guarded_coroutine_function_is_awaited(tmp_path: Path) -> None:
    client = ToolClient(str(tmp_path / "j.db"), clock=VirtualClock())
    calls: list[str] = []

    @client.guard(contract="strict", identity=["order_id"])
    async def refund(order_id: str, idempotency_key: str = "") -> str:
        calls.append(idempotency_key)
        if len(calls) == 1:
            raise httpx.ReadTimeout("timed out")
        return "paid"

    async def twice() -> list[str]:
        return [await refund("A17"), await refund("A17")]

    assert asyncio.run(twice()) == ["paid", "paid"]
    assert len(calls) == 2 and len(set(calls)) == 1
    with pytest.raises(BadInput, match="is asynchronous: use acall or areconcile"):
        client.call(refund, order_id="B92")
    client.close()


def test_the_exceptions_of_a_guarded_function_say_what_is_known(tmp_path: Path) -> None:
    client = ToolClient(str(tmp_path / "j.db"), clock=VirtualClock())

    @client.guard(contract="none", identity=["order_id"])
    def refund(order_id: str) -> str:
        raise Refused(422, "no", "already refunded") if order_id == "A17" else httpx.ReadTimeout("timed out")

    with pytest.raises(NotDone, match="was not carried out: that is certain") as certain:
        refund("A17")
    with pytest.raises(OutcomeUnknown, match="not known whether") as unknown:
        refund("B92")
    assert certain.value.result.outcome is Outcome.NOT_APPLIED
    assert unknown.value.result.hand_over is not None
    client.close()


@pytest.mark.parametrize(
    ("complete", "status"),
    [(True, "done"), (False, "handed_over")],
)
def test_a_page_that_is_not_complete_proves_no_absence(complete: bool, status: str, tmp_path: Path) -> None:
    sent: list[str] = []

    def refund(order_id: str) -> str:
        sent.append(order_id)
        if len(sent) == 1:
            raise httpx.ReadTimeout("timed out")
        return "paid"

    contract = {"profile": "settle", "settle_s": 10}
    spec = ToolSpec.of(refund, contract=contract, identity=["order_id"], query=lambda order_id: Page([], complete))
    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as client:
        assert client.call(spec, order_id="A17").status == status
    assert len(sent) == (2 if complete else 1)


def test_a_function_that_needs_a_key_is_refused_under_a_contract_without_keys() -> None:
    def refund(order_id: str, idempotency_key: str) -> None: ...

    with pytest.raises(BadInput, match=r"tool refund: the contract 'none' knows no keys.*a default"):
        ToolSpec.of(refund, contract="none", identity=["order_id"])


def test_a_query_by_its_own_key_proves_the_operation_and_gives_its_value(tmp_path: Path) -> None:
    made: dict[str, dict[str, str]] = {}

    def refund(order_id: str, reference: str) -> dict[str, str]:
        made[reference] = {"id": "re_1", "order": order_id}
        raise httpx.ReadTimeout("timed out")

    def find(order_id: str, reference: str) -> dict[str, str] | None:
        return made.get(reference)

    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as client:
        client.guard(contract="none", identity=["order_id"], query=find)(refund)
        result = client.call("refund", order_id="A17")
        assert (result.status, result.value) == ("done", {"id": "re_1", "order": "A17"})
        assert [item.proves for item in result.evidence] == [False, True]
        assert client.call("refund", order_id="A17").value == result.value
    assert len(made) == 1


@pytest.mark.parametrize(
    ("declare", "told"),
    [
        (lambda f: ToolSpec.of(f, contract="none", identity=["order"]), "identity names 'order'"),
        (lambda f: ToolSpec.of(f, contract="none", identity=[]), "must name the parameters"),
        (lambda f: ToolSpec.of(f, contract="strict", identity=["order_id"]), "must take 'idempotency_key'"),
        (lambda f: ToolSpec.of(f, contract="status", identity=["order_id"]), "status=... must say how it is asked"),
        (lambda f: ToolSpec.of(f, contract="nnoe", identity=["order_id"]), "unknown contract 'nnoe'"),
        (
            lambda f: ToolSpec.of(f, contract="fence", identity=["order_id"], fence=lambda reference: "applied"),
            "must take 'reference'",
        ),
        (
            lambda f: ToolSpec.of(f, contract="none", identity=["order_id"], query=lambda amount: None),
            "query\\(...\\) wants 'amount'",
        ),
    ],
)
def test_a_declaration_that_cannot_be_meant_is_refused(declare: Any, told: str) -> None:
    def refund(order_id: str) -> None: ...

    with pytest.raises(BadInput, match=told):
        declare(refund)


def test_arguments_that_cannot_be_sent_again_are_refused(tmp_path: Path) -> None:
    def refund(order_id: str, note: Any) -> None: ...

    with ToolClient(str(tmp_path / "j.db")) as client:
        spec = client.add(ToolSpec.of(refund, contract="none", identity=["order_id"]))
        with pytest.raises(BadInput, match="argument .note.: .*must be plain JSON"):
            client.call(spec, order_id="A17", note=object())
        with pytest.raises(BadInput, match="unknown tool 'refnud'; declared: refund"):
            client.call("refnud", order_id="A17")
        with pytest.raises(BadInput, match="is declared already"):
            client.add(ToolSpec.of(refund, contract="none", identity=["note"]))
        with pytest.raises(BadInput, match="made by the client"):
            client.call(spec, order_id="A17", note="", reference="mine")
