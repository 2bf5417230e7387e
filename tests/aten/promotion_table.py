"""`python -m tests.aten.promotion_table` writes what torch promotes to, which the tests hold `opwright.aten` against.

Of every two operands: the element types in which ONNX and PyTorch agree, each as a tensor of rank 1, as one of rank 0,
and as a number of Python; and of triples that are drawn from a seed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

TABLE = Path(__file__).with_name("promotion.json")
TYPES = {  # by their names in ONNX
    "bool": "bool",
    "uint8": "uint8",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
    "float16": "float16",
    "bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
}
NUMBERS = ("bool", "int64", "float")  # the element types of numbers of Python
DIMENSIONED, RANK_0, NUMBER = "dimensioned", "rank 0", "number"
TRIPLES, SEED = 400, 20261124


def operands() -> list[tuple[str, str]]:
    """The kind and the element type of each operand."""
    return [*product((DIMENSIONED, RANK_0), TYPES), *((NUMBER, name) for name in NUMBERS)]


def triples() -> Iterator[tuple[tuple[str, str], ...]]:
    drawn = random.Random(SEED)
    for _ in range(TRIPLES):
        yield tuple(drawn.choice(operands()) for _ in range(3))


def main() -> None:
    import torch

    def value(operand: tuple[str, str]) -> torch.Tensor | bool | int | float:
        kind, name = operand
        if kind == NUMBER:
            return {"bool": True, "int64": 2, "float": 2.5}[name]
        return torch.ones([] if kind == RANK_0 else [2], dtype=getattr(torch, TYPES[name]))

    def computed(*chosen: tuple[str, str]) -> str:
        """The element type of a concatenation of all, as it were: that of the arithmetic on them together."""
        result = torch._prims_common.elementwise_dtypes(
            *map(value, chosen), type_promotion_kind=torch._prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT
        )[1]
        if len(chosen) == 2:
            assert result == torch.result_type(*map(value, chosen))
        return next(name for name, other in TYPES.items() if getattr(torch, other) == result)

    rows = [[*pair, computed(*pair)] for pair in product(operands(), repeat=2)]
    rows += [[*triple, computed(*triple)] for triple in triples()]
    lines = ",\n".join(json.dumps(row) for row in rows)
    TABLE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"torch {torch.__version__}: {len(rows)} rows")


if __name__ == "__main__":
    main()
