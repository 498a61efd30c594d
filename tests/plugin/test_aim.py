"""What a test says of a mark whose fault cannot strike or cannot be shown, where only the run can know it."""

import pytest
from plugin.inner import outcomes, project

pytest_plugins = ("pytester",)

BY_PATH = """
@pytest.mark.faults("lost_request", on="POST /v1/orders/{{id}}/refunds", match={})
def test_refund(faultlab):
    api = faultlab.in_front_of(backend())
    with pytest.raises(httpx.ReadTimeout):
        api.client().post("/v1/orders/7/refunds", json={{"amount": 5}})
"""


def test_a_number_never_matches_a_part_of_a_path_and_the_test_says_so(pytester: pytest.Pytester) -> None:
    source = BY_PATH.format({"id": 7}).replace("with pytest.raises(httpx.ReadTimeout)", "if True")
    project(pytester, test_it=source, test_right=BY_PATH.format({"id": "7", "amount": 5}))
    outcome, text = outcomes(pytester, "test_it.py")["test_refund[lost_request]"]
    assert outcome == "error"
    assert "Call #1 had id='7': what stands in a path or in a query is text, so write match={'id': '7'}." in text
    assert [outcome for outcome, _ in outcomes(pytester, "test_right.py").values()] == ["passed"]


CATCHING = """
@pytest.mark.faults("lost_receipt", tool="send", symptom="truncated")
def test_mail(faultlab):
    send = faultlab.wrap(lambda: None, name="send")
    try:
        send()
    except Exception:
        pass
    assert RESULT
"""
TOLD = "one around a Python function cannot; take one of: timeout, reset, close"


@pytest.mark.parametrize(("result", "outcome"), [(True, "error"), (False, "failed")])
def test_what_the_code_under_test_has_caught_is_told_all_the_same(
    pytester: pytest.Pytester, result: bool, outcome: str
) -> None:
    project(pytester, test_it=CATCHING.replace("RESULT", str(result)))
    for found, text in outcomes(pytester).values():
        assert found == outcome
        assert text.count(TOLD) == 1


def test_what_came_out_of_the_test_is_told_once(pytester: pytest.Pytester) -> None:
    project(pytester, test_it=CATCHING.replace("except Exception", "except ZeroDivisionError"))
    for found, text in outcomes(pytester).values():
        assert found == "failed"
        assert text.count(TOLD) == 1
