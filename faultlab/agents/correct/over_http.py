"""A correct agent that knows only HTTP: `env.http`, status codes, and the exceptions of httpx."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx

from faultlab.agents.correct.http_messages import Messages, Surroundings
from faultlab.agents.correct.straight_line import settle
from faultlab.agents.desk import Desk
from faultlab.core.records import Claim


class OverHttp(Mapping[str, Callable[..., Any]]):
    """The tools as functions over an httpx.Client: all that is known of them stands in their specifications."""

    def __init__(self, task: Any, env: Any) -> None:
        self.messages = Messages(task, env)
        self.client: httpx.Client = env.http

    def __getitem__(self, tool: str) -> Callable[..., Any]:
        def call(**args: Any) -> Any:
            try:
                response = self.client.post(f"/tools/{tool}", **self.messages.write(tool, args))
            except httpx.TransportError as error:
                raise self.messages.failed(tool, error) from error
            return self.messages.read(tool, response)

        return call

    def __iter__(self) -> Iterator[str]:
        return iter(self.messages.specs)

    def __len__(self) -> int:
        return len(self.messages.specs)


def over_http(task: Any, env: Any) -> Claim:
    """Everything it knows comes from responses and exceptions."""
    desk = Desk(task, Surroundings(env, tools=OverHttp(task, env)))
    for job in desk.jobs():
        desk.ended(job, settle(desk, job))
    return desk.claim()
