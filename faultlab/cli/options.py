"""Options that several commands share."""

from typing import Annotated

import typer

Store = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="Where attempts are kept: a path or `memory`. [.faultlab/lab.db]"),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
TimeScale = Annotated[
    float, typer.Option("--time-scale", help="On the real clock: real seconds in which one second passes.")
]
Address = Annotated[str, typer.Argument(metavar="RUN:N", help="An attempt: 3:12, or last:12.")]


def store_options(store: str | None) -> tuple[str, ...] | None:
    """What a printed command must repeat so that it finds the same attempts; None: they were not kept."""
    if store == "memory":
        return None
    return () if store is None else ("--store", store)
