"""What a model, a log and a trace are told."""

import logging
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultlab.client.client import ToolClient
from faultlab.client.result import Evidence, Result
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.clock import VirtualClock
from faultlab.core.records import HandOver, Outcome

INVITES = re.compile(
    r"try (it |this )?again|retry|re-?send|repeat|once more|another attempt|can be called|call (it|the tool) again",
    re.IGNORECASE,
)
NEGATED = re.compile(r"\b(do not|don't|never|nobody|nothing)\b[^.]*", re.IGNORECASE)

evidence = st.builds(
    Evidence,
    st.integers(1, 9),
    st.just("refund"),
    st.just("2026-12-02T10:00:00Z"),
    st.none() | st.just("key-1"),
    st.none() | st.just("ref-1"),
    st.sampled_from(Outcome),
    st.sampled_from(["200", "503", "ReadTimeout", "no receipt"]),
    st.booleans(),
    st.none(),
)
records = st.builds(
    HandOver, st.just("refund(A17)"), st.none() | st.just("ref-1"), st.just("d"), st.none(), st.just(1), st.just("503")
)
unknown = st.builds(
    Result,
    operation=st.just("refund(A17)"),
    status=st.just("handed_over"),
    outcome=st.just(Outcome.UNKNOWN),
    evidence=st.lists(evidence, max_size=3).map(tuple),
    hand_over=st.none() | records,
    resumable=st.booleans(),
    not_before=st.none() | st.just("2026-12-02T10:05:00Z"),
    why=st.sampled_from(["", "status 503", "ReadTimeout"]),
)


@given(unknown)
def test_while_it_is_unknown_nothing_invites_another_call(result: Result) -> None:
    text = result.for_model()
    assert "not known whether refund(A17)" in text
    assert "Do not call this or another tool for it" in text
    assert not INVITES.search(NEGATED.sub("", text)), text
    assert not re.search(r"\b(succeeded|failed|carried out)\b", NEGATED.sub("", text.split(":", 1)[1])), text
    if result.hand_over is not None and result.hand_over.handle:
        assert result.hand_over.handle in text


def test_the_search_for_invitations_finds_them() -> None:
    for text in ("Please try again.", "You may retry later.", "It can be called again after 10:00."):
        assert INVITES.search(NEGATED.sub("", text))


def text_of(tmp_path: Path, error: Exception | None, contract: Any = "none") -> str:
    def refund(order_id: str) -> dict[str, str]:
        if error is not None:
            raise error
        return {"id": "re_1"}

    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as client:
        return client.call(ToolSpec.of(refund, contract=contract, identity=["order_id"]), order_id="A17").for_model()


def answer(status: int, **body: str) -> httpx.HTTPStatusError:
    request = httpx.Request("POST", "https://api.example/refunds")
    return httpx.HTTPStatusError("", request=request, response=httpx.Response(status, json=body, request=request))


def test_each_ending_says_what_is_known_and_what_to_do(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(4)]
    done, refused, wrong, lost = (
        text_of(folder, error)
        for folder, error in zip(
            folders, [None, answer(403), answer(422, detail="no such order"), httpx.ReadTimeout("t")], strict=True
        )
    )
    assert done.startswith("refund(A17) was carried out, once.")
    assert '{"id":"re_1"}' in done and "Do not call the tool for it another time." in done
    assert "it is not allowed" in refused and "Do not look for another way" in refused
    assert "no such order" in wrong and "Correct the arguments" in wrong
    assert "ReadTimeout" in lost and "a person must look it up" in lost


def test_a_long_value_is_cut(tmp_path: Path) -> None:
    result = Result("t(x)", "done", Outcome.APPLIED, value="y" * 10_000)
    assert len(result.for_model()) < 2_200


def cyclic() -> dict[str, Any]:
    found: dict[str, Any] = {"id": "re_1"}
    found["self"] = found
    return found


class Rude:
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (cyclic(), '"self":"(left out: a dict that JSON cannot hold, ValueError)"'),
        (
            {"id": "re_1", "by": {("a", "b"): 1}},
            '"id":"re_1","by":"(left out: a dict that JSON cannot hold, TypeError)"',
        ),
        (["re_1", Rude()], '"re_1","(left out: a Rude that JSON cannot hold, RuntimeError)"'),
        (["re_1", "\ud800"], r'"re_1","\ud800"'),
        ("re_1 \ud800", r"re_1 \ud800"),
    ],
)
def test_any_value_that_a_tool_returns_is_told_to_a_model(value: Any, told: str, tmp_path: Path) -> None:
    with ToolClient(tmp_path / "j.db", run="r") as client:
        tool = ToolSpec.of(lambda order_id: value, name="pay", contract="none", identity=["order_id"])
        result = client.call(tool, order_id="A")
        again = client.call(tool, order_id="A")
    assert result.value is value
    for text in (result.for_model(), again.for_model()):
        assert told in text and "pay(A) was carried out, once." in text
        text.encode()


def test_log_records_are_structured_and_hold_no_arguments(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lost = [httpx.ReadTimeout("timed out")]

    def refund(order_id: str, card: str, idempotency_key: str) -> str:
        if lost:
            raise lost.pop()
        return "secret-result"

    with (
        caplog.at_level(logging.DEBUG, "faultlab.client"),
        ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as client,
    ):
        client.call(
            ToolSpec.of(refund, contract="strict", identity=["order_id"]), order_id="A17", card="4242424242424242"
        )
    events = [record.__dict__["event"] for record in caplog.records]
    assert events == ["sending", "received", "sleeping", "sending", "received", "settled"]
    assert {record.name for record in caplog.records} == {"faultlab.client"}
    settled = caplog.records[-1].__dict__
    assert (settled["operation"], settled["tool"], settled["state"]) == ("refund(A17)", "refund", "done")
    assert caplog.records[1].__dict__["error"] == "ReadTimeout"
    assert caplog.records[0].__dict__["key"] == caplog.records[3].__dict__["key"]
    assert "4242" not in caplog.text and "secret-result" not in caplog.text


def test_what_is_handed_over_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text_of(tmp_path, httpx.ReadTimeout("t"))
    (record,) = [item for item in caplog.records if item.levelno >= logging.WARNING]
    assert (record.__dict__["event"], record.__dict__["state"]) == ("settled", "handed_over")


def test_spans_follow_the_conventions_for_tools(tmp_path: Path) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    from opentelemetry import trace

    exporter = memory.InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)

    def refund(order_id: str) -> str:
        if order_id == "B92":
            raise httpx.ReadTimeout("timed out")
        return "paid"

    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock(), spans=True) as client:
        client.add(ToolSpec.of(refund, contract="none", identity=["order_id"]))
        for order in ("A17", "B92"):
            client.call("refund", order_id=order)
    done, lost = exporter.get_finished_spans()
    assert {span.name for span in (done, lost)} == {"execute_tool refund"}
    assert done.attributes["gen_ai.operation.name"] == "execute_tool"
    assert done.attributes["gen_ai.tool.name"] == "refund"
    assert done.attributes["gen_ai.tool.call.id"] != lost.attributes["gen_ai.tool.call.id"]
    assert (done.attributes["faultlab.outcome"], lost.attributes["faultlab.outcome"]) == ("applied", "unknown")
    assert lost.attributes["error.type"] == "handed_over"
    assert lost.status.status_code is trace.StatusCode.ERROR
