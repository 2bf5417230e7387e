"""The operators whose calls are harvested: torch's core set, what exporters keep whole, and what models need beyond."""

from __future__ import annotations

from pathlib import Path

from tests.opinfo.schemas import read_table

# Of the core set, and of no use in a graph for inference: they tell of strides.
UNUSABLE = frozenset({"aten::sym_is_contiguous", "aten::sym_storage_offset", "aten::sym_stride.int"})

# All overloads of these that the table lists.
FAMILIES = frozenset(Path(__file__).with_name("families.txt").read_text(encoding="utf-8").split())


def targets() -> list[str]:
    """The names, sorted."""
    table = read_table()
    return [
        name
        for name, row in table.items()
        if name not in UNUSABLE and (row.core or name.startswith("quantized_decomposed::") or base(name) in FAMILIES)
    ]


def base(name: str) -> str:
    """`add` of `aten::add.Tensor`."""
    return name.partition("::")[2].partition(".")[0]
