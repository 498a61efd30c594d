"""A queue of jobs, for the reports that need one: leases, several workers, batches, answers in bands.

World: `jobs` {id: {state, worker, leased_until_s}}, `settings/queue` {lease_s}, `runs` {id: {job_id, reference}},
`posts` {id: {channel, text}}. A received job comes again once its lease is over and it was not run.

What tells of an effect: `list_runs` shows each run with its reference.
"""

from typing import Any

from faultlab.core.tools import Refused, Toolset, tool
from faultlab.core.world import Row, World


@tool(route="GET /v1/jobs")
def list_jobs(world: World, offset: int = 0, limit: int = 2) -> dict[str, Any]:
    """List the waiting jobs, `limit` of them, without the first `offset`."""
    waiting = sorted(name for name, row in world.items("jobs") if row["state"] == "waiting")
    end = offset + limit
    return {"jobs": waiting[offset:end], "next": end if end < len(waiting) else None, "complete": end >= len(waiting)}


@tool(versioned="jobs/job_id", route="GET /v1/jobs/{job_id}")
def get_job(world: World, job_id: str) -> dict[str, Any]:
    """Read one job: its state, and whose it is."""
    return {"job_id": job_id, **job(world, job_id)}


@tool(route="POST /v1/jobs/receive")
def receive(world: World, limit: int = 1) -> dict[str, Any]:
    """Take waiting jobs off the queue for the time of a lease; those not run until then are given out again."""
    lease_s = (world.get("settings", "queue") or {}).get("lease_s", 30)
    free = [
        name
        for name, row in sorted(world.items("jobs"))
        if row["state"] == "waiting" and world.now_s >= row.get("leased_until_s", 0)
    ][:limit]
    for name in free:
        world.update("jobs", name, leased_until_s=world.now_s + lease_s)
    return {"jobs": free}


@tool(reveals={"run_job": lambda body: body["references"], "run_jobs": lambda body: body["references"]})
def list_runs(world: World, job_id: str) -> dict[str, Any]:
    """List the references of the runs of one job."""
    return {"references": [run["reference"] for run in world.rows("runs", job_id=job_id)], "complete": True}


@tool(writes=True, identity=["job_id"], versioned="jobs/job_id", route="POST /v1/jobs/{job_id}/run")
def run_job(world: World, job_id: str, worker: str = "") -> dict[str, Any]:
    """Run a job. Every executed call runs it once more."""
    return ran(world, job_id, worker)


@tool(writes=True, identity=["job_id"], items="jobs")
def run_jobs(world: World, jobs: list[dict[str, Any]]) -> dict[str, Any]:
    """Run several jobs, a list of {"job_id": ...}, one after the other. Every executed call runs them once more."""
    return {"items": [{"status": 201, "body": ran(world, item["job_id"], "")} for item in jobs]}


@tool(writes=True, identity=["job_id"])
def requeue(world: World, job_id: str) -> dict[str, Any]:
    """End a job's lease; for the one who looks after dead workers."""
    job(world, job_id)
    world.update("jobs", job_id, leased_until_s=0)
    return {"job_id": job_id}


@tool(writes=True, identity=["channel"], ok_declared=True, route="POST /v1/posts")
def post_message(world: World, channel: str, text: str) -> dict[str, Any]:
    """Post a message. `ok: false` in the answer means that nothing was posted."""
    post_id = world.new_id("po")
    world.put("posts", post_id, {"channel": channel, "text": text})
    return {"ok": True, "id": post_id}


def job(world: World, job_id: str) -> Row:
    """The job's row, or a refusal."""
    row = world.get("jobs", job_id)
    if row is None:
        raise Refused(404, "not_found", f"there is no job {job_id}")
    return row


def ran(world: World, job_id: str, worker: str) -> dict[str, Any]:
    """One more run of a job."""
    job(world, job_id)
    world.update("jobs", job_id, state="done", worker=worker)
    run_id = world.new_id("run")
    world.put("runs", run_id, {"job_id": job_id, "reference": world.reference})
    return {"id": run_id, "job_id": job_id, "worker": worker}


JOBS = Toolset.of("jobs", list_jobs, get_job, receive, list_runs, run_job, run_jobs, requeue, post_message)
