"""Drawn fault plans, and the contract engine under them against a plain dict."""

import sys
from contextlib import suppress
from typing import Any

import httpx
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from labs import drain, lab

import faultlab
from faultlab.api.fault_spec import LATE_S, FaultSpec, plan_of
from faultlab.api.strategies import Drawn, plans
from faultlab.core.agent import ToolError
from faultlab.core.clock import ns
from faultlab.core.errors import BadInput
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.records import Outcome, Receipt
from faultlab.engine.keystore import KeyStore
from faultlab.engine.session import Session
from faultlab.faults.catalog import ALLOWED, TWINS
from faultlab.toolsets.shop import SHOP
from faultlab.transports.direct import sync_tools

DAY_S = 86_400.0
LOSSES = ("timeout", "reset", "close", "status", "truncated")
KEYED = ("strict", "ietf", "stripe_v1")


@given(plan=plans("POST /v1/refunds", "POST /v1/orders", occurrences=2, max_faults=3))
def test_a_plan_holds_faults_that_can_strike_each_for_a_call_of_its_own(plan: Drawn) -> None:
    calls = [(item.on, item.occurrence) for item in plan]
    assert len(set(calls)) == len(calls) <= 3
    for item in plan:
        assert item.on in ("POST /v1/refunds", "POST /v1/orders")
        assert 1 <= item.occurrence <= 2
    planned = plan_of(plan, "committed", PROFILES["none"], None)
    assert all(item.phase in TWINS.values() and item.symptom in ALLOWED[item.phase] for item in planned)


def shrunk(wanted: Any, *addresses: str, **options: Any) -> Drawn:
    found = plans(*(addresses or ("POST /a", "POST /b")), **options)
    return find(found, wanted, settings=settings(database=None, max_examples=1000))


def test_a_plan_shrinks_to_one_plain_lost_receipt() -> None:
    assert shrunk(len) == (FaultSpec(name="lost_receipt", on="POST /a", required=False),)


def test_what_matters_to_the_test_survives_the_shrinking() -> None:
    plan = shrunk(lambda found: any((item.name, item.symptom) == ("late_server", "reset") for item in found))
    assert plan == (FaultSpec(name="late_server", on="POST /a", symptom="reset", required=False),)


def never(wanted: Any, *addresses: str, **options: Any) -> None:
    with pytest.raises(NoSuchExample):
        shrunk(lambda plan: any(map(wanted, plan)), *addresses, **options)


def test_only_the_faults_and_symptoms_asked_for_are_drawn() -> None:
    options: dict[str, Any] = {"faults": ("no_connection", "lost_request"), "symptoms": ("reset",)}
    assert shrunk(lambda plan: {item.name for item in plan} == {"no_connection", "lost_request"}, **options)
    never(lambda item: item.symptom != "reset" or item.name == "lost_receipt", **options)


def test_symptoms_that_need_an_answer_are_drawn_where_there_is_an_example() -> None:
    (item,) = shrunk(lambda plan: any(item.symptom == "truncated" for item in plan), example={"id": "re_1"})
    assert item.example == {"id": "re_1"}
    never(lambda item: item.symptom in ("truncated", "garbled", "short"))


def test_a_name_draws_what_a_function_can_raise_unless_more_is_asked_for() -> None:
    never(lambda item: item.symptom not in ("timeout", "reset", "close"), "refund")
    assert shrunk(lambda plan: any(item.symptom == "status" for item in plan), "refund", symptoms=["status"])


def test_what_only_a_toolset_can_show_is_drawn_where_it_is_asked_for() -> None:
    """A Lab in front of an app refuses them, and a plan is for any Lab."""
    never(lambda item: item.symptom in ("slow", "dribble"), faults=["torn_record"])
    assert shrunk(len, faults=["torn_record"], symptoms=["slow"])[0].symptom == "slow"


@given(plan=plans("POST /v1/refunds", faults=["torn_record", "no_connection"], example={"id": "re_1"}))
@settings(max_examples=30)
def test_a_lab_in_front_of_an_app_shows_whatever_is_drawn(plan: Drawn) -> None:
    assert plan_of(plan, "committed", PROFILES["none"], None) is not None


