"""A claim is what an agent wrote: whatever is not a claim is refused, and what is taken can be judged and stored."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faultlab import Claim
from faultlab.core.errors import BadInput
from faultlab.core.records import HandOver
from faultlab.core.trace import event_as_json, event_from_json
from faultlab.matrix.claims import RECORD, claim_from, claim_of

GOOD = HandOver("refund_order(A17)", "k-1", "0123456789abcdef", None, 0, "ReadTimeout", (1,))._asdict()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def handing_over(**wrong: Any) -> dict[str, Any]:
    return {"status": "handed_over", "text": "x", "hand_over": [{**GOOD, **wrong}]}


@pytest.mark.parametrize(
    ("member", "value"),
    [
        *[("operation", value) for value in (None, 5, ["a"], {})],
        *[("handle", value) for value in (5, {"a": [1]})],
        *[("digest", value) for value in (None, 5, [])],
        ("scope", ["x"]),
        *[("first_sent_ns", value) for value in (None, "x", [1], 1.5, True)],
        *[("last_receipt", value) for value in (None, 200, {})],
        *[("reads", value) for value in ("abc", 1, {}, [{}], ["x"], [[1]], [True])],
    ],
)
def test_a_hand_over_record_that_is_none_names_the_member_and_what_it_must_be(member: str, value: Any) -> None:
    with pytest.raises(BadInput, match=f"a hand-over record with {member} .*; it must be "):
        claim_from(handing_over(**{member: value}))
    if type(value) is not list:  # `reads` may be a list in code
        with pytest.raises(ValueError, match=f"a hand-over record with {member} "):
            claim_of(Claim("handed_over", hand_over=(HandOver(**{**GOOD, member: value}),)))


@pytest.mark.parametrize("records", ["abc", {}, 5, [5], [None], [{"operation": "x"}], [{**GOOD, "more": 1}]])
def test_what_is_no_list_of_records_is_refused(records: Any) -> None:
    with pytest.raises(BadInput, match="hand.over"):
        claim_from({"status": "handed_over", "hand_over": records})


def test_null_stands_for_a_member_that_is_absent() -> None:
    nothing = dict.fromkeys(("text", "evidence", "operations", "hand_over"))
    assert claim_from({"status": "done", **nothing}) == Claim("done")
    assert claim_from(handing_over(reads=None)).hand_over[0].reads == ()
    with pytest.raises(BadInput, match="status"):
        claim_from({"status": None})


@given(
    st.fixed_dictionaries(
        {"status": st.just("handed_over")},
        optional={
            "text": st.text() | JSON,
            "evidence": st.lists(st.integers()) | JSON,
            "operations": st.dictionaries(st.text(), st.just("done")) | JSON,
            "hand_over": st.lists(st.fixed_dictionaries({name: st.just(GOOD[name]) | JSON for name in RECORD})) | JSON,
        },
    )
    | JSON
)
@example(handing_over())
def test_a_claim_that_is_taken_can_be_stored_and_read_again(data: Any) -> None:
    try:
        claim = claim_from(data)
    except BadInput:
        return
    hash((claim.evidence, claim.hand_over))
    assert event_from_json(json.loads(json.dumps(event_as_json(claim)))) == claim
