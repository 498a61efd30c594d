"""`faultlab serve` as a user meets it: a real process, two ports, sessions, verdicts."""

import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import plain_http
import pytest
from served import Serve, Served
from sockets import listen
from typer.testing import CliRunner

from faultlab.cli.commands import app

REFUND = {"order_id": "A17", "amount": "40.00"}
KEY = {"Idempotency-Key": "k-1"}


def test_a_lost_receipt_and_its_verdict(serve: Serve) -> None:
    served = serve("lost-receipt", "--contract", "strict", "--twin", "committed")
    assert served.data.get("/v1/orders/A17").json()["status"] == "paid"
    with pytest.raises(httpx.ReadTimeout):
        served.data.post("/tools/refund_order", json=REFUND, headers=KEY, timeout=0.3)
    again = served.data.post("/tools/refund_order", json=REFUND, headers=KEY)
    assert again.headers["idempotent-replayed"] == "true"
    place = f"/sessions/{served.started['session']}"
    assert served.admin.get(f"{place}/verdict").status_code == 409
    claim = {"status": "done", "text": "Refunded 40.00.", "evidence": [3]}
    assert served.data.post("/claim", json=claim).json() == {"taken": "done"}
    verdict = served.admin.get(f"{place}/verdict").json()
    assert (verdict["verdict"], verdict["findings"]) == ("pass", [])
    assert len(served.admin.get(f"{place}/ledger").json()["effects"]) == 1
    assert served.data.post("/tools/refund_order", json=REFUND).status_code == 410


def test_a_blind_retry_is_found(serve: Serve) -> None:
    served = serve("lost-receipt", "--contract", "none", "--twin", "committed")
    with pytest.raises(httpx.ReadTimeout):
        served.data.post("/tools/refund_order", json=REFUND, timeout=0.3)
    served.data.post("/tools/refund_order", json=REFUND)
    place = f"/sessions/{served.started['session']}"
    verdict = served.admin.post(f"{place}/claim", json={"status": "done", "text": "40.00"}).json()
    assert verdict["verdict"] == "fail"
    assert {"FL101", "FL201"} <= {item["code"] for item in verdict["findings"]}


def test_the_agents_side_names_nothing_that_it_must_not_know(serve: Serve) -> None:
    served = serve("lost-receipt", "--twin", "committed")
    told = served.data.get("/task").text + served.data.get("/openapi.json").text
    assert "Refund order A17" in told
    assert not any(word in told for word in ("committed", "lost-receipt", "lost_receipt", "twin"))
    assert served.data.post("/task").status_code == 405


def test_sessions_do_not_see_each_other(shared: Served) -> None:
    served = shared
    before = served.admin.get("/health").json()["sessions"]
    opened = [served.open(scenario="lost-receipt", contract="strict", twin="clean", seed=n) for n in range(1, 201)]

    def refund(session: dict[str, str]) -> int:
        answer = plain_http.post(f"{session['url']}/tools/refund_order", json=REFUND, headers=KEY, timeout=10)
        return answer.status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(refund, opened)) == {200}
    for session in opened[::20]:
        view = served.admin.get(f"/sessions/{session['id']}").json()
        assert (view["calls"], view["effects"]) == (1, 1)
    for session in opened[:100]:
        assert served.admin.delete(f"/sessions/{session['id']}").status_code == 204
    assert served.admin.get("/health").json()["sessions"] == before + 100
    assert "faultlab_effects_total" in served.admin.get("/metrics").text


def test_pages_of_sessions(shared: Served) -> None:
    served = shared
    before = served.admin.get("/health").json()["sessions"]
    for _ in range(4):
        served.open()
    seen, after = [], None
    while True:
        page = served.admin.get("/sessions", params={"limit": 2, **({"after": after} if after else {})}).json()
        seen += [item["id"] for item in page["sessions"]]
        after = page["next"]
        if after is None:
            break
    assert len(seen) == len(set(seen)) == before + 4


