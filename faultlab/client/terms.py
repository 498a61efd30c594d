"""What a write tool declares about itself, from its specification: the inverse of `core.tools.Tool.terms`."""

from collections.abc import Mapping
from typing import Any

from faultlab.core.history import WriteTerms


def terms_of(spec: Mapping[str, Any]) -> WriteTerms:
    """`spec`: one entry of `task.tools`, of a tool that writes."""
    table, _, argument = spec.get("versioned", "").partition("/")
    return WriteTerms(
        tuple(spec["identity"]),
        idempotent=spec.get("idempotent", False),
        provisional=spec.get("provisional", False),
        versioned=(table, argument) if table else None,
        scope=spec.get("scope"),
        items=spec.get("items"),
        equivalent_to=spec.get("equivalent_to"),
        depends_on=tuple(spec.get("depends_on", ())),
        needs_approval=spec.get("needs_approval", False),
        retryable=spec.get("retryable", False),
        poll_s=spec.get("poll_s"),
    )


def status_of(terms: WriteTerms) -> int:
    """The status of a 2xx whose caller got only the body: a list is answered line by line, a promise is accepted."""
    return 207 if terms.items is not None else 202 if terms.provisional else 200
