"""The tables of the store as SQLModel models; `migrations.py` creates them, a test keeps the two equal."""

from sqlalchemy import BigInteger, MetaData
from sqlmodel import Field, SQLModel


class _Table(SQLModel):
    """Base with metadata of its own, so that tables of other parts do not end up in this store."""

    metadata = MetaData()


class Run(_Table, table=True):
    """One `faultlab run`; the only table with a column that changes (`finished`)."""

    __tablename__ = "runs"

    run: int | None = Field(default=None, primary_key=True)
    started_at: float
    seed: int = Field(sa_type=BigInteger)
    argv: str
    version: str
    agents: str
    scenarios: str
    protocol: str
    finished: bool


class Attempt(_Table, table=True):
    """The evaluation record of an attempt: these 21 fields and no other. Meanings: `rows.AttemptRow`."""

    __tablename__ = "attempts"

    task_id: str
    attempt_id: str = Field(primary_key=True)
    request_id: str
    config_ref: str
    input_sha256: str
    initial_state_ref: str
    grader_ref: str
    started_at: float
    ended_at: float
    verdict: str
    failed_checks: str
    artifact_ref: str | None
    trace_ref: str
    tool_retries: int
    human_help: int
    elapsed_seconds: float
    cost: float | None
    currency: str
    dependency_error: str | None
    excluded_reason: str | None
    rerun_of: str | None = Field(foreign_key="attempts.attempt_id")


class AttemptLab(_Table, table=True):
    """What the lab knows of the same attempt. The history comes last: light reads stop before it."""

    __tablename__ = "attempt_lab"

    attempt_id: str = Field(foreign_key="attempts.attempt_id")
    run: int = Field(foreign_key="runs.run", primary_key=True)
    number: int = Field(primary_key=True)
    agent: str
    scenario: str
    contract: str
    twin: str | None
    attempt_index: int
    attempt_seed: int = Field(sa_type=BigInteger)
    mark: str
    findings: str
    plan_id: str
    plan: str
    fired: str
    calls: str
    effects: str
    queries_before_resend: int
    knowledge_at_claim: str
    budget_left: str
    surplus_cause: str | None
    outcome_truth: str
    outcome_claimed: str
    trace_digest: str
    scores: str
    history: str


METADATA = _Table.metadata
