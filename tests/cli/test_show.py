"""Stored runs and attempts, read back."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.conftest import Cli, started_in

from faultlab.records.store import Store

Address = Callable[[str, str], str]

ARGS = ("run", "mine:lucky", "careful", "-s", "lost-receipt", "--contract", "none", "--attempts", "1", "--json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One small run is in the store."""
    return tmp_path_factory.mktemp("ran")


@pytest.fixture(scope="module")
def ran(folder: Path) -> Cli:
    cli = started_in(folder)
    assert cli(*ARGS).returncode == 1
    return cli


@pytest.fixture(scope="module")
def address(ran: Cli, folder: Path) -> Callable[[str, str], str]:
    """agent, twin -> the address of its attempt."""
    store = Store.open(str(folder / ".faultlab" / "lab.db"))
    numbers = {(row.agent, row.twin): row.number for row in store.attempts("last")}
    store.close()
    return lambda agent, twin: f"last:{numbers[agent, twin]}"


def test_an_attempt_is_told_with_its_findings_and_its_neighbours(ran: Cli, address: Address) -> None:
    page = ran("show", address("mine:lucky", "committed"))
    assert page.returncode == 0
    for part in ("FAIL", "twice (1 wanted)", "lost_receipt", "░", "╳", "FL101", "careful passed here", "never"):
        assert part in page.stdout, part


def test_a_stored_run_shows_the_matrix_of_the_run(ran: Cli) -> None:
    lines = ran("show", "last").stdout.splitlines()
    assert any(line.startswith("BOUNDARY") for line in lines)
    (row,) = [line for line in lines if line.startswith("lost-receipt")]
    assert row.split()[-1] == "✓✓✓"
    shown = json.loads(ran("show", "last", "--json").stdout)
    assert {(cell["agent"], cell["twin"]): cell["verdict"] for cell in shown["cells"]}[
        "mine:lucky", "committed"
    ] == "FAIL"


def test_a_diff_takes_an_address_or_an_agent(ran: Cli, address: Address) -> None:
    mine, theirs = address("mine:lucky", "committed"), address("careful", "committed")
    by_agent, by_address = ran("show", "--diff", mine, "careful"), ran("show", "--diff", mine, theirs)
    assert by_agent.stdout == by_address.stdout
    assert "differs:" in by_agent.stdout


def test_a_diff_with_an_agent_that_was_not_there_names_those_that_were(ran: Cli, address: Address) -> None:
    done = ran("show", "--diff", address("careful", "never"), "nobody")
    assert done.returncode == 2
    assert "nobody" in done.stderr and "mine:lucky" in done.stderr


@pytest.mark.parametrize(
    "args",
    [
        ["99"],
        ["last:999"],
        ["nonsense"],
        ["a:b"],
        ["--diff", "last:1"],
        ["1", "2"],
        ["9" * 20],
        ["last:" + "9" * 20],
        ["9" * 5000],
        ["last:" + "9" * 5000],
        ["²"],
        ["last:²"],
    ],
)
def test_what_is_not_there_is_said_and_exits_2(ran: Cli, args: list[str]) -> None:
    done = ran("show", *args)
    assert done.returncode == 2
    assert done.stderr.startswith("faultlab: ") and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["show"], ["show", "last:1"], ["show", "--diff", "last:1", "careful"], ["replay", "last:1"],
        ["run", "careful", "--last-failed"], ["run", "careful", "--resume"], ["run", "nobody"],
        ["run", "careful", "-k", "nothing_of_this_name"],
    ],
)  # fmt: skip
def test_an_empty_folder_has_nothing_to_show_and_stays_empty(cli: Cli, tmp_path: Path, words: list[str]) -> None:
    before = sorted(tmp_path.rglob("*"))
    done = cli(*words, env={"PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 2
    assert done.stderr.startswith("faultlab: ") and not done.stdout
    if words[0] != "run" or words[-1].startswith("--"):
        assert "there is no store .faultlab/lab.db: `faultlab run` makes one" in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_looking_changes_no_byte_of_the_store(ran: Cli, folder: Path, address: Address) -> None:
    file = folder / ".faultlab" / "lab.db"
    before = file.stat()
    assert ran("show").returncode == ran("replay", address("careful", "never")).returncode == 0
    assert (file.stat().st_mtime_ns, file.stat().st_size) == (before.st_mtime_ns, before.st_size)
    assert [item.name for item in file.parent.iterdir()] == ["lab.db"]


@pytest.mark.parametrize("stop", [["-x"], ["--max-cost", "20"]])
def test_a_run_that_stopped_early_passes_nothing_that_was_not_tried(cli: Cli, stop: list[str]) -> None:
    """Also when it is shown later: groups of which only the clean attempts ran are no passes."""
    then = cli("run", "mine:lucky", "-s", "lost-receipt", "--contract", "none", "--contract", "strict", *stop)
    text, data = cli("show").stdout, json.loads(cli("show", "--json").stdout)
    assert {group["verdict"] for group in data["groups"]} <= {"FAIL", "INCONCLUSIVE"}
    assert {cell["twin"] for cell in data["cells"]} == {"clean", "never", "committed", "late_network", "late_server"}
    assert next(line for line in text.splitlines() if line.startswith("PASS of 2")).split()[-1] == "0"
    (told,) = [line for line in then.stdout.splitlines() if line.startswith("Stopped early")]
    assert told in text


def test_a_whole_run_is_shown_as_it_was_reported(ran: Cli) -> None:
    assert "Stopped early" not in ran("show").stdout
    assert {group["verdict"] for group in json.loads(ran("show", "--json").stdout)["groups"]} == {"PASS", "FAIL"}


def test_a_replay_gives_the_same_bytes(ran: Cli, address: Address) -> None:
    done = ran("replay", address("mine:lucky", "committed"), "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["same_bytes"] is True
    assert data["codes_then"] == data["judged_again"] == data["made_again"]


def test_the_quickstart_works_to_the_letter(cli: Cli, project: Path) -> None:
    page = (project / "docs" / "quickstart.md").read_text(encoding="utf-8")
    minutes = page.partition("## Minute 4")[2].partition("## In continuous")[0]
    commands = [line.split() for line in minutes.splitlines() if line.startswith("faultlab ")]
    ends = [cli(*command[1:]).returncode for command in commands]
    assert len(ends) == 6 and ends == [0, 1, 1, 0, 0, 1]
