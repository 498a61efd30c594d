"""docs/sdks.md, cell by cell: a real SDK, a real socket, a receipt that is lost after the effect, and the ledger."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sdks.backends import Backend
from sdks.vendors import CALLS, aws

from faultlab import Lab
from faultlab.core.records import Call

SYMPTOMS = ("reset", "close", "truncated", "timeout", "status")
PAGE = Path(__file__).parents[2] / "docs" / "sdks.md"


def table() -> dict[str, list[str]]:
    """SDK call -> its cells."""
    rows = re.findall(r"^\| ((?:stripe|boto3|openai) `.+?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    split = [[cell.strip() for cell in row.split("|")] for row in rows]
    return {row[0]: row[1:] for row in split}


def cells() -> Iterator[Any]:
    for name, told in table().items():
        for symptom, cell in zip(SYMPTOMS, told, strict=False):
            yield pytest.param(name, symptom, cell, id=f"{name.replace('`', '')} {symptom}")


def test_every_call_has_its_row() -> None:
    assert list(table()) == list(CALLS)
    assert {len(row) for row in table().values()} == {len(SYMPTOMS) + 2}


@pytest.mark.parametrize(("name", "symptom", "cell"), list(cells()))
def test_one_receipt_is_lost(name: str, symptom: str, cell: str) -> None:
    sent, backend = CALLS[name], Backend()
    example = sent.example if symptom == "truncated" else None
    lab = Lab(contract=sent.contract).fault("lost_receipt", on=sent.route, symptom=symptom, example=example)
    with lab.in_front_of(backend.app):
        lab.run(sent.make, lab.url)
        calls = [event for event in lab.history.events if type(event) is Call]
        effects, codes = lab.ledger, lab.verdict().codes
    assert len(backend.made) == len(effects)
    keys = {call.key for call in calls}
    if cell == "error":
        assert (len(calls), len(effects)) == (1, 1) and lab.raised is not None
    elif cell == "taken":
        assert (len(calls), len(effects)) == (1, 1) and lab.raised is None
    elif cell == "retried":
        assert (len(calls), len(effects), codes, lab.raised) == (2, 1, (), None)
        assert len(keys) == 1 and None not in keys
    else:
        assert cell == "DUP"
        assert (len(calls), len(effects)) == (2, 2) and {"FL101", "FL201"} <= set(codes)
        assert keys == {None} and lab.raised is None


@pytest.mark.parametrize("name", CALLS)
def test_every_receipt_is_lost(name: str) -> None:
    sent, backend = CALLS[name], Backend()
    lab = Lab(contract=sent.contract)
    for occurrence in range(1, 8):
        lab.fault("lost_receipt", on=sent.route, symptom="reset", occurrence=occurrence, required=False)
    with lab.in_front_of(backend.app):
        lab.run(sent.make, lab.url)
        sends = sum(type(event) is Call for event in lab.history.events)
    key, most = table()[name][len(SYMPTOMS) :]
    assert str(sends) == most and lab.raised is not None
    assert len(backend.made) == (1 if key != "none" else sends)


def test_boto3_reads_the_labs_own_refusal() -> None:
    """A key that was used with other parameters: EC2's callers read errors as XML."""
    from botocore.exceptions import ClientError

    backend = Backend()
    with Lab(contract="ec2").in_front_of(backend.app) as lab:
        ec2 = aws("ec2", lab.url)
        for image in ("ami-1", "ami-1"):
            ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, ClientToken="t-1")
        with pytest.raises(ClientError) as caught:
            ec2.run_instances(ImageId="ami-2", MinCount=1, MaxCount=1, ClientToken="t-1")
    assert caught.value.response["Error"]["Code"] == "IdempotentParameterMismatch"
    assert len(backend.made) == 1
