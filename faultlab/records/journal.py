"""records: opens a journal by its place."""

from sqlalchemy.engine import make_url

from faultlab.records.journal_engine import described, engine_for
from faultlab.records.journal_migrations import migrate_journal
from faultlab.records.journal_rows import Journal
from faultlab.records.journal_sql import SqlJournal


def open_journal(place: str, *, fsync: bool = True) -> Journal:
    """A path, `sqlite:///PATH` or `postgresql://USER@HOST/NAME`; made or brought up to date where needed.

    `fsync=False`: what was written survives the death of the process, not a power cut.
    BadInput: the place is none of these. StoreError: it cannot hold a journal.
    """
    engine = engine_for(place)
    where = make_url(place).render_as_string(hide_password=True) if "://" in place else place
    try:
        with described(where), engine.connect() as connection:
            migrate_journal(connection, where)
    except BaseException:
        engine.dispose()
        raise
    return SqlJournal(engine, where, fsync=fsync)