@given(plan=plans("POST /v1/refunds", max_faults=3))
@settings(max_examples=30)
def test_a_lab_takes_a_plan(plan: Drawn) -> None:
    api = faultlab.Lab(contract="strict", faults=plan).in_front_of(
        httpx.MockTransport(lambda request: httpx.Response(201, json={"id": "re_1"}))
    )
    for _ in range(3):
        with suppress(httpx.TransportError):
            api.client().post("/v1/refunds", headers={"Idempotency-Key": "k"})
    assert len(api.ledger) == 1 or any(item.name == "lost_request" for item in plan)
    assert len(api.ledger) <= 1


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((), {}, "name at least one address"),
        (("t",), {"faults": ["lost_recipt"]}, r"unknown fault 'lost_recipt'; known: .*lost_receipt"),
        (("post /a",), {}, "'post /a' is no route: write METHOD /path"),
        ((["POST /a"],), {}, r"\['POST /a'\] is no address; give each, .* by itself"),
        (("",), {}, "'' is no address"),
        (("t",), {"faults": "lost_receipt"}, r"faults='lost_receipt' must be a list: faults=\['lost_receipt'\]"),
        (("t",), {"faults": []}, "faults is empty; leave it out"),
        (("t",), {"symptoms": "reset"}, r"symptoms='reset' must be a list: symptoms=\['reset'\]"),
        (("t",), {"symptoms": ["silence"]}, r"no symptom 'silence'; it has timeout, reset"),
        (("t",), {"faults": ["no_connection"], "symptoms": ["truncated"]}, r"it has timeout, reset"),
        (("t",), {"occurrences": 0}, "give a whole number, 1 or more"),
        (("t",), {"max_faults": 0}, "give a whole number, 1 or more"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: tuple[Any, ...], options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        plans(*arguments, **options)


def test_without_hypothesis_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(BadInput, match=r"pip install 'faultlab\[hypothesis\]'"):
        plans("POST /a")


def test_the_package_names_the_module() -> None:
    assert faultlab.strategies is sys.modules["faultlab.api.strategies"]


class EngineAgainstADict(RuleBasedStateMachine):
    """Sends under any keys, at any times, while receipts get lost in any way: one effect a key inside its window."""

    def __init__(self) -> None:
        super().__init__()
        self.session: Session | None = None
        self.sent: dict[int, int] = {}
        """Call -> when it was sent."""
        self.ends: dict[str, int] = {}
        """Key -> the earliest end of the window of its newest effect, counted from when its call was sent."""
        self.checked = 0

    @initialize(name=st.sampled_from(KEYED), window_s=st.sampled_from([100.0, DAY_S]), draw=st.data())
    def start(self, name: str, window_s: float, draw: st.DataObject) -> None:
        contract = contract_of(name, {"profile": name, "key": {"window_s": window_s}})
        plan = draw.draw(plans("refund_order", occurrences=4, max_faults=4, symptoms=LOSSES))
        self.window_ns = ns(window_s)
        self.session = lab(contract, *plan_of(plan, "committed", contract, SHOP))
        self.refund = sync_tools(self.session)["refund_order"]

    @rule(key=st.sampled_from(["k1", "k2"]), amount=st.sampled_from(["40.00", "40.00", "10.00"]))
    def send(self, key: str, amount: str) -> None:
        assert self.session is not None
        self.sent[self.session.count + 1] = self.session.clock.now()
        with suppress(ToolError):
            self.refund(order_id="A17", amount=amount, idempotency_key=key)

    @rule(wait_s=st.sampled_from([1.0, 30.0, 94.0, LATE_S + 1, DAY_S]))
    def wait(self, wait_s: float) -> None:
        assert self.session is not None
        self.session.clock.sleep(wait_s)
        self.session.engine.catch_up(self.session.clock.now())

    @invariant()
    def one_effect_of_a_key_inside_its_window(self) -> None:
        if self.session is None:
            return
        for effect in self.session.engine.ledger[self.checked :]:
            assert effect.key is not None
            assert effect.t >= self.ends.get(effect.key, 0), f"a second effect under {effect.key}"
            self.ends[effect.key] = self.sent[effect.call] + self.window_ns
        self.checked = len(self.session.engine.ledger)

    def teardown(self) -> None:
        """When all has landed, each result that a caller was given stands in the world, and each effect once."""
        if self.session is None:
            return
        drain(self.session)
        self.one_effect_of_a_key_inside_its_window()
        rows = {row["id"]: row for row in self.session.engine.server.world.rows("refunds")}
        assert len(rows) == len(self.session.engine.ledger)
        for event in self.session.events:
            if type(event) is Receipt and event.outcome is Outcome.APPLIED:
                assert rows[event.body["id"]] == event.body


def run_machine(examples: int) -> None:
    EngineAgainstADict.TestCase.settings = settings(max_examples=examples, stateful_step_count=20, database=None)
    EngineAgainstADict.TestCase().runTest()


def test_the_engine_against_a_dict() -> None:
    run_machine(80)


def test_the_dict_finds_a_server_that_forgets_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KeyStore, "_keep", lambda store, call, reply, now_ns, mark: store.release(call))
    with pytest.raises(AssertionError, match="a second effect under k"):
        run_machine(200)
