"""What is wrong with the entries of a plan: faults that are none, that cannot strike there, or strike the same call."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from faultlab.core.agent import Budget
from faultlab.core.clock import NS, ns
from faultlab.core.contract import Contract
from faultlab.core.tools import Tool, Toolset
from faultlab.engine.handles import with_contract
from faultlab.engine.session import OVERRUN
from faultlab.faults.catalog import ALLOWED, named
from faultlab.faults.fault import Site
from faultlab.faults.symptoms import denies
from faultlab.matrix.annotations import parameter_schema
from faultlab.matrix.marks import Place
from faultlab.matrix.plan_items import LATE_TWINS, Item, every_tool, plan_items, struck, twin_names
from faultlab.matrix.shape import Problem, problems, unknown

WRITE_PHASES = (*LATE_TWINS, "torn")
"""A read leaves nothing behind that could land late or be lost."""

Arguments = Callable[[Tool, Sequence[str], Mapping[str, Any], Place], Iterator[Problem]]


@dataclass(slots=True)
class PlanMeaning:
    """Reads data in which None stands for what has not the right form; that is not complained of again."""

    data: Mapping[str, Any]
    toolset: Toolset | None
    contracts: Sequence[Contract]
    spoiled: Set[Place]
    arguments: Arguments
    """What is wrong with a call's arguments."""

    def problems(self) -> Iterator[Problem]:
        seconds = (self.data.get("budget") or {}).get("seconds") or Budget().seconds
        for item in plan_items(self.data):
            yield from _form(item)
            yield from _trigger(item, seconds)
            yield from _symptom(item)
            if self.toolset is not None:
                yield from self._where(item, self.toolset, seconds)
        yield from self._same_calls()
        for twin in self.data.get("twins") or {}:
            if twin == "clean":
                yield ("twins", twin), "clean is the run without a fault; name the twin after what is true in it"

    def _where(self, item: Item, toolset: Toolset, seconds: float) -> Iterator[Problem]:
        """The tool is there, and the fault can strike it."""
        name = item.data.get("tool")
        if name is None:
            return
        offered = [with_contract(toolset, contract).tools for contract in self.contracts]
        tools = dict(toolset.tools)
        for more in offered:
            tools |= more
        tool = None if every_tool(item) else tools.get(name)
        if tool is None and not every_tool(item):
            yield (*item.place, "tool"), unknown("tool", name, tools)
            return
        wrong = list(self._kind(item, tool, toolset))
        yield from wrong
        if tool is not None:
            yield from self.arguments(tool, tool.arguments, item.data.get("match") or {}, (*item.place, "match"))
            yield from self._offered(item, tool, offered)
        if item.data.get("phase") == "torn":
            yield from self._torn(item)
        if tool is not None and tool.kind == "write":
            yield from self._denied(item)
        if item.fault is not None and not wrong:
            yield from self._parameters(item, Site(tool, tools, self.contracts, seconds))

    def _kind(self, item: Item, tool: Tool | None, toolset: Toolset) -> Iterator[Problem]:
        """It is of the kind that the fault strikes."""
        place = (*item.place, "tool")
        if tool is None:
            if item.data.get("twins"):
                yield place, "twins are of one write tool; name it"
            elif item.data.get("phase") in WRITE_PHASES:
                yield place, f"{item.data['phase']} strikes a write; name the tool"
        elif item.data.get("twins") and tool.kind != "write":
            writing = ", ".join(name for name, other in toolset.tools.items() if other.kind == "write")
            yield place, f"{tool.name} does not write, so it has no twins; give a phase, or name {writing}"
        elif item.data.get("phase") in WRITE_PHASES and tool.kind != "write":
            said = f"{tool.name} does not write, so its phase is not {item.data['phase']}"
            yield (*item.place, "phase"), f"{said}; known: connect, before, after"
        elif item.fault is not None and tool.kind not in item.fault.kinds:
            kinds = " or ".join({"status": "status query"}.get(kind, kind) for kind in item.fault.kinds)
            yield place, f"{item.name} strikes a {kinds}; {tool.name} is a {tool.kind}"

    def _offered(self, item: Item, tool: Tool, offered: Sequence[Mapping[str, Tool]]) -> Iterator[Problem]:
        """It is there under every contract, or the fault need not strike."""
        lacking = [
            contract.name for contract, tools in zip(self.contracts, offered, strict=True) if tool.name not in tools
        ]
        if lacking and item.required(item.position == 0, tool.kind):
            said = f"{tool.name} is not offered under {lacking[0]}: this fault cannot strike there"
            yield (*item.place, "tool"), f"{said}; write required: false"

    def _torn(self, item: Item) -> Iterator[Problem]:
        if keyless := [contract.name for contract in self.contracts if contract.key is None]:
            said = f"torn loses a key's record; {keyless[0]} keeps none: take it from contracts"
            yield (*item.place, "phase"), said
        if self.data.get("suite") in ("boundary", "natural"):
            said = "torn breaks what a key contract promises; the suite must be broken_promise"
            yield (*item.place, "phase"), said

    def _denied(self, item: Item) -> Iterator[Problem]:
        """A receipt is lost behind a status that, says the contract, is answered before any effect; there is one."""
        if self.data.get("suite") not in ("boundary", "natural") or {"connect", "before"}.issuperset(item.phases):
            return
        for contract in self.contracts:
            if (promise := denies(item.data.get("symptom"), contract)) is not None:
                said = f"symptom status breaks what {contract.name} promises ({promise})"
                yield (*item.place, "symptom"), f"{said}; the suite must be broken_promise"
                return

    def _parameters(self, item: Item, site: Site) -> Iterator[Problem]:
        """They are those of the fault, and make sense there."""
        fault, given = item.fault, item.given
        assert fault is not None
        wrong = list(problems(parameter_schema(fault), given, (*item.place, "with")))
        yield from wrong
        if wrong:
            return
        made = named(fault.name, given)
        for parameter, said in made.complaints(site):
            wrong.append(((*item.place, "with", parameter) if parameter in given else item.place, said))
        yield from wrong
        yield from _ends(item, made.last_ns(), site.seconds)
        if wrong or self.data.get("suite") not in ("boundary", "natural"):
            return
        for contract in site.contracts:
            if (promise := made.breaks(site.tool, contract)) is not None:
                said = f"{fault.name} breaks what {contract.name} promises ({promise})"
                yield (*item.place, "fault"), f"{said}; the suite must be broken_promise"
                return

    def _same_calls(self) -> Iterator[Problem]:
        """In no twin two faults strike one call."""
        items = [item for item in plan_items(self.data) if item.place not in self.spoiled]
        told: set[Place] = set()
        for twin in twin_names(self.data):
            taken: dict[Any, Item] = {}
            for item in [item for item in items if item.in_twin(twin)]:
                call = struck(item)
                first = item if call is None else taken.setdefault(call, item)
                if first is not item and item.place not in told:
                    told.add(item.place)
                    whose = "" if first.own is None else f" of twin {first.own}"
                    said = f"the same call as in plan {first.position + 1}{whose}"
                    yield item.place, f"{said}; change occurrence or match"


