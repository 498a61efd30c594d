"""The schema of the store, version by version. A migration that has been released is never edited.

All steps run in one transaction together with their lines in `schema_version`: a file is at a version, or it
is not.
"""

from typing import NamedTuple

from sqlalchemy import Connection

from faultlab.core.clock import wall_time
from faultlab.core.errors import StoreError
from faultlab.records.sqlite import undo


class Migration(NamedTuple):
    """The statements that lead from the version before to this one."""

    version: int
    statements: tuple[str, ...]


_RUNS = """
CREATE TABLE runs (
    run INTEGER NOT NULL PRIMARY KEY,
    started_at FLOAT NOT NULL,
    seed BIGINT NOT NULL,
    argv VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    agents VARCHAR NOT NULL,
    scenarios VARCHAR NOT NULL,
    protocol VARCHAR NOT NULL,
    finished BOOLEAN NOT NULL
)"""

_ATTEMPTS = """
CREATE TABLE attempts (
    task_id VARCHAR NOT NULL,
    attempt_id VARCHAR NOT NULL PRIMARY KEY,
    request_id VARCHAR NOT NULL,
    config_ref VARCHAR NOT NULL,
    input_sha256 VARCHAR NOT NULL,
    initial_state_ref VARCHAR NOT NULL,
    grader_ref VARCHAR NOT NULL,
    started_at FLOAT NOT NULL,
    ended_at FLOAT NOT NULL,
    verdict VARCHAR NOT NULL CHECK (verdict IN ('pass', 'fail', 'timeout', 'infra_error')),
    failed_checks VARCHAR NOT NULL,
    artifact_ref VARCHAR,
    trace_ref VARCHAR NOT NULL,
    tool_retries INTEGER NOT NULL,
    human_help INTEGER NOT NULL,
    elapsed_seconds FLOAT NOT NULL,
    cost FLOAT,
    currency VARCHAR NOT NULL,
    dependency_error VARCHAR,
    excluded_reason VARCHAR,
    rerun_of VARCHAR REFERENCES attempts (attempt_id),
    CHECK ((cost IS NULL) = (currency = 'unknown'))
)"""

_ATTEMPT_LAB = """
CREATE TABLE attempt_lab (
    attempt_id VARCHAR NOT NULL REFERENCES attempts (attempt_id),
    run INTEGER NOT NULL REFERENCES runs (run),
    number INTEGER NOT NULL CHECK (number > 0),
    agent VARCHAR NOT NULL,
    scenario VARCHAR NOT NULL,
    contract VARCHAR NOT NULL,
    twin VARCHAR,
    attempt_index INTEGER NOT NULL,
    attempt_seed BIGINT NOT NULL,
    mark VARCHAR NOT NULL,
    findings VARCHAR NOT NULL,
    plan_id VARCHAR NOT NULL,
    plan VARCHAR NOT NULL,
    fired VARCHAR NOT NULL,
    calls VARCHAR NOT NULL,
    effects VARCHAR NOT NULL,
    queries_before_resend INTEGER NOT NULL,
    knowledge_at_claim VARCHAR NOT NULL,
    budget_left VARCHAR NOT NULL,
    surplus_cause VARCHAR,
    outcome_truth VARCHAR NOT NULL,
    outcome_claimed VARCHAR NOT NULL,
    trace_digest VARCHAR NOT NULL,
    history VARCHAR NOT NULL,
    PRIMARY KEY (run, number)
)"""


def _append_only(table: str, event: str) -> str:
    return (
        f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only: add a new attempt with rerun_of instead'); END"
    )


_GUARDS = tuple(_append_only(table, event) for table in ("attempts", "attempt_lab") for event in ("UPDATE", "DELETE"))

_WITH_SCORES = _ATTEMPT_LAB.replace("    history", "    scores VARCHAR NOT NULL,\n    history")
_BEFORE = (
    "attempt_id, run, number, agent, scenario, contract, twin, attempt_index, attempt_seed, mark, findings, plan_id, "
)
_BEFORE += "plan, fired, calls, effects, queries_before_resend, knowledge_at_claim, budget_left, surplus_cause, "
_BEFORE += "outcome_truth, outcome_claimed, trace_digest"
_ADD_SCORES = (
    # A new table and not a new column: the history must stay the last one, so that light reads stop before it.
    "ALTER TABLE attempt_lab RENAME TO attempt_lab_1",
    _WITH_SCORES,
    f"INSERT INTO attempt_lab ({_BEFORE}, scores, history) SELECT {_BEFORE}, '{{}}', history FROM attempt_lab_1",  # noqa: S608 - literals of this file
    "DROP TABLE attempt_lab_1",
    *(_append_only("attempt_lab", event) for event in ("UPDATE", "DELETE")),
)

MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, (_RUNS, _ATTEMPTS, _ATTEMPT_LAB, *_GUARDS)),
    Migration(2, _ADD_SCORES),
)

_SCHEMA_VERSION = "CREATE TABLE schema_version (version INTEGER NOT NULL PRIMARY KEY, applied_at FLOAT NOT NULL)"


def migrate(connection: Connection, where: str, migrations: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Bring the file to the last of `migrations`, or raise StoreError and leave it as it was.

    The connection is in autocommit mode: the transaction is ours, and it takes the write lock before it
    looks, so that of two processes that open a new file only one creates the tables.
    """
    newest = migrations[-1].version
    if version_of(connection, where) == newest:
        return
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        found = version_of(connection, where)
        if found > newest:
            raise StoreError(
                f"{where} was written by a newer faultlab: its schema is version {found}, this one knows "
                f"versions up to {newest}. Upgrade it (pip install --upgrade faultlab), or name another file "
                "with --store"
            )
        if found == 0:
            connection.exec_driver_sql(_SCHEMA_VERSION)
        for migration in migrations:
            if migration.version > found:
                for statement in migration.statements:
                    connection.exec_driver_sql(statement)
                connection.exec_driver_sql("INSERT INTO schema_version VALUES (?, ?)", (migration.version, wall_time()))
        connection.exec_driver_sql("COMMIT")
    except BaseException:
        undo(connection)
        raise


def version_of(connection: Connection, where: str) -> int:
    """The schema version of the file; 0 for an empty one."""
    tables = set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
    if "schema_version" in tables:
        return int(connection.exec_driver_sql("SELECT COALESCE(MAX(version), 0) FROM schema_version").scalar_one())
    if tables:
        raise StoreError(
            f"{where} is a database of another program (it holds {', '.join(sorted(tables)[:3])}). "
            "Name another file with --store"
        )
    return 0
