"""Several copies of one document: which is the latest, and whether they contradict each other."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Document(NamedTuple):
    """What one source said."""

    source: str
    body: Mapping[str, Any]

    @property
    def revision(self) -> int | None:
        """None: it does not say which revision it is."""
        found: int | None = self.body.get("revision")
        return found


def newest(documents: Sequence[Document]) -> Document:
    """The highest revision, in whatever order they came; of equals the first."""
    return max(documents, key=lambda document: document.revision or 0)


def contradiction(documents: Sequence[Document]) -> str:
    """What they say differently where some have no revision; empty: nothing, or a revision decides."""
    if all(document.revision is not None for document in documents):
        return ""
    first, *others = documents
    for other in others:
        for name, value in first.body.items():
            if name != "revision" and other.body.get(name, value) != value:
                return (
                    f"{first.source} says {name} {value}, {other.source} says {other.body[name]}, and nothing tells"
                    " which is later."
                )
    return ""


def compared(thing: Mapping[str, Any], document: Document, members: Sequence[str]) -> list[str]:
    """For each member what the thing says and what the document says of it."""
    said = []
    for name in members:
        if name not in document.body:
            said.append(f"{name}: {thing[name]}, for which there is no evidence.")
        elif document.body[name] == thing[name]:
            said.append(f"{name}: {thing[name]}, as {document.source} says.")
        else:
            said.append(f"{name}: {thing[name]}, but {document.source} says {document.body[name]}.")
    return said
