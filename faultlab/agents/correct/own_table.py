"""A correct agent built on the generator steps: the policy's rows in an order of its own, and the same driver.

It trusts answers more than keys: what can be asked is asked before anything is sent again.
"""

from itertools import chain
from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import drive, recover
from faultlab.client.policy import TABLE, Policy
from faultlab.core.records import Claim

ASKS = ("settle_stated", "fence_offered", "status_offered")
SENDS = ("protected_by_key", "protected_by_version", "harmless_again")


def asks_above_sends(table: Policy) -> Policy:
    """The rows that ask, moved above the first that sends what may have happened."""
    rows = {row.name: row for row in table}
    others = [row for row in table if row.name not in ASKS]
    at = next(place for place, row in enumerate(others) if row.name in SENDS)
    return (*others[:at], *(rows[name] for name in ASKS), *others[at:])


WARY = asks_above_sends(TABLE)


def own_table(task: Any, env: Any) -> Claim:
    """Waits, bars and asks; a resend only where none of that helps, or after a no."""
    clerk = Clerk(task, env)
    for job in chain(clerk.recoveries(), clerk.reopened()):
        clerk.ended(job, drive(job, clerk.prepared(job, recover(job, WARY))))
    return clerk.claim()
