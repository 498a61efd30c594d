"""`faultlab replay`: a stored attempt judged again, and made again from its seed."""

import typer

from faultlab.cli.options import Address, Json, Store


def replay(address: Address, store: Store = None, as_json: Json = False) -> None:
    """Judge a stored attempt again, and make it again.

    It is made from its seed. Exit code 0: the same findings and the same bytes; 1: not."""
    import faultlab.app as lab
    from faultlab.cli.output import print_json
    from faultlab.report.as_json import replay_json
    from faultlab.report.replay import replay_lines
    from faultlab.report.screen import Screen

    again = lab.replay(store, address)
    stored = again.stored
    where = f"{stored.row.run}:{stored.result.number}"
    if as_json:
        print_json(replay_json(where, again.codes_then, stored.verdict, again.verdict, same_bytes=again.same_bytes))
    else:
        screen = Screen.of()
        lines = replay_lines(
            where, stored.result, again.codes_then, (stored.history, stored.verdict), (again.history, again.verdict),
            screen.width, same_bytes=again.same_bytes,
        )  # fmt: skip
        screen.show(lines)
    same = again.same_bytes and again.same_verdict and again.codes_then == tuple(sorted(stored.verdict.codes))
    raise typer.Exit(0 if same else 1)
