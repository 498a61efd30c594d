"""records: the tables of the journal as SQLModel models; `journal_migrations.py` creates them, a test compares."""

from sqlalchemy import BigInteger, MetaData
from sqlmodel import Field, SQLModel


class _Table(SQLModel):
    """Base with metadata of its own: the journal may share a database with anything."""

    metadata = MetaData()


class JournalMeta(_Table, table=True):
    """One row: the name of the run of clients that name none."""

    __tablename__ = "journal_meta"

    one: int = Field(primary_key=True)
    run_id: str


class JournalOperation(_Table, table=True):
    """The only table with columns that change: the lease, the state, the parameters of what was never applied."""

    __tablename__ = "journal_operations"

    id: str = Field(primary_key=True)
    run: str
    tool: str
    identity: str
    name: str
    args: str
    digest: str
    began_ns: int = Field(sa_type=BigInteger)
    ordinal: int
    state: str
    settled_ns: int | None = Field(default=None, sa_type=BigInteger)
    value: str
    lease_n: int = Field(sa_type=BigInteger)
    lease_until_ns: int = Field(sa_type=BigInteger)


class JournalCall(_Table, table=True):
    """Requests, each written before it left, and questions, each written with its answer."""

    __tablename__ = "journal_calls"

    operation: str = Field(foreign_key="journal_operations.id", primary_key=True)
    n: int = Field(primary_key=True)
    t_ns: int = Field(sa_type=BigInteger)
    tool: str
    kind: str
    digest: str
    key: str | None
    reference: str | None
    if_match: str | None
    scope: str | None
    lease_n: int = Field(sa_type=BigInteger)
    lease_until_ns: int = Field(sa_type=BigInteger)


class JournalReceipt(_Table, table=True):
    """What came back."""

    __tablename__ = "journal_receipts"

    operation: str = Field(foreign_key="journal_operations.id", primary_key=True)
    n: int = Field(primary_key=True)
    t_ns: int = Field(sa_type=BigInteger)
    outcome: str
    status: int | None
    error: str | None
    headers: str
    body: str
    reveals: str


JOURNAL_METADATA = _Table.metadata
