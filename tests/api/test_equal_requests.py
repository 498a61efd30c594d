"""Which requests to one's own app are equal: resent uploads are, and requests that mean something else are not."""

from typing import Any

import httpx
import pytest

from faultlab import Lab


def app() -> Any:
    return httpx.MockTransport(lambda request: httpx.Response(201, json={"id": "x"}))


def upload(client: Any, **headers: str) -> str:
    for _ in range(3):
        try:
            answer = client.post("/files", files={"file": ("a.bin", b"\x00\xff")}, headers=headers)
            return str(answer.raise_for_status().json()["id"])
        except httpx.TransportError:
            continue
    raise RuntimeError("gave up")


@pytest.mark.parametrize("twin", ["never", "committed", "late_network"])
def test_a_resent_upload_under_a_key_is_the_same_operation(twin: str) -> None:
    lab = Lab(twin=twin, contract="strict").fault("lost_receipt", on="POST /files").in_front_of(app())
    assert lab.run(upload, lab.client(), **{"Idempotency-Key": "k"}) == "x"
    lab.assert_clean()


def test_a_resent_upload_without_one_is_a_duplicate() -> None:
    lab = Lab(twin="committed").fault("lost_receipt", on="POST /files").in_front_of(app())
    lab.run(upload, lab.client())
    assert set(lab.verdict().codes) == {"FL101", "FL201"}


def test_other_uploads_are_other_operations() -> None:
    lab = Lab().in_front_of(app())
    for content in (b"a", b"b"):
        lab.client().post("/files", files={"file": ("a.bin", content)})
    lab.assert_clean()
