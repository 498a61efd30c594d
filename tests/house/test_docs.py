"""Docstrings stand, links lead somewhere, nothing is left for later."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

# Split in two, so that this file does not find itself.
LEFT_FOR_LATER = re.compile(r"\b(" + "TO" + "DO|FIX" + r"ME)\b")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\\)\]\(\s*<?([^)\s>]+)")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)


def links(text: str) -> Iterator[tuple[str, str]]:
    """(path, anchor) of every relative link outside of code; either may be empty."""
    prose = re.sub(r"`[^`\n]*`", "", FENCED.sub("", text))
    for target in LINK.findall(prose):
        if not re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE):
            path, _, anchor = unquote(target).partition("#")
            yield path, anchor


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a page; a repeated heading gets -1, -2 and so on."""
    found: set[str] = set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while (name := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(name)
    return found


def pages(project: Path) -> list[Path]:
    return [project / "README.md", *sorted((project / "docs").rglob("*.md"))]


def places(target: Path, project: Path, package: Path) -> list[Path]:
    """Where a linked file may stand: in the project or, once installed, beside or in the package."""
    if not target.is_relative_to(project):
        return []
    inside = target.relative_to(project)
    return [target, package.parent / inside, package / inside]


def broken(page: Path, project: Path, package: Path) -> list[str]:
    """Every link of a page whose file or heading does not exist."""
    problems = []
    for path, anchor in links(page.read_text(encoding="utf-8")):
        target = (page.parent / path).resolve() if path else page
        found = next((place for place in places(target, project, package) if place.exists()), None)
        if found is None:
            problems.append(f"{page}: no file {path}")
        elif anchor and found.suffix == ".md" and anchor not in anchors(found.read_text(encoding="utf-8")):
            problems.append(f"{page}: no heading #{anchor} in {found}")
    return problems


def test_every_module_says_what_it_is(package: Path) -> None:
    silent = [
        str(path)
        for path in package.rglob("*.py")
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


def test_every_relative_link_leads_somewhere(package: Path, project: Path) -> None:
    problems = [problem for page in pages(project) for problem in broken(page, project, package)]
    assert not problems, "\n" + "\n".join(problems)


def test_nothing_is_left_for_later(package: Path, project: Path) -> None:
    found = [
        f"{path}:{number}: {line.strip()}"
        for folder in (package, project / "tests")
        for path in folder.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if LEFT_FOR_LATER.search(line)
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[a](other.md)", None),
        ("[a](other.md#two-words)", None),
        ("[a](other.md#two-words-1)", None),
        ("[a](#here)\n\n# Here", None),
        ("[a](https://example.org/nowhere)", None),
        ("```\n[a](gone.md)\n```", None),
        ("[a](gone.md)", "no file gone.md"),
        ("![a](gone.png)", "no file gone.png"),
        ("[a](../../outside.md)", "no file ../../outside.md"),
        ("[a](other.md#two-words-2)", "no heading #two-words-2"),
        ("[a](#here)", "no heading #here"),
    ],
)
def test_a_broken_link_is_seen(text: str, problem: str | None, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "docs").mkdir(parents=True)
    (tmp_path / "outside.md").write_text("outside", encoding="utf-8")
    (project / "docs" / "other.md").write_text("# Two `words`\n\n# Two words\n", encoding="utf-8")
    page = project / "docs" / "page.md"
    page.write_text(text, encoding="utf-8")
    told = broken(page, project, package=tmp_path / "site" / "faultlab")
    assert len(told) == (problem is not None)
    assert problem is None or problem in told[0]
