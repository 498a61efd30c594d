"""records: the schema of a server's store, version by version, in SQL that SQLite and PostgreSQL both take."""

from sqlalchemy import Connection

from faultlab.records.journal_migrations import migrate_journal
from faultlab.records.migrations import Migration

_SESSIONS = """
CREATE TABLE served_sessions (
    id VARCHAR NOT NULL PRIMARY KEY,
    order_json VARCHAR NOT NULL,
    created FLOAT NOT NULL,
    ended BOOLEAN NOT NULL,
    verdict VARCHAR
)"""
_EVENTS = """
CREATE TABLE served_events (
    session VARCHAR NOT NULL REFERENCES served_sessions (id),
    n INTEGER NOT NULL,
    data VARCHAR NOT NULL,
    PRIMARY KEY (session, n)
)"""
_EFFECTS = """
CREATE TABLE served_effects (
    session VARCHAR NOT NULL REFERENCES served_sessions (id),
    n INTEGER NOT NULL,
    data VARCHAR NOT NULL,
    PRIMARY KEY (session, n)
)"""

SERVED_MIGRATIONS: tuple[Migration, ...] = (Migration(1, (_SESSIONS, _EVENTS, _EFFECTS)),)


def migrate_served(connection: Connection, where: str) -> None:
    """Bring the database to the last version, or raise StoreError and leave it as it was."""
    migrate_journal(connection, where, SERVED_MIGRATIONS, "served")
