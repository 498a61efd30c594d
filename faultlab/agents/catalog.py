"""The agents that can be named on the command line, as a literal list."""

from collections.abc import Callable, Mapping
from typing import Any

from faultlab.agents.blind_retry import blind_retry
from faultlab.agents.careful import careful, careful_async
from faultlab.agents.claimer import claimer
from faultlab.agents.correct import CORRECT
from faultlab.agents.fresh_key import fresh_key
from faultlab.agents.giver_up import giver_up
from faultlab.agents.never_retry import never_retry
from faultlab.agents.oracle import oracle
from faultlab.agents.overwriter import overwriter
from faultlab.agents.query_once import query_once
from faultlab.agents.same_key import same_key

REFERENCE: tuple[str, ...] = (
    "blind_retry",
    "never_retry",
    "fresh_key",
    "same_key",
    "query_once",
    "overwriter",
    "claimer",
    "giver_up",
    "careful",
)
"""The nine of the calibration, in the order of its columns."""

AGENTS: Mapping[str, Callable[[Any, Any], Any]] = {
    "blind_retry": blind_retry,
    "never_retry": never_retry,
    "fresh_key": fresh_key,
    "same_key": same_key,
    "query_once": query_once,
    "overwriter": overwriter,
    "claimer": claimer,
    "giver_up": giver_up,
    "careful": careful,
    "careful_async": careful_async,
    "oracle": oracle,
    **CORRECT,
}
