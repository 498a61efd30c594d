"""The lab's verdict on itself as text: which mutant was caught by what, and what was found at correct agents."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from faultlab.core.verdict import GLYPHS, Mark
from faultlab.report.matrix import title_of
from faultlab.report.screen import MARK_STYLES, cut, prose

Mutant = tuple[str, str, Sequence[str], bool]
"""Name, the code named for it, all codes that caught it, and whether the one named is among them."""


def selftest_lines(
    mutants: Sequence[Mutant], correct: Sequence[tuple[str, Sequence[str]]], alike: Sequence[tuple[str, str]],
    unproved: Sequence[str], width: int,
) -> Iterator[Text]:  # fmt: skip
    """Mutants, correct agents, and what is still missing."""
    names = max((len(name) for name in [*(item[0] for item in mutants), *(item[0] for item in correct)]), default=0) + 2
    yield Text("MUTANTS of careful, each with the rule named for it", "bold")
    for name, expected, killed_by, killed in mutants:
        others = [code for code in killed_by if code != expected]
        also = f" (also {' '.join(others)})" if others else ""
        said = (
            f"{expected} {title_of(expected)}{also}"
            if killed
            else f"SURVIVED {expected}, caught by {' '.join(killed_by) or 'nothing'}"
        )
        yield _verdict(name, said, names, width, good=killed)
    yield Text()
    yield Text("CORRECT AGENTS, of which nothing may be found", "bold")
    for name, found in correct:
        yield _verdict(name, " ".join(found) or "no finding", names, width, good=not found)
    yield Text()
    for one, other in alike:
        yield from _problem(f"{one} and {other} fail the same cells by the same codes: they prove nothing apart", width)
    if unproved:
        yield from _problem(f"no mutant is named for {', '.join(unproved)}", width)
    killed_count = sum(killed for *_, killed in mutants)
    silent = sum(not found for _, found in correct)
    whole = killed_count == len(mutants) and silent == len(correct) and not alike and not unproved
    told = (
        f"{killed_count} of {len(mutants)} mutants caught, {silent} of {len(correct)} correct agents without a finding"
    )
    style = "bold green" if whole else "bold red"
    yield from (Text(line, style) for line in prose(told, width, "  ", ""))


def _verdict(name: str, said: str, names: int, width: int, *, good: bool) -> Text:
    mark: Mark = "pass" if good else "harm"
    return Text.assemble((GLYPHS[mark], MARK_STYLES[mark]), " ", cut(name.ljust(names) + said, width - 2))


def _problem(text: str, width: int) -> Iterator[Text]:
    yield from (Text(line, "red") for line in prose(text, width, "  ", ""))
