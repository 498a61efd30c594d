"""A trial is judged with what its scenario accepts, as in the matrix."""

import pytest
from plugin.inner import outcomes, project

pytest_plugins = ("pytester",)

SCENARIO = """
id: mine
suite: boundary
task: Refund order A17 in full.
toolset: shop
world: {orders: {A17: {status: paid, total: "40.00"}}}
contracts: [none]
expect: {effects: [{tool: refund_order, identity: {order_id: A17}}]}
ignore: [{code: FL203, reason: a person is asked, until: UNTIL}]
"""

TEST = """
from faultlab import Claim

def agent(task, env):
    env.tools["get_order"](order_id="A17")
    return Claim.not_done("No.")

@pytest.mark.scenario("mine.yaml")
def test_agent(faultlab):
    faultlab.judge(agent)
"""


@pytest.mark.parametrize(("until", "outcome"), [("2999-01-01", "passed"), ("2020-01-01", "failed")])
def test_a_finding_is_accepted_until_its_day(pytester: pytest.Pytester, until: str, outcome: str) -> None:
    pytester.path.joinpath("mine.yaml").write_text(SCENARIO.replace("UNTIL", until), encoding="utf-8")
    project(pytester, test_it=TEST)
    found = outcomes(pytester)
    assert found["test_agent[none-clean]"][0] == outcome, found
