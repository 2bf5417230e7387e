"""Outputs that PyTorch's exporter takes from before a cast get the element types that the program gives them."""

from __future__ import annotations

from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, checker, parser
from onnx.reference import ReferenceEvaluator
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.foreign.exported_outputs import cast_outputs

X = np.array([1.5, -2.0], np.float32)


def model() -> Any:
    text = """<ir_version: 10, opset_import: ["": 18]> g (float[2] x, bool c) => (float[2] y, float[2] z)
    { y = Neg(x) z = If (c) <then_branch = a () => (float[2] p) { p = Identity(y) },
      else_branch = b () => (float[2] q) { q = Neg(y) }> }"""
    return parser.parse_model(text)


class Dtype:
    def __init__(self, name: str, is_complex: bool = False) -> None:
        self.name, self.is_complex = name, is_complex

    def __str__(self) -> str:
        return f"torch.{self.name}"


def of(*results: Any) -> Any:
    """A program that returns values of these dtypes, and changes a buffer before."""
    last = Some(args=([Some(meta={"val": Some(dtype=Dtype("float64"))}), *results],))
    specs = [Some(kind=Some(name=name)) for name in ("BUFFER_MUTATION", *["USER_OUTPUT"] * len(results))]
    return Some(graph=Some(nodes=[Some(), last]), graph_signature=Some(output_specs=specs))


def node(dtype: str, name: str = "", *, is_complex: bool = False) -> Any:
    return Some(name=name, meta={"val": Some(dtype=Dtype(dtype, is_complex))})


def test_what_else_reads_the_value_reads_it_before_the_cast() -> None:
    changed = model()
    cast_outputs(changed, of(node("float16"), node("float32")))
    checker.check_model(changed, full_check=True)
    assert [item.type.tensor_type.elem_type for item in changed.graph.output] == [
        TensorProto.FLOAT16,
        TensorProto.FLOAT,
    ]
    found: Any = ReferenceEvaluator(changed).run(None, {"x": X, "c": np.array(False)})
    y, z = found
    assert y.dtype == np.float16
    np.testing.assert_array_equal(y, (-X).astype(np.float16))
    np.testing.assert_array_equal(z, X)


def test_any_of_uint8_is_uint8() -> None:
    text = """<ir_version: 10, opset_import: ["": 18]> g (bool[2] x) => (bool[2] y) { y = Not(x) }"""
    changed = parser.parse_model(text)
    cast_outputs(changed, of(node("uint8")))
    checker.check_model(changed, full_check=True)
    found: Any = ReferenceEvaluator(changed).run(None, {"x": np.array([True, False])})
    np.testing.assert_array_equal(found[0], np.array([0, 1], np.uint8), strict=True)


@pytest.mark.parametrize(
    "results",
    [
        [node("float32"), node("float32")],
        [node("complex64", is_complex=True), Some()],  # pairs, and a value that is no tensor
        [node("float32")],  # another number of results than the model has
        [node("float64"), node("int64")],  # what somebody made of the model since
    ],
)
def test_everything_else_stays(results: list[Any]) -> None:
    changed = model()
    cast_outputs(changed, of(*results))
    assert changed == model()


@pytest.mark.parametrize("constant", [None, True, 2, 1.5, "text"])
def test_a_constant_is_no_output(constant: Any) -> None:
    changed = model()
    cast_outputs(changed, of(constant, node("float16"), constant, node("float32")))
    assert types(changed) == {"y": TensorProto.FLOAT16, "z": TensorProto.FLOAT}


@pytest.mark.parametrize(
    "results",
    [
        [node("float16", "z")],  # the model has got an output
        [node("uint8", "gone"), node("float16", "z"), node("float32", "y")],  # it has lost one
    ],
)
def test_where_the_model_has_other_outputs_they_go_by_name(results: list[Any]) -> None:
    changed = model()
    cast_outputs(changed, of(*results))
    assert types(changed) == {"y": TensorProto.FLOAT, "z": TensorProto.FLOAT16}


@pytest.mark.parametrize(
    "results", [[node("float16")], [node("float16", "a")], [node("float32", "y"), *[node("float16", "a")] * 2]]
)
def test_an_output_of_another_name_that_may_lack_its_cast_is_refused(results: list[Any]) -> None:
    with pytest.raises(DiagnosticError, match=r"OW687.* the output [yz] "):
        cast_outputs(model(), of(*results))


def types(changed: Any) -> dict[str, int]:
    checker.check_model(changed, full_check=True)
    return {item.name: item.type.tensor_type.elem_type for item in changed.graph.output}
