"""A mistake in a test that the code under test has caught is an error of the test."""

import pytest
from plugin.inner import outcomes, project

pytest_plugins = ("pytester",)

TEST = """
import httpx

def agent(client):
    try:
        return client.post("/v1/refunds", json={"order_id": "A17"}).status_code
    except Exception:
        return None

@pytest.fixture
def lab(faultlab):
    return faultlab.in_front_of(httpx.MockTransport(lambda request: httpx.Response(201)), identity=NAMES)

def test_plain(lab):
    agent(lab.client())

def test_run(lab):
    lab.run(agent, lab.client())

def test_told(lab):
    with pytest.raises(Exception, match="number"):
        lab.client().post("/v1/refunds", json={"order_id": "A17"})
        raise LookupError("number")
"""


@pytest.mark.parametrize(
    ("names", "outcome"), [('["order_id"]', ["passed"] * 3), ('["number"]', ["error", "failed", "error"])]
)
def test_it_is_told(pytester: pytest.Pytester, names: str, outcome: list[str]) -> None:
    project(pytester, test_it=TEST.replace("NAMES", names))
    found = outcomes(pytester)
    assert [found[name][0] for name in ("test_plain", "test_run", "test_told")] == outcome, found
    if "error" in outcome:
        assert (
            "the code under test caught a mistake in the test: POST /v1/refunds: identity names 'number'"
            in (found["test_plain"][1])
        )
        assert "BadInput: POST /v1/refunds: identity names 'number'" in found["test_run"][1]
