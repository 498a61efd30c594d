"""An exception that hands over does so too where a task group has wrapped it."""

import asyncio
from typing import Any

import httpx
import pytest
from storefronts import Shop, lost, once


class NeedsAPerson(Exception):
    """Somebody has to look."""


def handing_over(client: Any) -> None:
    try:
        once(client)
    except httpx.TimeoutException as error:
        raise NeedsAPerson from error


async def in_a_group(client: Any) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.to_thread(handing_over, client))


async def in_two_groups(client: Any) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(in_a_group(client))


@pytest.mark.parametrize("function", [in_a_group, in_two_groups])
def test_a_group_hands_over_at_any_depth(function: Any) -> None:
    lab = lost("committed").in_front_of(Shop().transport)
    lab.run(function, lab.client(), hands_over=NeedsAPerson)
    assert isinstance(lab.raised, ExceptionGroup)
    assert lab.history.claim is not None and lab.history.claim.status == "handed_over"
    lab.assert_clean()


@pytest.mark.parametrize("hands_over", [(), (KeyError, ValueError)])
def test_a_group_of_other_exceptions_does_not(hands_over: tuple[type[BaseException], ...]) -> None:
    lab = lost("committed").in_front_of(Shop().transport)
    lab.run(in_two_groups, lab.client(), hands_over=hands_over)
    assert lab.history.claim is not None and lab.history.claim.status == "unknown"
    assert lab.verdict().codes == ("FL204",)
