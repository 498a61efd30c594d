"""`faultlab scenarios`: what agents are put before."""

from faultlab.cli.options import Json


def scenarios(as_json: Json = False) -> None:
    """List the shipped scenarios with their contracts and twins."""
    import faultlab.app as lab
    from faultlab.cli.output import print_json
    from faultlab.report.listing import ScenarioRow, scenario_lines
    from faultlab.report.screen import Screen

    table: dict[str, ScenarioRow] = {}
    for group in lab.groups_for(lab.RunRequest()):
        scenario = group.scenario
        row = table.setdefault(
            scenario.id, ScenarioRow(scenario.id, scenario.suite, scenario.instruction, [], list(group.twins))
        )
        row.contracts.append(group.contract.name)
    if as_json:
        print_json([row._asdict() for row in table.values()])
        return
    screen = Screen.of()
    screen.show(scenario_lines(list(table.values()), screen.width))
    screen.show(["", "Your own: faultlab new scenario my_scenario.yaml"])
