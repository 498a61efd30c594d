"""`faultlab serve`: the lab on a real socket."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from faultlab.cli.guard import guarded
from faultlab.cli.options import Json, TimeScale

if TYPE_CHECKING:
    from faultlab.report.serving import Started


def _port(number: int) -> int:
    if not 0 <= number <= 65535:
        raise typer.BadParameter(f"{number} is no port; a port is a number from 0 to 65535.")
    return number


def _bearable(token: str | None) -> str | None:
    """A token that `Authorization: Bearer TOKEN` can carry."""
    if token is not None and (not token or not all("!" <= letter <= "~" for letter in token)):
        raise typer.BadParameter("the token must be ASCII letters, digits or signs, at least one, without a blank.")
    return token


def _found(host: str) -> str:
    """A host with an address of this machine."""
    import socket

    try:
        addresses = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or "it is no name of a host"
        raise typer.BadParameter(f"{host!r} has no address ({said}); name one of this machine.") from None
    if not any(_is_here(family, address) for family, _, _, _, address in addresses):
        there = ", ".join(dict.fromkeys(str(address[0]) for *_, address in addresses))
        shown = host if host == there else f"{host} ({there})"
        raise typer.BadParameter(
            f"{shown} is not an address of this machine; name one of its own: 127.0.0.1 for callers on it, 0.0.0.0 for"
            " all."
        )
    return host


def _is_here(family: int, address: tuple[Any, ...]) -> bool:
    """Whether this machine can listen there: on any free port."""
    import errno
    import socket

    try:
        with socket.socket(family, socket.SOCK_STREAM) as tried:
            tried.bind((address[0], 0, *address[2:]))
    except OSError as error:
        return error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
    return True


def serve(
    scenario: Annotated[
        str, typer.Argument(metavar="SCENARIO", help="A shipped scenario's id, for a session opened at once.")
    ] = "lost-receipt",
    contract: Annotated[str | None, typer.Option("--contract", metavar="ID", help="[the scenario's first]")] = None,
    twin: Annotated[str | None, typer.Option("--twin", metavar="TWIN", help="[its first twin]")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same answers.")] = 1,
    host: Annotated[
        str, typer.Option("--host", callback=guarded(_found), help="Other than loopback, the admin port wants a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", callback=_port, help="The data port; 0 takes a free one.")] = 8700,
    admin_port: Annotated[
        int, typer.Option("--admin-port", callback=_port, help="The admin port; 0 takes a free one.")
    ] = 8701,
    token: Annotated[
        str | None,
        typer.Option("--token", envvar="FAULTLAB_TOKEN", callback=_bearable, help="For the admin port. [one is made]"),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option("--store", metavar="URL", help="Make sessions durable: a file, or postgresql://... [in memory]"),
    ] = None,
    time_scale: TimeScale = 1.0,
    as_json: Json = False,
) -> None:
    """Serve tools with faults over HTTP, for callers in any language. Ctrl-C stops it."""
    import faultlab.app as lab
    from faultlab.cli.output import print_json
    from faultlab.report.serving import serving_json, serving_lines

    def ready(started: "Started") -> None:
        if as_json:
            print_json(serving_json(started))
            return
        for line in serving_lines(started):
            typer.echo(line)

    order = {"scenario": scenario, "contract": contract, "twin": twin, "seed": seed, "time_scale": time_scale}
    lab.serve(order, host=host, port=port, admin_port=admin_port, token=token, store=store, ready=ready)
    if not as_json:
        typer.echo("Stopped.")
