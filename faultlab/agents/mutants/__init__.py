"""`careful` made wrong: each mutant changes one row of its policy table, one step of its clerk or how it calls a tool,
and is named with the rule that must catch it.

They prove that the rules can fail. No two may be found out in the same cells by the same codes.
"""

from collections.abc import Mapping

from faultlab.agents.mutants.authority import AUTHORITY
from faultlab.agents.mutants.first_sends import FIRST_SENDS
from faultlab.agents.mutants.lives import LIVES
from faultlab.agents.mutants.looks import LOOKS
from faultlab.agents.mutants.mutant import Mutant
from faultlab.agents.mutants.pace import PACE
from faultlab.agents.mutants.readings import READINGS
from faultlab.agents.mutants.resends import RESENDS
from faultlab.agents.mutants.stops import STOPS
from faultlab.agents.mutants.versions import VERSIONS

MUTANTS: Mapping[str, Mutant] = {
    **FIRST_SENDS,
    **RESENDS,
    **LOOKS,
    **STOPS,
    **PACE,
    **LIVES,
    **READINGS,
    **VERSIONS,
    **AUTHORITY,
}
"""Name -> (agent, the rule named for it)."""
