"""A tool that is executed behind the lab, and which of its effects a call means."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from faultlab.api.given import listed
from faultlab.core.canonical import identity_of
from faultlab.core.errors import BadInput
from faultlab.core.tools import Shown, Tool

ANY_OBJECT: Mapping[str, Any] = {"type": "object"}
"""The schema of arguments that the lab does not check: the app behind it does."""

Identity = Callable[[Mapping[str, Any]], str] | Sequence[str]
"""Names of arguments, or a function from all arguments to a text."""

HOST = "//host"
"""The argument that names the host of a request, where it is not the usual one; no member is called like that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontTool(Tool):
    """A tool that is executed behind the lab."""

    names: Callable[[Mapping[str, Any]], str] | None = None
    """Its identity as a function of all arguments, where it is not some of them."""

    def meant(self, args: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        if self.kind != "write":
            return "", ()
        if self.names is spelled:
            return spelled(args), ()
        identity = self._named(args) if self.names is None else self._computed(self.names, args)
        return (f"{identity}, {HOST}={args[HOST]}" if HOST in args else identity), ()

    def _named(self, args: Mapping[str, Any]) -> str:
        for name in self.identity:
            if name not in args:
                raise BadInput(
                    f"{self.name}: identity names {name!r}, which a request did not have; it had {_listed(args)}. Name"
                    " what every request has, give the route an identity of its own with effects={ROUTE: [...]}, or"
                    " take a function of the arguments"
                )
        return identity_of(self.identity, args)

    def _computed(self, identity: Callable[[Mapping[str, Any]], str], args: Mapping[str, Any]) -> str:
        try:
            return str(identity(args))
        except Exception as error:
            raise BadInput(
                f"{self.name}: the function identity= raised {error!r}; the arguments were {_listed(args)}."
                " It must give a text for every request"
            ) from error

    def identified_by(self, name: str) -> bool:
        """Whether an argument tells which effect is meant. A function of the user's own chooses for itself."""
        return self.kind == "write" and (self.names is spelled or name in self.identity)


def front_tool(
    name: str,
    kind: Literal["read", "write"],
    identity: Identity | None,
    *,
    idempotent: bool = False,
    reveals: Mapping[str, Shown | None] | None = None,
    description: str = "",
    route: tuple[str, str] | None = None,
) -> FrontTool:
    """Without an identity, all arguments are it. Raises BadInput for a text as identity."""
    return FrontTool(
        name=name,
        kind=kind,
        function=_elsewhere,
        description=description or name,
        schema=ANY_OBJECT,
        identity=() if identity is None or callable(identity) else listed(f"{name}: identity", identity),
        idempotent=idempotent,
        reveals=reveals or {},
        route=route,
        names=spelled if identity is None else identity if callable(identity) else None,
    )


def spelled(args: Mapping[str, Any]) -> str:
    """All arguments as one label, `amount=40.00, order_id=A17`, the same for the same JSON however it was written."""
    return ", ".join(f"{name}={identity_of([name], args)}" for name in sorted(args))


def _listed(args: Mapping[str, Any]) -> str:
    return ", ".join(args) or "none"


def _elsewhere(*_: Any, **__: Any) -> Any:
    """The functions of these tools run in the app behind the lab."""
    raise AssertionError("a request was executed by the lab instead of the app behind it")
