"""What a failed `assert_clean` tells."""

import pytest
from storefronts import Shop, lost, once, retrying

from faultlab import Lab


def told(lab: Lab) -> str:
    with pytest.raises(AssertionError) as failure:
        lab.assert_clean()
    return str(failure.value)


def test_it_says_what_was_seen_what_was_true_which_rule_and_how_to_do_it_again() -> None:
    lab = lost("committed").in_front_of(Shop().transport, identity=["order_id"])
    lab.run(retrying, lab.client())
    lines = told(lab).splitlines()
    assert lines[0] == "not clean: FL101 duplicate effect, FL201 resent while unknown"
    assert "the caller saw: #1 POST /v1/refunds: ReadTimeout after 5 s" in lines
    assert "true is:        POST /v1/refunds(A17) took effect twice (1 wanted)" in lines
    assert any(line.startswith("FL101:") and "1 intended, 2 in the ledger: e1 (#1), e2 (#2)" in line for line in lines)
    assert any("FAULT lost_receipt (after, timeout)" in line for line in lines)
    assert lines[-2:] == [
        "What is safe instead: faultlab explain FL101",
        "Again: Lab(seed=0, twin='committed', contract='none')",
    ]


def test_a_command_for_doing_it_again_can_be_given() -> None:
    lab = lost("committed").in_front_of(Shop().transport)
    lab.replay = "pytest test_x.py::test_refund[committed] --faultlab-seed 0"
    lab.run(retrying, lab.client())
    assert told(lab).endswith(f"Again: {lab.replay}")


def test_an_inconclusive_one_says_why() -> None:
    lab = lost("committed", occurrence=2).in_front_of(Shop().transport)
    lab.run(once, lab.client())
    text = told(lab)
    assert text.startswith("inconclusive, the test says nothing: fault not fired")
    assert "0 of 1 required faults fired" in text
    refused = lost("committed").in_front_of(Shop().transport)
    refused.run(once, refused.client(), order="refused")
    assert "FL901:" in told(refused)


def test_ids_of_effects_are_named_as_in_the_timeline() -> None:
    lab = lost("committed").in_front_of(Shop().transport)
    lab.run(retrying, lab.client())
    assert not any(effect.id in told(lab) for effect in lab.ledger)


def test_the_timeline_fits_the_width() -> None:
    lab = lost("late_network").in_front_of(Shop().transport, identity=["order_id"])
    lab.run(retrying, lab.client())
    assert max(map(len, lab.timeline(80).splitlines())) <= 80
