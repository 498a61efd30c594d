"""The README's example makes a refund tool safe: it is run as it stands, before a server that loses receipts."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from labs import drain, fault, lab

from faultlab.transports.http_library import BASE_URL
from faultlab.transports.httpx_transport import LabTransport

EXAMPLE = re.compile(r"^```python refund_tool\.py\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("phase", [None, "before", "after", "late_network", "late_server"])
def test_the_example_refunds_once(
    phase: str | None,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (source,) = EXAMPLE.findall((project / "README.md").read_text(encoding="utf-8"))
    assert len([line for line in source.splitlines() if line]) <= 12
    session = lab("stripe_v1", *([fault(phase)] if phase else []))
    to_lab = LabTransport(session)

    def handler(request: httpx.Request) -> httpx.Response:
        request.url = httpx.URL(BASE_URL).join(request.url.raw_path.decode())
        return to_lab.handle_request(request)

    client = httpx.Client
    monkeypatch.setattr(httpx, "Client", lambda **given: client(transport=httpx.MockTransport(handler), **given))
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # the second time in another process, as it were
        names: dict[str, Any] = {}
        exec(compile(source, "refund_tool.py", "exec"), names)  # noqa: S102 - the example of our own page
        names["tools"].close()
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("refund(A17) was carried out, once.")
    assert second == first
    drain(session)
    assert len(session.engine.ledger) == 1
