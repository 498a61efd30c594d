"""JSON on standard output."""

import json
from typing import Any

import typer


def print_json(data: Any) -> None:
    """Indented, in the order in which the members were written."""
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))
