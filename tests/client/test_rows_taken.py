"""Every row of the policy table is reached by a shipped scenario; `rows_taken.py` counts them over all."""

from client.rows_taken import Taken, main, shipped

from faultlab.client.policy import TABLE

FEW = (
    "lost-receipt",
    "forbidden",
    "invalid-request",
    "throttled",
    "throttled-resend",
    "page-receipt-lost",
    "page-changed",
    "file-receipt-lost",
)


def test_every_row_is_reached() -> None:
    taken = Taken().run(shipped(FEW))
    assert {row.name: taken.rows[row.name] for row in TABLE if not taken.rows[row.name]} == {}
    assert set(taken.rows) == {row.name for row in TABLE}


def test_a_row_that_is_reached_by_none_is_told() -> None:
    assert main(["forbidden"]) == 1
