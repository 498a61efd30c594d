"""`faultlab agents`: the reference agents, each in one line."""

import inspect

from faultlab.cli.options import Json


def agents(as_json: Json = False) -> None:
    """List the reference agents and what each does."""
    import faultlab.app as lab
    from faultlab.cli.output import print_json
    from faultlab.report.listing import definition_lines
    from faultlab.report.screen import Screen

    bench = lab.prepare(lab.RunRequest(store="memory"), 0, 0)
    told = {
        name: (inspect.getdoc(agent) or "").partition("\n\n")[0].replace("\n", " ")
        for name, agent in bench.agents.items()
    }
    if as_json:
        print_json([{"name": name, "description": text} for name, text in told.items()])
        return
    screen = Screen.of()
    screen.show(definition_lines(told, screen.width))
    screen.show(["", "Your own: faultlab new agent my_agent.py"])
