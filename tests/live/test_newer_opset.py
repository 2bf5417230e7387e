"""Nodes of an older opset that may stand at a newer one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, parser
from opwright import FLOAT, DiagnosticError, GraphBuilder, proto_function
from opwright.live.newer_opset import means_the_same


@pytest.mark.parametrize(
    ("name", "inputs", "attributes", "written", "opset", "same"),
    [
        ("Add", 2, {}, 13, 22, True),
        ("Conv", 2, {}, 17, 22, True),
        ("Cast", 1, {"to": TensorProto.FLOAT}, 13, 25, True),
        ("Cast", 1, {"to": TensorProto.FLOAT8E4M3FN}, 19, 25, False),
        ("Softmax", 1, {}, 12, 13, False),
        ("ReduceSum", 1, {"axes": [1]}, 12, 13, False),
        ("ReduceMean", 1, {"axes": [1]}, 17, 18, False),
        ("AveragePool", 1, {"kernel_shape": [2]}, 17, 22, False),
        ("GroupNormalization", 3, {"num_groups": 1}, 18, 21, False),
        ("Split", 1, {}, 13, 18, False),
        ("Upsample", 2, {}, 9, 22, False),
        ("Add", 2, {}, 22, 13, False),
        ("NoSuchOperator", 1, {}, 13, 22, False),
        ("Add", 2, {}, 1000, 22, False),
    ],
)
def test_the_table(name: str, inputs: int, attributes: dict[str, Any], written: int, opset: int, same: bool) -> None:
    node = helper.make_node(name, ["x"] * inputs, ["y"], **attributes)
    assert means_the_same(node, written, opset) is same


def test_an_older_model_is_called_at_a_newer_opset() -> None:
    older = parser.parse_model(
        '<ir_version: 8, opset_import: ["": 13]> older (float[N] x) => (float[N] y) { s = Add(x, x) y = Relu(s) }'
    )
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N"])
    y = b.call(older, x)
    assert b.run(y, x=np.array([-1, 2], np.float32)).tolist() == [0, 4]
    with pytest.raises(DiagnosticError, match="OW386"):
        GraphBuilder(opset=11).call(proto_function(older), np.ones(2, np.float32))
