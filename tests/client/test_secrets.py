"""What logs and spans show of an operation, and what leaves on the wire for a wrapped client."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from faultlab.client.client import ToolClient
from faultlab.client.logs import shown
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.errors import BadInput

URL = "http://user:hunter2@shop/pay?api_key=SK_LIVE"
SECRETS = ("hunter2", "SK_LIVE", "4111111111111111", "4222222222222222")


@pytest.mark.parametrize(
    ("operation", "told"),
    [
        (f"http(POST, {URL}, 93c1)", "http(POST, http://...@shop/pay?..., 93c1)"),
        (f"fetch({URL})#2", "fetch(http://...@shop/pay?...)#2"),
        ('http(POST, "https://u@shop/a?b=1,2", 93c1)', 'http(POST, "https://...@shop/a?...", 93c1)'),
        ("http(POST, https://shop/pay, 93c1)", "http(POST, https://shop/pay, 93c1)"),
        ("refund(a@b.example, what?)", "refund(a@b.example, what?)"),
    ],
)
def test_a_url_is_shown_without_user_and_query(operation: str, told: str) -> None:
    assert shown(operation) == told


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


def test_no_secret_gets_into_logs_and_spans(tmp_path: Path, exported: Any, caplog: pytest.LogCaptureFixture) -> None:
    def pay(order_id: str, card: str) -> int:
        return 1

    with (
        caplog.at_level(logging.DEBUG, "faultlab.client"),
        ToolClient(tmp_path / "journal.db", run="r", spans=True) as client,
    ):
        bare = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200)))
        client.wrap(bare, contract="none").post(URL, json={})
        client.add(ToolSpec.of(pay, contract="none", identity=["order_id"]))
        client.call("pay", order_id="A", card=SECRETS[2])
        with pytest.raises(BadInput, match="other parameters"):
            client.call("pay", order_id="A", card=SECRETS[3])
    spans = exported.get_finished_spans()
    logged = "".join(record.getMessage() for record in caplog.records if record.name == "faultlab.client")
    assert "http(POST, http://...@shop/pay?..." in logged
    assert not [word for word in SECRETS if word in logged + "".join(span.to_json() for span in spans)]
    assert (len(spans), spans[-1].attributes["error.type"]) == (3, "BadInput")


def test_a_body_from_an_iterator_leaves_with_a_length_and_no_transfer_coding(tmp_path: Path) -> None:
    left: list[httpx.Request] = []

    def server(request: httpx.Request) -> httpx.Response:
        left.append(request)
        return httpx.Response(200, json={})

    with ToolClient(tmp_path / "journal.db", run="r") as client:
        http = client.wrap(httpx.Client(transport=httpx.MockTransport(server)), contract="strict")
        http.post("http://shop/", content=iter([b"abc", b"def"]))
    assert left[0].content == b"abcdef"
    assert left[0].headers["content-length"] == "6"
    assert "transfer-encoding" not in left[0].headers


@pytest.mark.parametrize("how", ["a stream that was not read", "JSON nested too deeply"])
def test_a_response_that_cannot_be_read_proves_nothing(how: str, tmp_path: Path) -> None:
    deep = ("[" * 100_000).encode()
    http = httpx.Client(
        transport=httpx.MockTransport(lambda _: httpx.Response(402, stream=httpx.ByteStream(deep + b"]" * 100_000)))
    )

    def pay(order_id: str) -> None:
        if how.startswith("JSON"):
            http.post("http://shop/").raise_for_status()
        with http.stream("POST", "http://shop/") as response:
            response.raise_for_status()

    with ToolClient(tmp_path / "journal.db", run="r") as client:
        client.add(ToolSpec.of(pay, contract="none", identity=["order_id"]))
        result = client.call("pay", order_id="A")
    assert (result.status, result.evidence[0].said) == ("handed_over", "HTTPStatusError")
