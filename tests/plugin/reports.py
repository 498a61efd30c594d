"""Ten public bug reports, each as an ordinary test of at most ten lines that finds the wrapper in it."""

from typing import NamedTuple

HEAD = """
import pytest
from wrappers import *
"""


class Report(NamedTuple):
    """A report, the wrapper in its style and the right one, and the test; `WRAPPER` stands for either."""

    url: str
    broken: str
    right: str
    finds: str
    """A rule that the broken one violates."""
    test: str


REPORTS = (
    Report(
        "https://github.com/ComposioHQ/composio/issues/3654",
        "send_mail_retrying_timeouts",
        "send_mail_retrying_connections",
        "FL101",
        """
@pytest.mark.faults("lost_receipt", on="POST /v1/mails")
def test_mail(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(WRAPPER, api.client(), "hello", hands_over=OutcomeUnknown)
    api.assert_clean()
""",
    ),
    Report(
        "https://github.com/istio/istio/issues/13851",
        "post_through_eager_proxy",
        "post_through_careful_proxy",
        "FL101",
        """
@pytest.mark.faults("lost_receipt", on="POST /v1/orders", symptom="status")
def test_post(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(WRAPPER, api.client(), "/v1/orders", {"item": "mug"}, hands_over=OutcomeUnknown)
    api.assert_clean()
""",
    ),
    Report(
        "https://github.com/MervinPraison/PraisonAI/issues/4256",
        "run_tool_until_it_works",
        "run_tool_as_declared",
        "FL101",
        """
@pytest.mark.faults("lost_receipt", tool="send_email", symptom="reset")
def test_tool(faultlab):
    def send_email(to: str) -> dict:
        return {"sent": to}

    faultlab.run(WRAPPER, faultlab.wrap(send_email), to="ann@example.org", hands_over=OutcomeUnknown)
    faultlab.assert_clean()
""",
    ),
    Report(
        "https://github.com/stripe/stripe-php/issues/637",
        "charge_under_new_keys",
        "charge_under_the_callers_key",
        "FL301",
        """
@pytest.mark.faults("lost_receipt", on="POST /v1/charges", contract="strict")
def test_charge(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(WRAPPER, api.client(), "40.00", "charge-A17", hands_over=OutcomeUnknown)
    api.assert_clean()
""",
    ),
    Report(
        "https://github.com/NousResearch/hermes-agent/pull/96322",
        "reply_guarded_by_words",
        "reply_guarded_by_types",
        "FL101",
        """
@pytest.mark.faults("lost_receipt", on="POST /v1/messages")
def test_reply(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(WRAPPER, api.client(), "hello", hands_over=OutcomeUnknown)
    api.assert_clean()
""",
    ),
    Report(
        "https://github.com/anthropics/claude-code/issues/86001",
        "order_interrupted_as_rejected",
        "order_interrupted_as_unknown",
        "FL502",
        """
@pytest.mark.faults("lost_receipt", on="POST /v1/orders")
def test_order(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(WRAPPER, api.async_client(), "mug", hands_over=OutcomeUnknown)
    api.assert_clean()
""",
    ),
    Report(
        "https://github.com/linuxfoundation/lfx-self-serve/pull/1409",
        "create_after_one_look",
        "create_and_adopt",
        "FL202",
        """
SHOWN = {"GET /v1/jobs": {"POST /v1/jobs": lambda body: [job["reference"] for job in body["jobs"]]}}

@pytest.mark.faults("lost_receipt", on="POST /v1/jobs")
def test_job(faultlab):
    api = faultlab.in_front_of(backend(), effects={"POST /v1/jobs": ["name"]}, reveals=SHOWN)
    api.run(WRAPPER, api.client(), "nightly", hands_over=OutcomeUnknown)
    api.assert_clean()
""",
    ),
    Report(
        "https://github.com/axiomhq/axiom-py/pull/184",
        "ingest_once",
        "ingest_under_a_key",
        "FL204",
        """
@pytest.mark.faults("lost_receipt", on="POST /v1/rows", symptom="close", contract="strict")
def test_ingest(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(WRAPPER, api.client(), [1, 2], "batch-7", hands_over=OutcomeUnknown)
    api.assert_clean()
""",
    ),
    Report(
        "https://github.com/paypal/PayPal-Java-SDK/issues/369",
        "pay_all_under_one_id",
        "pay_each_under_its_own_id",
        "FL501",
        """
@pytest.mark.faults("lost_receipt", on="POST /v1/payments", contract="strict")
def test_payments(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(WRAPPER, api.client(), ["40.00", "9.00"], "context-1", hands_over=OutcomeUnknown)
    api.assert_clean()
""",
    ),
    Report(
        "https://github.com/nautechsystems/nautilus_trader/issues/4152",
        "submit_rejected_after_queries",
        "submit_unknown_after_queries",
        "FL502",
        """
@pytest.mark.faults("lost_receipt", on="POST /v1/orders")
def test_submit(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(WRAPPER, api.client(), "O-1", hands_over=OutcomeUnknown)
    api.assert_clean()
""",
    ),
)
