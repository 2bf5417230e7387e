"""Of tests that are made by the dozen, the gate takes a share and `nox -s long` the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(number: int, values: Iterable[Any]) -> list[Any]:
    """Parameters: the first of each `number` is for the gate, the others are marked as long. A tuple is several."""
    return [
        value if index % number == 0 else pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=LONG)
        for index, value in enumerate(values)
    ]


LONG = pytest.mark.long
