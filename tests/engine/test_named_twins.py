"""Faults by name that make twins: truths that look alike until a call that declares to tell."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from labs import REFUND, TRANSPORTS, Step, drain, fault, lab, named, play
from quiet import KEY, REFERENCE, steps, tells

from faultlab.core.records import Call, Crashed, Receipt
from faultlab.faults.plan import Planned

LOST = replace(REFUND, key=KEY, reference=REFERENCE)
LIST = Step("list_refunds", {"order_id": "A17"})
ORDER = Step("get_order", {"order_id": "A17"})
WINDOW_S = 100.0
B92 = {"order_id": "B92", "amount": "9.00"}
PAIRS: dict[str, tuple[Planned, Planned]] = {
    "phantom, lagging_read": (named("phantom"), named("lagging_read", given={"lag_s": 1e6})),
    "equal_effect, committed": (named("equal_effect"), fault("after")),
    "equal_effect, never": (named("equal_effect", given={"symptom": "garbled"}), fault("before", "garbled")),
    "crash before and after": (
        named("server_crash", given={"step": "before_key_record"}),
        named("server_crash", given={"step": "after_record"}),
    ),
    "client before and after": (
        named("client_crash", given={"when": "before_send"}),
        named("client_crash", given={"when": "after_dispatch"}),
    ),
    "first copy lost, first copy done": (
        named("middlebox_resend", given={"first": "never", "symptom": "truncated"}),
        named("middlebox_resend", given={"first": "committed", "symptom": "truncated"}),
    ),
    "finishes, stays": (
        named("accepted", given={"end": "finishes", "after_s": WINDOW_S}),
        named("accepted", given={"end": "stays"}),
    ),
    "finishes, fails": (
        named("accepted", given={"end": "finishes", "after_s": WINDOW_S}),
        named("accepted", given={"end": "fails", "after_s": WINDOW_S}),
    ),
    "text that lies": (
        named("misleading_text", given={"text": "?"}),
        named("misleading_text", given={"applied": False, "text": "?"}),
    ),
    "ok: false": (named("in_band_error"), named("in_band_error", given={"applied": True})),
    "another's receipt": (
        named("crossed_receipt", given={"args": B92}),
        named("crossed_receipt", given={"args": B92, "applied": False}),
    ),
    "overtaken, lost": (named("reordering", given={"symptom": "close"}), fault("before", "close")),
}


def view(planned: Planned, transport: str, contract: str, script: list[Step]) -> Any:
    session = lab(contract, planned)
    seen = play(transport, session, script)
    return seen, [event for event in session.events if type(event) in (Call, Receipt, Crashed)]


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("pair", PAIRS)
@settings(max_examples=12)
@given(data=st.data())
def test_they_look_alike_to_a_caller_that_does_not_ask(transport: str, pair: str, data: st.DataObject) -> None:
    contract = data.draw(st.sampled_from(["none", "strict", "status"]))
    quiet = steps(contract).filter(lambda step: not tells(step, LOST))
    script = [LOST, *data.draw(st.lists(quiet, max_size=4))]
    first, second = [view(planned, transport, contract, script) for planned in PAIRS[pair]]
    assert first == second


def test_each_pair_differs_in_the_ledger() -> None:
    for pair, both in PAIRS.items():
        ledgers = []
        for planned in both:
            session = lab("none", planned)
            play("direct", session, [LOST])
            drain(session)
            ledgers.append([(effect.call, effect.cause) for effect in session.engine.ledger])
        assert ledgers[0] != ledgers[1], pair


@pytest.mark.parametrize("transport", TRANSPORTS)
@settings(max_examples=25)
@given(data=st.data())
def test_while_it_lags_a_read_is_that_of_a_phantom(transport: str, data: st.DataObject) -> None:
    """Reads may be asked about the very effect, and other writes go on; a handle and its own key would tell."""
    calls = steps("none").filter(lambda step: step.key != KEY and step.reference != REFERENCE)
    script = [LOST, *data.draw(st.lists(st.one_of(calls, st.sampled_from([LIST, ORDER])), max_size=6))]
    phantom, lagging = [view(planned, transport, "none", script) for planned in PAIRS["phantom, lagging_read"]]
    # The resend of a write reads the world itself, and may be answered by what is there.
    writes = {"refund_order", "reverse_refund"}
    if not any(step.tool in writes and step.args.get("order_id") == "A17" for step in script[1:]):
        assert phantom == lagging


def test_when_the_lag_is_over_the_effect_is_seen() -> None:
    session = lab("none", named("lagging_read", given={"lag_s": 30.0}))
    other = Step("refund_order", {"order_id": "B92", "amount": "9.00"}, reference="r-2")
    asked = [LIST, Step("list_refunds", {"order_id": "B92"}), replace(LIST, rest_s=30)]
    seen = play("direct", session, [LOST, other, *asked])
    assert [len(item.body["refunds"]) for item in seen[2:]] == [0, 1, 1]
