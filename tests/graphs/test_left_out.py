"""What is left out of models: defaults that a runtime does not take, and nothing else of their names."""

from __future__ import annotations

import onnx.parser
import onnxruntime
import pytest
from onnx import defs, helper
from opwright.graphs.left_out import leave_out_in


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ('CastLike<saturate = 1, round_mode = "up">(x, x)', ["saturate"]),
        ('CastLike<round_mode = "down">(x, x)', ["round_mode"]),
        ("CastLike<round_mode: string = @mode>(x, x)", ["round_mode"]),
        ("Pow<broadcast = 0>(x, x)", []),
        ("Attention<is_causal = 0, left_window_size = -1, right_window_size = -1>(x, x, x)", ["is_causal"]),
        ("Attention<left_window_size = 0, right_window_size = 1>(x, x, x)", ["left_window_size", "right_window_size"]),
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


# Up to the newest that onnxruntime 1.31 loads.
@pytest.mark.parametrize("opset", [18, 19, 22, 24, 25, 26])
def test_onnxruntime_knows_every_default_that_is_left(opset: int) -> None:
    unknown: list[str] = []
    for name in sorted({schema.name for schema in defs.get_all_schemas() if not schema.domain}):
        if not defs.has(name, max_inclusive_version=opset):
            continue
        schema = defs.get_schema(name, max_inclusive_version=opset, domain="")
        defaults = [item.default_value for item in schema.attributes.values() if item.default_value.name]
        if defaults and not schema.deprecated:
            node = helper.make_node(name, ["x"] * max(schema.min_input, 1), ["y"] * max(schema.min_output, 1))
            node.attribute.extend(defaults)
            leave_out_in([node])
            if "Unrecognized attribute" in refusal(node, opset):
                unknown.append(name)
    assert unknown == []


def refusal(node: onnx.NodeProto, opset: int) -> str:
    """Why onnxruntime does not load the node; it looks at names of attributes before types and kernels."""
    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 2]) for name in "xy")
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=imports, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the exceptions of onnxruntime have no common class
        return str(error)
    return ""
