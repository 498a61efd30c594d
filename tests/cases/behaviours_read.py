"""More of the same: what clients of public reports did with what they had read."""

import json
from contextlib import suppress
from typing import Any

from cases.work import NOTHING, End, Work

from faultlab.core.agent import ToolError
from faultlab.core.records import Claim


def page_of(work: Work) -> dict[str, Any]:
    body: dict[str, Any] = work.env.tools["get_page"](page_id="poster")
    return body


def write(work: Work, page: dict[str, Any], if_match: str | None = None) -> Any:
    """The page as it was read, with the entrance changed."""
    step = work.steps[0]
    condition = {} if if_match is None else {"if_match": if_match}
    text = {"notice": page["notice"], **step.args}
    return work.env.tools["update_page"](**text, **condition, reference=step.handle)


def drops_precondition(work: Work) -> Claim:
    """The version that was read is not sent with the write."""
    write(work, page_of(work))
    return work.claim([End("done", work.last)])


def refreshes_version_only(work: Work) -> Claim:
    """After a conflict the new version is put on the old text."""
    page = page_of(work)
    try:
        write(work, page, page["etag"])
    except ToolError:
        write(work, page, page_of(work)["etag"])
    return work.claim([End("done", work.last)])


def conflict_is_foreign(work: Work) -> Claim:
    """The conflict that a resend meets must be somebody else's."""
    page = page_of(work)
    for wait_s in (2.0, 4.0):
        with suppress(ToolError):
            write(work, page, page["etag"])
            return work.claim([End("done", work.last)])
        work.env.sleep(wait_s)
    return work.claim([NOTHING])


def caches_refusals(work: Work) -> Claim:
    """Written unread, and refused; what is written after the reading is answered with that refusal."""
    step = work.steps[0]
    try:
        work.send(step, notice="Bring a ticket.")
    except ToolError:
        page_of(work)
        return work.claim([NOTHING])
    return work.claim([End("done", work.last)])


def runs_what_it_could_not_claim(work: Work) -> Claim:
    """The conditional claim changes nothing, and the job is run all the same."""
    step = work.steps[0]
    seen = work.env.tools["get_job"](job_id=step.args["job_id"])
    try:
        work.send(step, if_match=seen["etag"])
    except ToolError:
        work.send(step)
    return work.claim([End("done", work.last)])


def pages_by_offset(work: Work) -> Claim:
    """Counts its way through a list that its own work makes shorter; the list said that it is through."""
    offset, numbers = 0, []
    while True:
        page = work.env.tools["list_jobs"](offset=offset)
        for job_id in page["jobs"]:
            work.send(next(step for step in work.steps if step.args["job_id"] == job_id))
            numbers.append(work.last)
        offset += len(page["jobs"])
        if page["complete"]:
            return work.claim([End("done", number) for number in [*numbers, *[numbers[-1]] * 9][: len(work.steps)]])


def completes_cut_json(work: Work, repair: str = "close") -> Claim:
    """An answer that ends in the middle is made to parse, and what it then says is done. `repair`: close, empty."""
    text = work.env.http.get("/v1/files/plan").text
    try:
        content = json.loads(text)["content"]
    except ValueError:
        content = closed(text)["content"] if repair == "close" else {}
    work.send(work.steps[0], content=content)
    return work.claim([End("done", work.last)])


def closed(text: str) -> Any:
    """As a lenient parser reads it: cut back to the last whole value, and all brackets closed."""
    for end in range(len(text), 0, -1):
        open_ones = []
        for letter in text[:end]:
            if letter in "{[":
                open_ones.append("}" if letter == "{" else "]")
            elif letter in "}]" and open_ones:
                open_ones.pop()
        with suppress(ValueError):
            return json.loads(text[:end] + "".join(reversed(open_ones)))
    return {}
