"""A correct agent that knows only HTTP: `env.http`, status codes, and the exceptions of httpx."""

from email.utils import formatdate
from typing import Any

import httpx

from faultlab.agents.correct.straight_line import Plain
from faultlab.core.agent import ToolError
from faultlab.core.outcome import outcome_of_exception, outcome_of_response
from faultlab.core.records import Claim, Receipt


class OverHttp(Plain):
    """The same decisions over an httpx.Client."""

    def __init__(self, task: Any, env: Any) -> None:
        super().__init__(task, env)
        self.first_sent: dict[str, str] = {}
        """Key -> the HTTP date of its first request."""

    def call(self, tool: str, **args: Any) -> Any:
        self.calls += 1
        headers: dict[str, str] = {}
        if (key := args.pop("idempotency_key", None)) is not None:
            rules = self.task.tools[tool]["contract"]["key"]
            place, _, name = rules["carrier"].partition(" ")
            (args if place == "body" else headers)[name] = key
            if (dated := rules["first_sent_header"]) is not None:
                headers[dated] = self.first_sent.setdefault(key, formatdate(usegmt=True))
        try:
            response = self.env.http.post(f"/tools/{tool}", json=args, headers=headers)
        except httpx.TransportError as error:
            outcome = outcome_of_exception(error)
            raise ToolError(tool, outcome, Receipt(self.calls, 0, outcome, error=type(error).__name__)) from error
        try:
            body = response.json()
        except ValueError:
            body = response.text
        outcome = outcome_of_response(response.status_code, body, fits=isinstance(body, dict))
        if response.is_success and isinstance(body, dict):
            return body
        raise ToolError(tool, outcome, Receipt(self.calls, 0, outcome, response.status_code, body))


def over_http(task: Any, env: Any) -> Claim:
    """Everything it knows comes from responses and exceptions."""
    return OverHttp(task, env).work()
