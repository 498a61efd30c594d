"""Scenarios of the user's own that cannot judge, and tasks that a reference agent cannot do."""

import json
from pathlib import Path

import pytest
from cli.conftest import Cli

from faultlab.matrix.loader import builtin
from faultlab.matrix.suited import unread

MAIL = """\
id: mail
suite: boundary
task: Tell C5 that the order was sent.
toolset: mails:TOOLSET
world: {}
contracts: [none]
plan:
  - {tool: send, occurrence: 1, twins: [never, committed]}
budget: {calls: 8, seconds: 300, cost: 20}
expect:
  effects: [{tool: send, identity: {to: C5}, exactly: 1}]
"""
WIDE = {"COLUMNS": "1000"}


def changed(cli: Cli, folder: Path, old: str, new: str) -> str:
    """The file that `new scenario` writes, with one line changed; its name, and the number of that line."""
    assert cli("new", "scenario", "mine.yaml").returncode == 0
    file = folder / "mine.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return "mine.yaml"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "status: refunded}",
            "status: paid}",
            ("FL501", "orders/A17/status is 'refunded', not 'paid'", "mine.yaml:12"),
        ),
        ("calls: 12", "calls: 1", ("INCONCLUSIVE in never", "FL901", "mine.yaml:9")),
        ('["40.00"]', '["fifty euros"]', ("FL504", "fifty euros", "mine.yaml:15")),
    ],
)
def test_a_scenario_that_nobody_can_pass_is_named_with_what_was_tried(
    cli: Cli, tmp_path: Path, old: str, new: str, said: tuple[str, ...]
) -> None:
    file = changed(cli, tmp_path, old, new)
    done = cli("run", "careful", "-s", file, "--attempts", "1", "--store", "memory", env=WIDE)
    assert done.returncode == 4
    told = next(line for line in done.stdout.splitlines() if line.startswith("INVALID GROUP"))
    for part in ("mine/none", "the oracle, which makes every move", *said):
        assert part in told, told
    assert told.endswith("it is likely the scenario that is wrong")
    assert "the lab itself" not in done.stdout and "exit 4: your scenario is likely wrong" in done.stdout


def test_a_scenario_that_anyone_passes_names_the_probe(cli: Cli, tmp_path: Path) -> None:
    text = MAIL.replace("mails:TOOLSET", "shop").partition("plan:")[0]
    (tmp_path / "mine.yaml").write_text(f"{text}budget: {{calls: 8}}\nexpect: {{effects: []}}\n", encoding="utf-8")
    done = cli("run", "mine:chatty", "-s", "mine.yaml", "--attempts", "1", "--store", "memory", "--json", env=WIDE)
    assert done.returncode == 4 and json.loads(done.stdout)
    (told,) = [line for line in done.stderr.splitlines() if "the probe 'no call, not_done'" in line]
    assert told.startswith("faultlab: cannot judge mail/none") and "mine.yaml:8 expects nothing" in told


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ("", "mail.yaml:1: careful, blind_retry cannot do this task: it has no inputs and no user to ask."),
        ("inputs: {to: C5, text: hi}", "mail.yaml:12: careful, blind_retry cannot do this task: no input names a tool"),
        ("inputs: {refund: [A17]}", "the input 'refund' takes the tool get_order, which its toolset has not"),
        ("inputs: {send: [[C5, hi]]}", "the input 'send' must be a list of mappings of arguments"),
        ("inputs: {send: [{text: hi}]}", "the input 'send' lacks 'to'"),
    ],
)
def test_a_task_that_reference_agents_cannot_read_is_not_run(cli: Cli, tmp_path: Path, inputs: str, said: str) -> None:
    cli("new", "toolset", "mails.py")
    (tmp_path / "mail.yaml").write_text(f"{MAIL}{inputs}\n", encoding="utf-8")
    done = cli("run", "careful", "blind_retry", "-s", "mail.yaml", env=WIDE)
    assert done.returncode == 2 and not done.stdout
    assert said in done.stderr and "run an agent of your own" in done.stderr
    mine = cli("run", "mine:chatty", "-s", "mail.yaml", "--attempts", "1", "--store", "memory")
    assert mine.returncode in (1, 4)


def test_a_reference_agent_does_a_task_over_tools_of_your_own(cli: Cli, tmp_path: Path) -> None:
    cli("new", "toolset", "mails.py")
    (tmp_path / "mail.yaml").write_text(MAIL + "inputs: {send: [{to: C5, text: hi}]}\n", encoding="utf-8")
    done = cli("run", "careful", "-s", "mail.yaml", "--attempts", "1")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_shipped_task_can_be_read() -> None:
    found = {scenario.id: unread(scenario, scenario.groups()[0].specs) for scenario in builtin()}
    assert {name: why for name, why in found.items() if why} == {}