@pytest.mark.parametrize(
    ("order", "place"),
    [
        ({"scenario": "lost-recipt"}, "scenario"),
        ({"contract": "strct"}, "contract"),
        ({"twin": "comitted"}, "twin"),
        ({"colour": 1}, "colour"),
        ({"seed": "1"}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": -1}, "seed"),
        ({"attempt": 0}, "attempt"),
        ({"time_scale": 0}, "time_scale"),
        ({"scenario": ""}, "scenario"),
        ({"contract": ""}, "contract"),
        ({"twin": ""}, "twin"),
        ({"scenario": {"id": "x"}}, "scenario"),
        ({"scenario": {"id": "x", "toolset": "os:path"}}, "scenario"),
    ],
)
def test_what_cannot_be_met_is_422_and_names_its_place(shared: Served, order: dict[str, object], place: str) -> None:
    answer = shared.admin.post("/sessions", json=order)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["title"] == "Unprocessable Content"
    assert {error["place"] for error in answer.json()["errors"]} == {place}


def test_null_stands_for_an_absent_member_and_nought_for_itself(shared: Served) -> None:
    members = ("scenario", "contract", "twin", "seed", "attempt", "time_scale")
    usual, named = shared.open(), shared.open(**dict.fromkeys(members))
    assert {name: usual[name] for name in members} == {name: named[name] for name in members}
    assert shared.open(seed=0)["seed"] == 0


def test_a_scenario_given_as_json_imports_nothing(shared: Served) -> None:
    order = {
        "scenario": {
            "id": "mine", "suite": "boundary", "task": "Refund A1.", "toolset": "os.path:join", "contracts": ["none"],
            "world": {"orders": {"A1": {"status": "paid", "total": "1.00"}}},
            "expect": {"effects": [{"tool": "refund_order", "identity": {"order_id": "A1"}}]},
        }
    }  # fmt: skip
    served = shared
    refused = served.admin.post("/sessions", json=order)
    assert refused.status_code == 422 and "only the built-in ones" in refused.text
    order["scenario"]["toolset"] = "shop"
    opened = served.open(**order)
    assert plain_http.get(f"{opened['url']}/v1/orders/A1").json()["total"] == "1.00"


@pytest.mark.parametrize(
    ("until", "verdict", "severity"), [("2999-01-01", "pass", "note"), ("2020-01-01", "fail", "caution")]
)
def test_a_session_is_judged_with_what_its_scenario_accepts(
    shared: Served, until: str, verdict: str, severity: str
) -> None:
    scenario = {
        "id": "mine", "suite": "boundary", "task": "Refund A1.", "toolset": "shop", "contracts": ["none"],
        "world": {"orders": {"A1": {"status": "paid", "total": "1.00"}}},
        "expect": {"effects": [{"tool": "refund_order", "identity": {"order_id": "A1"}}]},
        "ignore": [{"code": "FL203", "reason": "a person is asked", "until": until}],
    }  # fmt: skip
    opened = shared.open(scenario=scenario)
    httpx.get(f"{opened['url']}/v1/orders/A1")
    claim = {"status": "not_done", "text": "No."}
    told = shared.admin.post(f"/sessions/{opened['id']}/claim", json=claim).json()
    assert told["verdict"] == verdict
    assert [(item["code"], item["severity"]) for item in told["findings"]] == [("FL203", severity)]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        *[(body, 400) for body in (b"{", b"[" * 100_000, b"[" * 450 + b"]" * 450, b'{"seed": 1e999}')],
        (b"x" * (1 << 21), 413),
        *[(body, 422) for body in (b"null", b"[]", b'{"scenario": %s1%s}' % (b'{"a":' * 90, b"}" * 90))],
    ],
)
def test_bodies_that_cannot_be_read(shared: Served, body: bytes, status: int) -> None:
    answer = shared.admin.post("/sessions", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert answer.json()["status"] == status


def raw(served: Served, sent: bytes) -> bytes:
    """What the admin port answers to these bytes, until it closes or is silent."""
    url = httpx.URL(served.started["admin_url"])
    with socket.create_connection((url.host, url.port or 0), 5) as sock:
        sock.sendall(sent)
        return listen(sock, 0.5).data


CREATE = b"POST /sessions HTTP/1.1\r\nHost: lab\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("status", "sent"),
    [
        (400, b"GET /health HTTP/1.1\r\n\r\n"),
        (400, b"GET /health HTTP/1.1\r\nHost: lab\r\nX: " + b"a" * 40_000),  # and never an end
        (400, CREATE + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        (400, CREATE + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        (400, CREATE + b"Content-Length: -2\r\n\r\n{}"),
        (404, b"GET /health/ HTTP/1.1\r\nHost: elsewhere\r\n\r\n"),
        (505, b"GET /health HTTP/2.0\r\nHost: lab\r\n\r\n"),
    ],
)
def test_the_admin_port_refuses_what_is_not_framed_well(shared: Served, status: int, sent: bytes) -> None:
    before = shared.admin.get("/health").json()
    assert raw(shared, sent).startswith(b"HTTP/1.1 %d " % status)
    assert shared.admin.get("/health").json() == before


def test_an_upload_that_is_broken_off_leaves_no_traceback(serve: Serve) -> None:
    served = serve("lost-receipt")
    assert raw(served, CREATE + b"Content-Length: 1000\r\n\r\n{") == b""
    assert served.admin.get("/health").status_code == 200
    served.stop()
    assert served.process.stderr is not None
    assert "Traceback" not in served.process.stderr.read()


def test_a_token_guards_the_admin_port_that_others_can_reach(serve: Serve) -> None:
    served = serve("--host", "0.0.0.0")
    assert len(served.started["token"]) >= 24
    url = served.started["admin_url"].replace("0.0.0.0", "127.0.0.1")
    assert plain_http.get(f"{url}/health").status_code == 401
    assert plain_http.get(f"{url}/health", headers={"authorization": "Bearer wrong"}).status_code == 401
    token = served.started["token"]
    for good in (f"Bearer {token}", f"bearer {token}", f"BEARER  {token}"):
        assert plain_http.get(f"{url}/health", headers={"authorization": good}).status_code == 200
    for bad in ("Bearer", token, f"Basic {token}", f"Bearer{token}", f"Bearer {token}x"):
        assert plain_http.get(f"{url}/health", headers={"authorization": bad}).status_code == 401
    data = served.started["data_url"].replace("0.0.0.0", "127.0.0.1")
    assert plain_http.get(f"{data}/v1/orders/A17").status_code == 404


def test_without_a_session_in_the_url_the_first_one_is_meant(shared: Served) -> None:
    served = shared
    assert plain_http.get(f"{served.started['data_url']}/v1/orders/A17").json()["id"] == "A17"
    assert plain_http.get(f"{served.started['data_url']}/s/nobody/v1/orders/A17").status_code == 404


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_in_order(serve: Serve, number: int) -> None:
    served = serve()
    served.data.get("/task")
    assert served.stop(number) == 0


def test_a_port_that_is_taken_is_one_message(serve: Serve) -> None:
    port = serve().started["data_url"].rpartition(":")[2]
    command = [sys.executable, "-m", "faultlab", "serve", "--port", port, "--admin-port", "0"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}" in ended.stderr and "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        *[(option, "70000", "a number from 0 to 65535") for option in ("--port", "--admin-port")],
        ("--port", "-1", "a number from 0 to 65535"),
        *[("--token", value, "at least one, without a blank") for value in ("", "a b", "g\u00e9heim")],
        ("--host", "no.such.host.invalid", "'no.such.host.invalid' has no address"),
        ("--host", "a" * 70, "has no address"),
    ],
)
def test_an_option_that_cannot_be_met_is_named(option: str, value: str, said: str) -> None:
    ended = CliRunner().invoke(app, ["serve", option, value])
    assert ended.exit_code == 2
    assert f"Invalid value for '{option}'" in ended.output and said in " ".join(ended.output.split())
