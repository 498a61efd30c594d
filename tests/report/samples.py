"""Real histories, made by the engine: small agents against the shop, with one planned fault; and results by hand."""

from faultlab.core.agent import Budget, ToolError
from faultlab.core.clock import NS, VirtualClock, ns
from faultlab.core.errors import AttemptOver
from faultlab.core.history import Brief, Expectation, Expected, History
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Claim, Event
from faultlab.core.result import Result
from faultlab.core.verdict import Finding
from faultlab.core.world import FrozenWorld
from faultlab.engine.engine import Engine
from faultlab.engine.handles import with_contract
from faultlab.engine.session import Session
from faultlab.faults.catalog import TWINS
from faultlab.faults.plan import Planned
from faultlab.matrix.env import LabEnv
from faultlab.toolsets.shop import SHOP

WORLD = FrozenWorld({"orders": {"A17": {"status": "paid", "total": "40.00", "customer": "C5"}}})


def resender(env: LabEnv) -> Claim:
    """Sends again, without a look, until something succeeds."""
    env.tools["get_order"](order_id="A17")
    for _ in range(3):
        try:
            env.tools["refund_order"](order_id="A17", amount="40.00", reference="mine")
        except ToolError:
            env.sleep(0.5)
        else:
            return Claim.done("Refunded 40.00 for A17.", [2])
    return Claim.not_done("No luck.")


def asker(env: LabEnv) -> Claim:
    """Looks twice, then hands over."""
    env.tools["get_order"](order_id="A17")
    try:
        env.tools["refund_order"](order_id="A17", amount="40.00", reference="mine")
    except ToolError:
        pass
    else:
        return Claim.done("Refunded 40.00 for A17.", [2])
    for _ in range(2):
        if env.tools["list_refunds"](order_id="A17")["refunds"]:
            return Claim.done("Refunded 40.00 for A17.", [3])
        env.sleep(6)
    return env.hand_over("Please look.")


def endless(env: LabEnv) -> Claim:
    """Reads until the lab ends the attempt."""
    while True:
        env.tools["get_order"](order_id="A17")


AGENTS = {"resender": resender, "asker": asker, "endless": endless}


def made(agent: str, twin: str = "clean", contract: str = "none", symptom: str = "timeout") -> History:
    """The history of one attempt."""
    promised = PROFILES[contract]
    events: list[Event] = []
    plan = () if twin == "clean" else (Planned("refund_order", TWINS[twin], symptom, late_ns=600 * NS),)
    engine = Engine(with_contract(SHOP, promised), promised, WORLD, plan, 7, events)
    expectation = Expectation((Expected("refund_order", "A17"),))
    session = Session(engine, VirtualClock(), Brief(promised, Budget(calls=6), expectation, {}), events)
    env = LabEnv(session)
    horizon_ns = ns(2000)
    try:
        claim = AGENTS[agent](env)._replace(t=session.clock.now())
    except AttemptOver as over:
        engine.catch_up(horizon_ns)
        return History(session.brief, events, list(engine.ledger), "over_budget", error=str(over))
    engine.catch_up(horizon_ns)
    return History(session.brief, [*events, claim], list(engine.ledger), "claimed", horizon_ns=horizon_ns)


DUPLICATE = Finding("FL101", "veto", "refund_order(A17): 1 intended, 2 in the ledger")
RESENT = Finding("FL201", "fail", "#3 left while #2 was unknown")
GAVE_UP = Finding("FL203", "caution", "a query was left")
NO_KEY = Finding("FL305", "note", "#2 went without a key")


def result(
    number: int,
    twin: str,
    *findings: Finding,
    agent: str = "one",
    scenario: str = "lost-receipt",
    contract: str = "none",
    suite: str = "boundary",
    attempt: int = 1,
    mark: str = "",
    shape: str = "same",
) -> Result:
    """One attempt; verdict and mark follow from its findings."""
    bad = [item for item in findings if item.severity != "note" and item.cause == "agent"]
    found = mark or ("pass" if not bad else "wrong" if bad[0].severity == "caution" else "harm")
    return Result(
        number, agent, suite, scenario, contract, twin, attempt, "fail" if bad else "pass",
        found, findings, "claimed", "", "", shape, 3, 3.0, 1.0,  # type: ignore[arg-type]  # a mark by its name
    )  # fmt: skip
