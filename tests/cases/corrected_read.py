"""What the clients of the reports should have done with what they had read: versions, lists, broken answers."""

from typing import Any

from cases.behaviours_read import page_of, write
from cases.work import NOTHING, OPEN, End, Work, unknown

from faultlab.core.agent import ToolError
from faultlab.core.records import Claim


def writes_by_version(work: Work) -> Claim:
    """The version goes with every write. After a conflict: whose is it? Then read, and decide again."""
    step = work.steps[0]
    page = page_of(work)
    for wait_s in (2.0, 4.0, 8.0, 16.0):
        try:
            write(work, page, page["etag"])
            return work.claim([End("done", work.last)])
        except ToolError as error:
            if unknown(error):
                work.env.sleep(wait_s)
                continue
        if work.found(step):
            return work.claim([End("done", work.last)])
        page = page_of(work)
    return work.claim([OPEN])


def runs_what_it_claimed(work: Work) -> Claim:
    """A claim that was refused is somebody else's job."""
    step = work.steps[0]
    seen: dict[str, Any] = work.env.tools["get_job"](job_id=step.args["job_id"])
    try:
        work.send(step, if_match=seen["etag"])
        return work.claim([End("done", work.last)])
    except ToolError as error:
        if unknown(error):
            return work.claim([OPEN])
    owner = work.env.tools["get_job"](job_id=step.args["job_id"])["worker"]
    return work.claim([NOTHING], f"{owner} has it.")


def first_page_until_empty(work: Work) -> Claim:
    """Whatever is still waiting is on the first page."""
    numbers = {}
    while jobs := work.env.tools["list_jobs"](offset=0)["jobs"]:
        for job_id in jobs:
            work.send(next(step for step in work.steps if step.args["job_id"] == job_id))
            numbers[job_id] = work.last
    return work.claim([End("done", numbers[step.args["job_id"]]) for step in work.steps])


def whole_answers_only(work: Work) -> Claim:
    """What does not parse as it came is asked for again."""
    for wait_s in (1.0, 2.0, 4.0):
        try:
            content = work.env.http.get("/v1/files/plan").json()["content"]
        except ValueError:
            work.env.sleep(wait_s)
            continue
        work.send(work.steps[0], content=content)
        return work.claim([End("done", work.last)])
    return work.claim([NOTHING])
