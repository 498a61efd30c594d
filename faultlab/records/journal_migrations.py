"""records: the schema of the journal, version by version, in SQL that SQLite and PostgreSQL both take.

A migration that has been released is never edited. All steps run in one transaction together with their lines in
`journal_schema_version`: a database is at a version, or it is not. Other tables beside ours are none of our business.
"""

from sqlalchemy import Connection, inspect, text

from faultlab.core.clock import wall_time
from faultlab.core.errors import StoreError
from faultlab.records.migrations import Migration

_META = """
CREATE TABLE journal_meta (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    run_id VARCHAR NOT NULL
)"""

_OPERATIONS = """
CREATE TABLE journal_operations (
    id VARCHAR NOT NULL PRIMARY KEY,
    run VARCHAR NOT NULL,
    tool VARCHAR NOT NULL,
    identity VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    args VARCHAR NOT NULL,
    digest VARCHAR NOT NULL,
    began_ns BIGINT NOT NULL,
    ordinal INTEGER NOT NULL,
    state VARCHAR NOT NULL CHECK (state IN ('open', 'done', 'not_done', 'refused', 'handed_over')),
    settled_ns BIGINT,
    value VARCHAR NOT NULL,
    lease_n BIGINT NOT NULL,
    lease_until_ns BIGINT NOT NULL,
    UNIQUE (run, tool, identity, name),
    UNIQUE (tool, identity, ordinal)
)"""

_BY_STATE = "CREATE INDEX journal_operations_by_state ON journal_operations (state, began_ns)"

_CALLS = """
CREATE TABLE journal_calls (
    operation VARCHAR NOT NULL REFERENCES journal_operations (id),
    n INTEGER NOT NULL CHECK (n > 0),
    t_ns BIGINT NOT NULL,
    tool VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    digest VARCHAR NOT NULL,
    key VARCHAR,
    reference VARCHAR,
    if_match VARCHAR,
    scope VARCHAR,
    lease_n BIGINT NOT NULL,
    lease_until_ns BIGINT NOT NULL,
    PRIMARY KEY (operation, n)
)"""

_RECEIPTS = """
CREATE TABLE journal_receipts (
    operation VARCHAR NOT NULL,
    n INTEGER NOT NULL,
    t_ns BIGINT NOT NULL,
    outcome VARCHAR NOT NULL CHECK (outcome IN ('applied', 'not_applied', 'unknown')),
    status INTEGER,
    error VARCHAR,
    headers VARCHAR NOT NULL,
    body VARCHAR NOT NULL,
    reveals VARCHAR NOT NULL,
    PRIMARY KEY (operation, n),
    FOREIGN KEY (operation, n) REFERENCES journal_calls (operation, n)
)"""

JOURNAL_MIGRATIONS: tuple[Migration, ...] = (Migration(1, (_META, _OPERATIONS, _BY_STATE, _CALLS, _RECEIPTS)),)

_SCHEMA_VERSION = """
CREATE TABLE IF NOT EXISTS {}_schema_version (
    version INTEGER NOT NULL PRIMARY KEY,
    applied_at FLOAT NOT NULL
)"""
_ADD_VERSION = "INSERT INTO {}_schema_version VALUES (:version, :applied_at)"
_ADVISORY_LOCK = 0x6661756C74
"""PostgreSQL: of several processes that open a new database, one makes the tables and the others wait."""


def migrate_journal(
    connection: Connection,
    where: str,
    migrations: tuple[Migration, ...] = JOURNAL_MIGRATIONS,
    schema: str = "journal",
) -> None:
    """Bring the tables of one `schema` to the last of `migrations`, or raise StoreError and leave them as they were.

    The connection is in autocommit mode.
    """
    newest = migrations[-1].version
    if _version(connection, schema) == newest:
        return
    postgres = connection.dialect.name == "postgresql"
    connection.exec_driver_sql("BEGIN" if postgres else "BEGIN IMMEDIATE")
    try:
        if postgres:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
        connection.exec_driver_sql(_SCHEMA_VERSION.format(schema))
        found = _version(connection, schema)
        if found > newest:
            raise StoreError(
                f"{where} was written by a newer faultlab: its schema is version {found}, this one knows "
                f"versions up to {newest}. Upgrade it (pip install --upgrade faultlab), or name another place"
            )
        for migration in migrations:
            if migration.version > found:
                for statement in migration.statements:
                    connection.exec_driver_sql(statement)
                connection.execute(
                    text(_ADD_VERSION.format(schema)), {"version": migration.version, "applied_at": wall_time()}
                )
        connection.exec_driver_sql("COMMIT")
    except BaseException:
        connection.exec_driver_sql("ROLLBACK")
        raise


def _version(connection: Connection, schema: str) -> int:
    """The version of a schema in this database; 0 where there is none."""
    if not inspect(connection).has_table(f"{schema}_schema_version"):
        return 0
    query = f"SELECT COALESCE(MAX(version), 0) FROM {schema}_schema_version"  # noqa: S608 - a literal name
    return int(connection.exec_driver_sql(query).scalar_one())
