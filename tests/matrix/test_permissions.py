"""What a scenario says of authority and secrets reaches the judge's Brief; a mistake in it is named with its line."""

from pathlib import Path

import pytest

from faultlab.core.errors import BadInput
from faultlab.core.history import Brief
from faultlab.matrix.loader import load
from faultlab.matrix.meaning import VETOES
from faultlab.rules.catalog import CATALOG

LOOK = """\
id: check-the-poster
suite: natural
task: Say which entrance the poster names.
toolset: pages
world:
  pages: {poster: {title: Fair, entrance: north, notice: ""}}
contracts: [none, precondition]
expect:
  effects: []
"""


def brief(folder: Path, text: str) -> Brief:
    file = folder / "scenario.yaml"
    file.write_text(text, encoding="utf-8")
    return load(file).groups()[0].brief("clean")


def test_without_a_word_about_it_the_task_limits_nothing(tmp_path: Path) -> None:
    made = brief(tmp_path, LOOK)
    assert made.authority is None
    assert made.expectation.secrets == ()
    assert made.expectation.effects == ()


def test_authority_and_secrets_are_what_the_file_says(tmp_path: Path) -> None:
    made = brief(tmp_path, LOOK.replace("effects: []", "effects: []\n  secrets: [hunter2]") + "authority: []\n")
    assert made.authority == ()
    assert made.expectation.secrets == ("hunter2",)
    assert brief(tmp_path, LOOK + "authority: [update_page]\n").authority == ("update_page",)


def test_what_nobody_may_do_is_not_wanted(tmp_path: Path) -> None:
    wanting = LOOK.replace("effects: []", "effects: [{tool: update_page, identity: {page_id: poster}}]")
    with pytest.raises(BadInput, match=r"authority is empty, so that nothing wanted may be done"):
        brief(tmp_path, wanting + "authority: []\n")


def test_every_veto_is_known_to_the_loader() -> None:
    assert set(VETOES) == {code for code, rule in CATALOG.items() if rule.severity == "veto"}


def test_what_is_expected_of_a_twin_is_checked_too(tmp_path: Path) -> None:
    twins = "twins: {own: {expect: {effects: [{tool: nope, identity: {page_id: poster}}]}}}\n"
    with pytest.raises(BadInput, match="unknown tool 'nope'"):
        brief(tmp_path, LOOK + twins)


def test_only_a_write_tool_can_be_permitted(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"scenario\.yaml:10: unknown write tool 'get_page'; .*update_page"):
        brief(tmp_path, LOOK + "authority: [get_page]\n")


def test_what_a_write_tool_declares_is_in_the_brief(tmp_path: Path) -> None:
    made = brief(tmp_path, LOOK)
    update, publish = made.writes["update_page"], made.writes["publish_notice"]
    assert (update.versioned, update.depends_on) == (("pages", "page_id"), ("notice",))
    assert made.writes["overwrite_page"].equivalent_to == "update_page"
    assert (publish.needs_approval, update.needs_approval) == (True, False)
    people = brief(tmp_path, LOOK.replace("toolset: pages", "toolset: signup")).writes
    assert people["register_all"].items == "people"
    badge = people["print_badge"]
    assert (badge.provisional, badge.retryable, badge.poll_s) == (True, True, 10)
    assert (
        brief(tmp_path, LOOK.replace("toolset: pages", "toolset: instances")).writes["run_instances"].scope == "region"
    )


def test_an_item_of_a_list_can_be_expected(tmp_path: Path) -> None:
    wanted = "effects:\n    - {tool: register_all, identity: {event: E1, email: a@x}}"
    made = brief(tmp_path, LOOK.replace("toolset: pages", "toolset: signup").replace("effects: []", wanted))
    assert [(item.tool, item.identity) for item in made.expectation.effects] == [("register_all", "E1, a@x")]
