"""Scenarios about an attempt's life, as files: crashes, what happened before, what falls out of memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from faultlab.core.history import History
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.loader import load
from faultlab.matrix.scenario import Group

SEED = Conditions(7, wall_limit_s=5.0)

HEAD = """
id: life
suite: boundary
task: Refund order A17 in full.
inputs: {refund: [A17]}
toolset: shop
world: {orders: {A17: {status: paid, total: "40.00", customer: C1}}, accounts: {C1: {balance: "100.00"}}}
contracts: [none, status, fence, settle, strict, stripe_v1]
expect: {effects: [{tool: refund_order, identity: {order_id: A17}}]}
"""

PRIOR = '{tool: refund_order, args: {order_id: A17, amount: "40.00"}, key: k-1, reference: r-1, at_s: -90000'


def crash_plan(journal: str) -> str:
    return f"plan: [{{tool: refund_order, twins: [never, committed, late], symptom: crash_{journal}}}]"


def prior_twins(more: str = "") -> str:
    """The same call 25 hours ago, its receipt lost in three ways."""
    phases = {"never": "before", "committed": "after", "late": "late_network"}
    return "twins:\n" + "\n".join(
        f"  {twin}: {{prior: [{PRIOR}, fault: {phase}{more}}}]}}" for twin, phase in phases.items()
    )


def written(folder: Path, text: str) -> Path:
    file = folder / "life.yaml"
    file.write_text(HEAD + text + "\n", encoding="utf-8")
    return file


def group_of(folder: Path, text: str, contract: str = "none") -> Group:
    return next(item for item in load(written(folder, text)).groups() if item.contract.name == contract)


def lived(agent: Callable[..., Any], group: Group, twin: str, conditions: Conditions = SEED) -> History:
    return run_attempt(agent, group, twin, 1, conditions)[0]
