"""The examples of docs/lab.md and docs/frameworks.md run, and the pages name what there is."""

import inspect
import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from faultlab import Lab
from faultlab.api.fault_spec import FaultSpec
from faultlab.api.wrap import wrapped

EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["lab.md", "frameworks.md"])
def test_the_examples_run_in_order(name: str, project: Path) -> None:
    examples = EXAMPLE.findall((project / "docs" / name).read_text(encoding="utf-8"))
    assert examples
    names: dict[str, Any] = {}
    for example in examples:
        exec(compile(example, name, "exec"), names)  # noqa: S102  the project's own page


def test_every_option_and_method_is_named(project: Path) -> None:
    page = (project / "docs" / "lab.md").read_text(encoding="utf-8")
    options = {
        *(name for name in inspect.signature(Lab.in_front_of).parameters if name not in ("self", "target")),
        *({item.name for item in fields(FaultSpec)} - {"name"}),
        *inspect.signature(Lab).parameters.keys() - {"seed", "faults", "toolset"},
        *(name for name in inspect.signature(wrapped).parameters if name in ("writes", "identity", "refuses")),
    }
    assert [name for name in sorted(options) if f"{name}=" not in page] == []
    methods = [name for name in vars(Lab) if not name.startswith("_") and name not in ("seed", "twin", "history")]
    named = [name for name in methods if f"lab.{name}" not in page and f"`{name}" not in page]
    assert set(named) <= {"contract", "fault", "timeline"}


@pytest.mark.parametrize("extra", ["frameworks", "sdks"])
def test_the_versions_of_the_page_are_those_of_the_extra(extra: str, project: Path) -> None:
    page = (project / "docs" / f"{extra}.md").read_text(encoding="utf-8")
    extras = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    pinned = [item.split("==") for item in extras[extra]]
    assert [f"| {name} | {version} |" for name, version in pinned if f"| {name} | {version} |" not in page] == []
