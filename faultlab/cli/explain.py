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

    if code is None:
        if as_json:
            print_json(all_json())
        else:
            screen = Screen.of()
            screen.show(list_lines(screen.width))
        return
    import faultlab.app as lab

    proof = lab.proof_of(code)
    if as_json:
        print_json(explain_json(code, *proof))
        return
    screen = Screen.of()
    screen.show(explain_lines(code, screen.width, *proof))
