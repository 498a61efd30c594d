"""The SDK calls of docs/sdks.md, by the names that they have there. Each takes the lab's URL."""

from collections.abc import Callable
from typing import Any, NamedTuple

PATIENCE_S = 1.0


class Sent(NamedTuple):
    """One SDK call: how it reaches the backend, what is promised there, how it is made."""

    route: str
    contract: str
    make: Callable[[str], Any]
    example: dict[str, Any]
    """A usual answer, of which a truncated one shows the first half."""


def stripe(url: str, retries: int | None = None) -> Any:
    import stripe as sdk

    more = {} if retries is None else {"max_network_retries": retries}
    http = sdk.RequestsClient(timeout=PATIENCE_S)
    return sdk.StripeClient("sk_test_1", base_addresses={"api": url}, http_client=http, **more)


def aws(name: str, url: str) -> Any:
    import boto3
    from botocore.config import Config

    own = {"aws_access_key_id": "AKID", "aws_secret_access_key": "none", "region_name": "us-east-1"}
    return boto3.client(name, endpoint_url=url, config=Config(read_timeout=PATIENCE_S), **own)


def openai(url: str) -> Any:
    import openai as sdk

    return sdk.OpenAI(api_key="none", base_url=url, timeout=PATIENCE_S)


INTENT = {"amount": 100, "currency": "usd", "metadata": {"order": "A17"}}
ADD = {
    "TableName": "stock",
    "Key": {"id": {"S": "mug"}},
    "UpdateExpression": "ADD stock :n",
    "ExpressionAttributeValues": {":n": {"N": "1"}},
    "ReturnValues": "UPDATED_NEW",
}
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}]}
STRIPE = {"id": "pi_1", "object": "payment_intent"}

CALLS = {
    "stripe `payment_intents.create`": Sent(
        "POST /v1/payment_intents", "stripe_v1", lambda url: stripe(url).v1.payment_intents.create(INTENT), STRIPE
    ),
    "stripe `payment_intents.create`, `max_network_retries=2`": Sent(
        "POST /v1/payment_intents", "stripe_v1", lambda url: stripe(url, 2).v1.payment_intents.create(INTENT), STRIPE
    ),
    "stripe `refunds.create`, `max_network_retries=2`": Sent(
        "POST /v1/refunds", "stripe_v1", lambda url: stripe(url, 2).v1.refunds.create({"charge": "ch_1"}), STRIPE
    ),
    "boto3 `ec2.run_instances`": Sent(
        "POST /", "ec2", lambda url: aws("ec2", url).run_instances(ImageId="ami-1", MinCount=1, MaxCount=1), {"id": "i"}
    ),
    "boto3 `dynamodb.update_item` (ADD)": Sent(
        "POST /", "none", lambda url: aws("dynamodb", url).update_item(**ADD), {"Attributes": {"stock": {"N": "1"}}}
    ),
    "boto3 `sqs.send_message`": Sent(
        "POST /",
        "none",
        lambda url: aws("sqs", url).send_message(QueueUrl=f"{url}/1/orders", MessageBody="A17"),
        {"MessageId": "m-1", "MD5OfMessageBody": "0" * 32},
    ),
    "openai `chat.completions.create`": Sent(
        "POST /chat/completions", "none", lambda url: openai(url).chat.completions.create(**HELLO), {"id": "chatcmpl-1"}
    ),
}
