"""A caller that dies at any step between two durable writes leaves no effect too many and no word that is untrue."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from client.crash_points import ENDS, cells, memory, prove
from client.crash_scenes import SCENES

from faultlab.core.profiles import PROFILES
from faultlab.toolsets.files import FILES
from faultlab.toolsets.inbox import INBOX
from faultlab.toolsets.instances import INSTANCES
from faultlab.toolsets.pages import PAGES
from faultlab.toolsets.shop import SHOP
from faultlab.toolsets.signup import SIGNUP

QUICK = ("none", "status", "settle", "strict")
GROUPS = [
    pytest.param(scene, contract, marks=[] if scene == "refund" and contract in QUICK else pytest.mark.slow)
    for scene, contract in dict.fromkeys((cell.scene, cell.contract) for cell in cells())
]
STEPS = {f"{when} {step}" for step in ("claim", "sending", "call", "settled") for when in ("before", "after")}


@pytest.mark.parametrize(("scene", "contract"), GROUPS)
def test_no_point_is_one_too_many(scene: str, contract: str) -> None:
    points: Counter[str] = Counter()
    for cell in cells((scene,)):
        if cell.contract == contract:
            with TemporaryDirectory(dir=memory()) as folder:
                points += prove(cell, Path(folder))
    assert set(points) >= STEPS | {"before received", "after received", "before sleep", "after sleep"}


def test_every_kind_of_point_is_there() -> None:
    """Each profile, and each way in which a first request can end."""
    seen = list(cells())
    assert {cell.contract for cell in seen} == set(PROFILES)
    assert {cell.end.name for cell in seen} == {end.name for end in ENDS}
    assert len({(cell.scene, cell.contract) for cell in seen}) >= 7 * 15


def test_every_toolset_has_a_scene() -> None:
    """A write tool that is in no scene is one that only its users' mistakes or colleagues call, or writes a list."""
    writes = {
        (toolset.name, tool.name)
        for toolset in (FILES, INBOX, INSTANCES, PAGES, SHOP, SIGNUP)
        for tool in toolset.tools.values()
        if tool.kind == "write"
    }
    shown = {(scene.toolset.name, scene.tool) for scene in SCENES.values()}
    assert shown <= writes
    assert {name for _, name in writes - shown} == {
        "reverse_refund", "overwrite_page", "withdraw_approval", "amend_approval", "publish_notice", "register_all",
    }  # fmt: skip


def test_the_table_is_printed_with_its_count(project: Path) -> None:
    command = [sys.executable, str(project / "tests/client/crash_points.py"), "refund", "--contract", "none"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    last = told.stdout.splitlines()[-1]
    count = int(last.split()[0])
    assert last == f"{count} crash points, 0 cells wrong"
    assert count >= 8 * len(ENDS)
    assert told.stderr == ""
