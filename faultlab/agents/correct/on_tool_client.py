"""A correct agent that leaves also conditional writes to ToolClient, and decides on another version by itself."""

from typing import Any

from faultlab.agents.by_client import Tools, arguments, beyond, client_of, settled, stop_of
from faultlab.agents.desk import Desk
from faultlab.client.moves import read_and_decide
from faultlab.client.policy import TABLE
from faultlab.client.recovery import Recovery
from faultlab.client.result import Result
from faultlab.client.steps import Stop
from faultlab.core.records import Claim


def overtaken(job: Recovery, result: Result) -> bool:
    """Refused for its version: what is to be written can be decided on the one that is there now."""
    said = [item.said for item in result.evidence if item.tool == job.intent.tool]
    return result.status == "not_done" and said[-1:] == ["412"] and job.left.affords()


def decided(desk: Desk, job: Recovery) -> Stop:
    """Call, and where somebody else's version came first, read and call again."""
    while True:
        tools = Tools(job)
        with client_of(job, desk.task, TABLE) as client:
            result = client.call(client.add(tools.spec()), operation=job.intent.name, **arguments(job))
        if not overtaken(job, result):
            return stop_of(result, tools)
        if (ended := desk.do(job, read_and_decide(job))) is not None:
            return ended


def on_tool_client(task: Any, env: Any) -> Claim:
    """One `call` for each intended effect, and one more for each version that came first."""
    desk = Desk(task, env)
    for job in desk.jobs():
        by_itself = job.intent.source is not None and not beyond(job)
        desk.ended(job, decided(desk, job) if by_itself else settled(desk, job))
    return desk.claim()
