"""The docs name everything there is, the generated pages are up to date, and the examples run."""

import importlib.util
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import typer
from docs.matrix_page import AGENTS, SITUATIONS

from faultlab.agents.catalog import REFERENCE
from faultlab.cli.commands import app
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.profiles import PROFILES
from faultlab.core.records import EVENT_KINDS
from faultlab.faults.catalog import ALLOWED, FAULT_NAMES
from faultlab.matrix.loader import builtin
from faultlab.rules.catalog import CATALOG

EXAMPLE = re.compile(r"^```(?:python|yaml) (agent|toolset|scenario)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def docs(project: Path) -> Path:
    return project / "docs"


def headings(page: Path) -> set[str]:
    return {line.lstrip("# ").strip() for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("#")}


def table_names(page: Path) -> set[str]:
    """What stands in backquotes in the first cells of a page's tables."""
    rows = [line.split("|")[1] for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    return {name for cell in rows for name in re.findall(r"`([^`]+)`", cell)}


def test_generated_pages_are_up_to_date(docs: Path) -> None:
    path = Path(__file__).with_name("generate.py")
    spec = importlib.util.spec_from_file_location("generate", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, page in module.PAGES.items():
        assert (docs / name).read_text(encoding="utf-8") == page(), f"run python tests/docs/generate.py: {name} is old"


def test_every_rule_and_fault_has_its_heading(docs: Path) -> None:
    rules = {heading.split()[0] for heading in headings(docs / "rules.md")}
    assert set(CATALOG) <= rules
    assert set(FAULT_NAMES) <= headings(docs / "faults.md")
    text = (docs / "faults.md").read_text(encoding="utf-8")
    for phase, symptoms in ALLOWED.items():
        assert all(f"`{name}`" in text for name in (phase, *symptoms))


def test_every_command_and_option_is_described(docs: Path) -> None:
    page = docs / "commands.md"
    named, text = headings(page), page.read_text(encoding="utf-8")
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group
    assert {f"faultlab {name}" for name in commands} <= named
    for command in commands.values():
        for parameter in command.params:
            options = [name for name in parameter.opts if name.startswith("-")]
            assert not options or any(f"`{name}`" in text or f"`{name} " in text for name in options), options


def test_every_contract_and_parameter_has_its_row(docs: Path) -> None:
    named = table_names(docs / "scenarios.md")
    assert set(PROFILES) <= named
    assert {item.name for item in fields(Contract)} - {"name", "key"} <= named
    assert {f"key.{item.name}" for item in fields(KeyRules)} <= named


def test_every_event_kind_and_member_is_described(docs: Path) -> None:
    page = docs / "history.md"
    named, text = table_names(page), page.read_text(encoding="utf-8")
    assert set(EVENT_KINDS.values()) <= named
    for kind in EVENT_KINDS:
        for member in kind._fields:  # type: ignore[attr-defined]  # all are NamedTuples
            assert f"`{'what' if member == 'kind' else member}`" in text, (kind, member)


def test_the_examples_run(docs: Path, tmp_path: Path) -> None:
    examples = dict(EXAMPLE.findall((docs / "agents.md").read_text(encoding="utf-8")))
    (tmp_path / "my_agent.py").write_text(examples["agent"], encoding="utf-8")
    (tmp_path / "mailbox.py").write_text(examples["toolset"], encoding="utf-8")
    (tmp_path / "mail.yaml").write_text(examples["scenario"], encoding="utf-8")
    (tmp_path / "mailer.py").write_text(MAILER, encoding="utf-8")
    clean = faultlab(tmp_path, "run", "my_agent:run", "-s", "lost-receipt", "--twin", "clean")
    assert clean.returncode == 0, clean.stdout + clean.stderr
    mailed = faultlab(tmp_path, "run", "mailer:run", "-s", "mail.yaml", "--contract", "strict")
    assert mailed.returncode == 0, mailed.stdout + mailed.stderr
    blind = faultlab(tmp_path, "run", "mailer:run", "-s", "mail.yaml", "--contract", "none")
    assert blind.returncode == 1
    assert "FL101" in blind.stdout


MAILER = """
from faultlab import Claim, ToolError


def run(task, env):
    key = {"idempotency_key": task.id} if "idempotency_key" in task.tools["send"]["parameters"]["properties"] else {}
    for number in range(1, 5):
        try:
            env.tools["send"](**task.inputs, **key, reference=task.id)
            return Claim.done("Sent.", evidence=[number])
        except ToolError:
            env.sleep(2.0)
    return env.hand_over("It may have been sent.")
"""


def faultlab(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "faultlab", *arguments, "--store", "memory", "--attempts", "1"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_every_scenario_stands_in_the_matrix_page() -> None:
    told = {name for _, _, names, _, _ in SITUATIONS for name in names}
    assert told == {item.id for item in builtin() if not item.id.endswith("-second")}
    assert set(AGENTS) == set(REFERENCE)
