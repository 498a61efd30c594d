"""The table of kinds: every name is one of the catalog, and what has none says why."""

from faultlab.faults.catalog import FAULT_NAMES
from faultlab.faults.kinds import KINDS


def test_every_kind_has_a_name_of_the_catalog_or_a_reason() -> None:
    assert len(KINDS) == 32
    assert len({kind.what for kind in KINDS}) == 32
    assert {name for kind in KINDS for name in kind.names} <= set(FAULT_NAMES)
    assert [kind.what for kind in KINDS if not kind.names and len(kind.how.split()) < 5] == []
