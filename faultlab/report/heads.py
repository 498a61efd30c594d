"""Names of agents over narrow columns: each in at most two lines."""

from collections.abc import Sequence
from typing import NamedTuple

SHORT = 7
"""A name of so many characters stands in one line."""

LONGEST = 12
"""Characters of a line of a head; more are cut."""

VOWELS = frozenset("aeiouy")


class Head(NamedTuple):
    """A name in two lines; the first may be empty."""

    upper: str
    lower: str
    whole: bool
    """Nothing was cut away."""

    @property
    def width(self) -> int:
        return max(len(self.upper), len(self.lower))


def head_of(name: str) -> Head:
    """`blind_retry` -> blind / retry; `careful` in one line; `overwriter` -> over- / writer."""
    if len(name) <= SHORT:
        return Head("", name, True)
    upper, lower = _split(name)
    fits = max(len(upper), len(lower)) <= LONGEST
    return Head(_end(upper), _end(lower), fits)


def _end(line: str) -> str:
    """Of a long line the last characters, which tell names of one folder or module apart."""
    return line if len(line) <= LONGEST else "…" + line[1 - LONGEST :]


def _split(name: str) -> tuple[str, str]:
    """At the separator, else between the syllables, that makes the two lines most equal."""
    places = [place for place, char in enumerate(name) if char in "_-:./\\ " and 0 < place < len(name) - 1]
    if places:
        place = min(places, key=lambda place: max(place, len(name) - place))
        keep = name[place] not in "_ "
        return name[:place], name[place if keep else place + 1 :]
    middle = len(name) / 2
    breaks = [place for place in range(3, len(name) - 2) if _syllable(name, place)] or [len(name) // 2]
    place = min(breaks, key=lambda place: abs(place - middle))
    return name[:place] + "-", name[place:]


def _syllable(name: str, place: int) -> bool:
    """A consonant on each side, and no r or l that belongs to the one before it: `over-writer`."""
    return name[place - 1] not in VOWELS and name[place] not in VOWELS and name[place] not in "rl"


def heads_of(names: Sequence[str]) -> list[Head]:
    """One head a name; where two would look alike, their places are added."""
    heads = [head_of(name) for name in names]
    looks = [(head.upper, head.lower) for head in heads]
    return [
        Head(f"({place})", head.lower, False) if looks.count(look) > 1 else head
        for place, (head, look) in enumerate(zip(heads, looks, strict=True), 1)
    ]
