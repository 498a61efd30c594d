"""Which requests to one's own app are equal: resent uploads are, and requests that mean something else are not."""

from typing import Any
from urllib.parse import quote

import httpx
import pytest
import respx
from hypothesis import given
from hypothesis import strategies as st

from faultlab import Lab
from faultlab.api.members import readable


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


FORM_TYPE = {"content-type": "application/x-www-form-urlencoded"}
OTHERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"url": "https://eu.pay.example/v1/pay"}, {"url": "https://us.pay.example/v1/pay"}),
    ({"url": "/f?tag=a&tag=z"}, {"url": "/f?tag=b&tag=z"}),
    ({"url": "/f", "content": "tag=a&tag=z", "headers": FORM_TYPE},
     {"url": "/f", "content": "tag=b&tag=z", "headers": FORM_TYPE}),
    ({"url": "/f/a%2Fb"}, {"url": "/f/a/b"}),
    ({"url": "/f/a%252Fb"}, {"url": "/f/a%2Fb"}),
    ({"url": "/f?id=1", "json": {"id": 7}}, {"url": "/f?id=2", "json": {"id": 7}}),
    ({"url": "/o/9/r?id=1"}, {"url": "/o/9/r?id=2"}),
    ({"url": "/o/1/r", "json": {"id": 7}}, {"url": "/o/2/r", "json": {"id": 7}}),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), OTHERS)
def test_requests_that_say_something_else_are_other_operations(first: Any, second: Any) -> None:
    lab = Lab(twin="clean").fault("lost_receipt", on="POST /o/{id}/r").in_front_of(app())
    for request in (first, second):
        assert lab.client().post(**request).status_code == 201
    lab.assert_clean()
    for request in (second, second):
        lab.client().post(**request)
    assert "FL101" in lab.verdict().codes


@given(st.lists(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=3), min_size=2, max_size=2))
def test_two_paths_have_one_name_only_if_they_are_one(paths: list[list[str]]) -> None:
    first, second = ("/".join([quote(part, safe="") for part in segments]) for segments in paths)
    assert (readable(first) == readable(second)) == (first == second)


def test_of_several_hosts_the_first_is_not_named() -> None:
    lab = Lab().in_front_of(app(), identity=["order"])
    with lab.client() as client:
        for host in ("eu", "us:8443", "eu"):
            client.post(f"https://user:secret@{host}/v1/pay", json={"order": host})
    assert [effect.identity for effect in lab.ledger] == ["eu", "us:8443, //host=us:8443", "eu"]


def test_routers_of_several_hosts() -> None:
    with respx.mock() as router:
        lab = Lab(twin="committed").fault("lost_receipt", on="POST /v1/pay", occurrence=2)
        for region in ("eu", "us"):
            router.post(f"https://{region}.pay.example/v1/pay").respond(201, json={"id": region})
        lab.in_front_of(router)
        assert httpx.post("https://eu.pay.example/v1/pay", json={"order": 1}).json() == {"id": "eu"}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post("https://us.pay.example/v1/pay", json={"order": 1})
    assert [effect.identity for effect in lab.ledger] == ["order=1", "//host=us.pay.example, order=1"]


def test_a_parameter_whose_name_is_taken_is_written_as_in_a_url() -> None:
    seen: list[dict[str, Any]] = []
    lab = Lab().in_front_of(app(), effects={"POST /o/{id}": lambda args: str(seen.append(dict(args)))})
    lab.client().post("/o/1?id=2&a=3", json={"id": 4, "b": 5})
    lab.client().post("/o/1", json={"id": "1"})
    assert seen == [{"{id}": "1", "?id": "2", "a": "3", "id": 4, "b": 5}, {"id": "1"}]
