"""One more fault for an attempt under way, checked as the loader checks the entries of a plan."""

from collections.abc import Mapping
from typing import Any

from faultlab.core.clock import ns
from faultlab.faults.plan import Planned
from faultlab.matrix.loader import planned_of
from faultlab.matrix.meaning import arguments_of
from faultlab.matrix.plan_items import Item
from faultlab.matrix.plan_meaning import PlanMeaning
from faultlab.matrix.scenario import Group
from faultlab.matrix.schema import scenario_schema
from faultlab.matrix.shape import Problem, problems


def added_fault(data: Any, group: Group, twin: str) -> Planned | list[Problem]:
    """A plan entry as it stands in a scenario file, for one twin; or everything that is wrong with it.

    It counts calls from when it is added, and need not strike unless it says `required: true`.
    """
    place = ("plan", 0)
    entry = scenario_schema()["properties"]["plan"]["items"]
    if wrong := list(problems(entry, data, place)):
        return [(found[2:], said) for found, said in wrong]
    scenario = group.scenario
    around: Mapping[str, Any] = {
        "suite": scenario.suite,
        "budget": {"seconds": scenario.budget.seconds},
        "plan": [data],
    }
    meaning = PlanMeaning(around, scenario.toolset, [group.contract], frozenset(), arguments_of)
    wrong = [(found[2:] if found[:2] == place else found, said) for found, said in meaning.problems()]
    item = Item(place, data)
    if not wrong and item.twins and twin not in item.twins:
        wrong = [(("twins",), f"this session is the twin {twin!r}; name it among the twins, or give a phase")]
    if wrong:
        return wrong
    late_ns = ns(scenario.late_at_most_s)
    return group.settled(planned_of(item, twin, scenario.toolset, False, late_ns, True))
