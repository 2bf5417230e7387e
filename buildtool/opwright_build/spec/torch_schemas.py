"""The operators of PyTorch: a table that `python -m tests.opinfo.schemas` writes, so that no build needs torch."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("torch_schemas.jsonl")


def schema_text(operator: str) -> str | None:
    """PyTorch's own text of an operator; None of what is none."""
    return _schemas().get(operator)


def known_operators() -> Collection[str]:
    return _schemas().keys()


@cache
def _schemas() -> Mapping[str, str]:
    rows = map(json.loads, TABLE.read_text("utf-8").splitlines())
    return {row["name"]: row["schema"] for row in rows}
