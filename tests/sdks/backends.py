"""Just enough of four vendors' APIs for their own SDKs: what is created is kept, nothing is deduplicated."""

import hashlib
import itertools
import json
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from faultlab.transports.forms import form

EC2 = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<RunInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>req-{n}</requestId>'
    "<reservationId>r-{n}</reservationId><ownerId>123456789012</ownerId><groupSet/><instancesSet><item>"
    "<instanceId>i-{n}</instanceId><imageId>{image}</imageId>"
    "<instanceState><code>0</code><name>pending</name></instanceState>"
    "</item></instancesSet></RunInstancesResponse>"
)


class Backend:
    """One vendor's server. `made`: what it has done, in order."""

    def __init__(self) -> None:
        self.made: list[Any] = []
        self._numbers = itertools.count(1)
        self.app = Starlette(
            routes=[
                Route("/v1/refunds", self.stripe, methods=["POST"]),
                Route("/v1/payment_intents", self.stripe, methods=["POST"]),
                Route("/chat/completions", self.openai, methods=["POST"]),
                Route("/", self.aws, methods=["POST"]),
            ]
        )

    def _done(self, what: Any) -> int:
        self.made.append(what)
        return next(self._numbers)

    async def stripe(self, request: Request) -> Response:
        asked = form((await request.body()).decode())
        kind = {"/v1/refunds": "refund", "/v1/payment_intents": "payment_intent"}[request.url.path]
        number = self._done(asked)
        return JSONResponse({"id": f"{kind}_{number}", "object": kind, **asked})

    async def openai(self, request: Request) -> Response:
        asked = await request.json()
        number = self._done(asked)
        message = {"role": "assistant", "content": "Hello."}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        told = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": asked["model"]}
        return JSONResponse({**told, "choices": [choice]})

    async def aws(self, request: Request) -> Response:
        """EC2 speaks forms and XML, DynamoDB and SQS JSON under a target."""
        body = await request.body()
        target = request.headers.get("x-amz-target", "")
        if not target:
            asked = form(body.decode())
            return Response(
                EC2.format(n=self._done(asked), image=asked["ImageId"]), media_type="text/xml;charset=UTF-8"
            )
        asked = json.loads(body)
        number = self._done(asked)
        if target.startswith("DynamoDB"):
            row = {"Attributes": {"stock": {"N": str(number)}}}
            return JSONResponse(row, media_type="application/x-amz-json-1.0")
        digest = hashlib.md5(asked["MessageBody"].encode(), usedforsecurity=False).hexdigest()
        told = {"MessageId": f"m-{number}", "MD5OfMessageBody": digest}
        return JSONResponse(told, media_type="application/x-amz-json-1.0")
