"""What is left out of models: defaults that the reference evaluator does not take, and nothing else of their names."""

from __future__ import annotations

import onnx.parser
import pytest
from opwright.graphs.left_out import leave_out_in


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ('CastLike<saturate = 1, round_mode = "up">(x, x)', ["saturate"]),
        ('CastLike<round_mode = "down">(x, x)', ["round_mode"]),
        ("CastLike<round_mode: string = @mode>(x, x)", ["round_mode"]),
        ("Pow<broadcast = 0>(x, x)", []),
        ("Pow<broadcast: int = @mode>(x, x)", ["broadcast"]),
        ('my.CastLike<round_mode = "up">(x, x)', ["round_mode"]),  # a function has defaults of its own
    ],
)
def test_what_is_left_out(call: str, kept: list[str]) -> None:
    function = onnx.parser.parse_function(
        f'<domain: "f", opset_import: ["": 24, "my": 1]> F <mode> (x) => (y) {{ y = {call} }}'
    )
    leave_out_in(function.node)
    assert [attribute.name for attribute in function.node[0].attribute] == kept
