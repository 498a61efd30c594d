"""What can be listed and explained."""

import json

import pytest
from cli.conftest import Cli


@pytest.mark.parametrize("command", ["agents", "scenarios"])
def test_a_list_names_the_same_in_text_and_json(cli: Cli, command: str) -> None:
    names = [item.get("name") or item["id"] for item in json.loads(cli(command, "--json").stdout)]
    text = cli(command).stdout
    assert names
    assert all(name in text for name in names)


def test_every_listed_agent_says_what_it_does(cli: Cli) -> None:
    assert all(item["description"] for item in json.loads(cli("agents", "--json").stdout))


def test_explain_by_code_by_fault_and_all(cli: Cli) -> None:
    codes = [rule["code"] for rule in json.loads(cli("explain", "--json").stdout)]
    assert json.loads(cli("explain", codes[0], "--json").stdout)["code"] == codes[0]
    assert codes[0] in cli("explain", codes[0]).stdout
    assert "lost_receipt" in cli("explain", "lost_receipt").stdout
    assert all(code in cli("explain").stdout for code in codes[:1])


def test_an_unknown_code_exits_2_and_names_the_nearest(cli: Cli) -> None:
    done = cli("explain", "FL21")
    assert done.returncode == 2
    assert "FL2" in done.stderr
