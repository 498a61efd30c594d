"""`faultlab agents`: the reference agents, each in one line."""

from inspect import cleandoc, getmodule

from faultlab.cli.options import Json


def agents(as_json: Json = False) -> None:
    """List the reference agents and what each does."""
    import faultlab.app as lab
    from faultlab.cli.output import print_json
    from faultlab.report.listing import definition_lines
    from faultlab.report.screen import Screen

    bench = lab.prepare(lab.RunRequest(store="memory"), 0, 0)
    # Each stands in a module of its own, whose docstring says what it does; the function's says why that matters.
    told = {name: cleandoc(getmodule(agent).__doc__ or "").replace("\n", " ") for name, agent in bench.agents.items()}
    if as_json:
        print_json([{"name": name, "description": text} for name, text in told.items()])
        return
    screen = Screen.of()
    screen.show(definition_lines(told, screen.width))
    screen.show(["", "Your own: faultlab new agent my_agent.py"])
