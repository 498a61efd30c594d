"""Exceptions that other processes may be handed."""

from typing import Any


class Carried(Exception):
    """Survives pickle and copy with its text and all its attributes, whatever its `__init__` asks for: without this
    a pool of processes breaks when a worker raises it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _without_init, (type(self), *self.args), self.__dict__


def _without_init(kind: type[Carried], *args: Any) -> Carried:
    return kind.__new__(kind, *args)
