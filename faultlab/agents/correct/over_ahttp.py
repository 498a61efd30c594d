"""A correct asynchronous agent over `env.ahttp`: coroutines, one task an attempt, the policy's table for decisions."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

import httpx

from faultlab.agents.clerk import Clerk
from faultlab.agents.correct.http_messages import Messages, Surroundings
from faultlab.client.execute import adrive, recover
from faultlab.core.records import Claim


class OverAhttp(Mapping[str, Callable[..., Awaitable[Any]]]):
    """The tools as coroutine functions over an httpx.AsyncClient."""

    def __init__(self, task: Any, env: Any) -> None:
        self.messages = Messages(task, env)
        self.client: httpx.AsyncClient = env.ahttp

    def __getitem__(self, tool: str) -> Callable[..., Awaitable[Any]]:
        async def call(**args: Any) -> Any:
            try:
                response = await self.client.post(f"/tools/{tool}", **self.messages.write(tool, args))
            except httpx.TransportError as error:
                raise self.messages.failed(tool, error) from error
            return self.messages.read(tool, response)

        return call

    def __iter__(self) -> Iterator[str]:
        return iter(self.messages.specs)

    def __len__(self) -> int:
        return len(self.messages.specs)


async def over_ahttp(task: Any, env: Any) -> Claim:
    """The loop is asyncio's, the waits are asyncio.sleep."""
    clerk = Clerk(task, Surroundings(env, atools=OverAhttp(task, env)))
    async for job in clerk.arecoveries():
        clerk.ended(job, await adrive(job, clerk.prepared(job, recover(job))))
    return clerk.claim()
