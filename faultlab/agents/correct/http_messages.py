"""A tool call as an HTTP request, and its response as a result, by the tool's specification alone."""

from collections.abc import Mapping
from email.utils import formatdate
from typing import Any

import httpx

from faultlab.core.agent import Answer, ToolError
from faultlab.core.outcome import outcome_of_exception, outcome_of_response
from faultlab.core.records import Outcome, Receipt


class Messages:
    """For one attempt: an HTTP date that goes with a key is that of the key's first request."""

    def __init__(self, task: Any, env: Any) -> None:
        self.specs: Mapping[str, Any] = task.tools
        self.env = env
        self.first_sent: dict[str, str] = {}
        """Key -> the HTTP date of its first request."""

    def write(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Body and headers of the request."""
        body, headers = dict(args), dict[str, str]()
        if (version := body.pop("if_match", None)) is not None:
            headers["If-Match"] = version
        if (key := body.pop("idempotency_key", None)) is not None:
            rules = self.specs[tool]["contract"]["key"]
            place, _, name = rules["carrier"].partition(" ")
            (body if place == "body" else headers)[name] = key
            if (dated := rules["first_sent_header"]) is not None:
                headers[dated] = self.first_sent.setdefault(key, formatdate(usegmt=True))
        return {"json": body, "headers": headers}

    def read(self, tool: str, response: httpx.Response) -> Any:
        """The body of a whole success. Raises ToolError for anything else."""
        spec, status = self.specs[tool], response.status_code
        try:
            body = response.json()
        except ValueError:
            body = response.text
        fits, promise = isinstance(body, dict), spec.get("provisional", False)
        rejects = spec.get("contract", {}).get("rejects_before_effect", ())
        outcome = outcome_of_response(status, body, fits=fits, provisional=promise, rejects_before_effect=rejects)
        headers = {name.lower(): value for name, value in response.headers.items()}
        if response.is_success and fits and (status != 202 or promise):
            return Answer(body, headers)
        raise self._error(tool, outcome, status=status, body=body, headers=headers)

    def failed(self, tool: str, error: httpx.TransportError) -> ToolError:
        """No response, or none that is whole."""
        return self._error(tool, outcome_of_exception(error), error=type(error).__name__)

    def _error(self, tool: str, outcome: Outcome, **receipt: Any) -> ToolError:
        return ToolError(tool, outcome, Receipt(self.env.calls, round(self.env.now() * 1e9), outcome, **receipt))


class Surroundings:
    """An env with other tools."""

    def __init__(self, env: Any, **changed: Any) -> None:
        self._env = env
        self.__dict__.update(changed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)
