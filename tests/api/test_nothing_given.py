"""None where a contract or a journal belongs is BadInput that names it and says what to write."""

from typing import Any

import pytest

from faultlab import Lab, ToolClient
from faultlab.core.errors import BadInput


@pytest.mark.parametrize("contract", [None, 3])
def test_a_lab_without_a_contract(contract: Any) -> None:
    with pytest.raises(BadInput, match=rf"Lab\(contract={contract}\): give a profile's name \('none'"):
        Lab(contract=contract)


def test_a_client_without_a_journal() -> None:
    nothing: Any = None
    with pytest.raises(BadInput, match="journal=None: write a path"):
        ToolClient(nothing)
