"""`faultlab explain`: a code in full, or all codes."""

from typing import Annotated

import typer

from faultlab.cli.options import Json


def explain(
    code: Annotated[str | None, typer.Argument(metavar="CODE", help="FL201, or a fault such as lost_receipt.")] = None,
    as_json: Json = False,
) -> None:
    """Explain a code or a fault; without one, list them.

    What was found, why it matters, what is safe instead, and where the rule comes from."""
    from faultlab.cli.output import print_json
    from faultlab.report.explain import all_json, explain_json, explain_lines, list_lines
    from faultlab.report.screen import Screen

    if as_json:
        print_json(all_json() if code is None else explain_json(code))
        return
    screen = Screen.of()
    screen.show(list_lines(screen.width) if code is None else explain_lines(code, screen.width))