def _ends(item: Item, last_ns: int, seconds: float) -> Iterator[Problem]:
    """It ends while an attempt can still see it, and where its window does."""
    if last_ns > ns(OVERRUN * seconds):
        said = f"it ends {last_ns / NS:g} s after its call; every attempt is over at {OVERRUN * seconds:g} s"
        yield item.place, f"{item.name}: {said}, {OVERRUN} x budget.seconds"
    during, until_s = item.data.get("during"), item.given.get("until_s")
    if during and until_s is not None and until_s != during[1]:
        said = f"until_s is {until_s:g}; the window of during ends at {during[1]:g}: leave until_s out"
        yield (*item.place, "with", "until_s"), said


def _form(item: Item) -> Iterator[Problem]:
    """Exactly one of the three ways to say what befalls the call."""
    ways = [name for name in ("twins", "phase", "fault") if name in item.data]
    if item.own is not None and "twins" in item.data:
        yield (*item.place, "twins"), f"a fault of twin {item.own} is in no other; give it a phase or a fault"
    elif len(ways) != 1:
        yield item.place, "a fault has exactly one of twins, phase and fault"
    if "with" in item.data and "fault" not in item.data:
        yield (*item.place, "with"), "with holds the parameters of a fault by name; there is no fault here"
    if "symptom" in item.data and "fault" in item.data:
        said = "symptom goes with twins and phase; where a fault has one to choose, it stands in with"
        yield (*item.place, "symptom"), said


def _trigger(item: Item, seconds: float) -> Iterator[Problem]:
    """One way to say which calls, and one that can come about."""
    data = item.data
    ways = [name for name in ("occurrence", "during", "probability") if name in data]
    if len(ways) > 1 or ("times" in data and ways not in ([], ["occurrence"])):
        yield item.place, "a fault has one trigger: occurrence (with times), during, or probability"
    during = data.get("during")
    if during is not None and None not in during:
        begin, end = during
        if begin >= end:
            yield (*item.place, "during"), f"during ends at {end:g}, not after it begins at {begin:g}"
        elif begin > seconds:
            said = f"during begins at {begin:g}; the budget ends at {seconds:g} s"
            yield (*item.place, "during"), said


def _symptom(item: Item) -> Iterator[Problem]:
    """The phase has it."""
    symptom = item.data.get("symptom", "timeout")
    for phase in dict.fromkeys(item.phases):
        if symptom is not None and symptom not in ALLOWED[phase]:
            place = (*item.place, "symptom") if "symptom" in item.data else item.place
            yield place, f"phase {phase} has no symptom {symptom!r}; it has {', '.join(ALLOWED[phase])}"
        elif item.twins and symptom in ("slow", "dribble"):
            said = f"{symptom} brings the receipt, so it makes no twins: patience would tell them apart"
            yield (*item.place, "symptom"), said
            return
