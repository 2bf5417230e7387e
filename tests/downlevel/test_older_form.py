"""Each rule by a model that takes the step and one that cannot; what is taken computes the same on onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser
import opwright
import pytest
from opwright.bundle.format import Bundle
from opwright.diagnostics import DiagnosticError
from opwright.downlevel.rewrite import Rewritten, polyfill_libraries
from opwright.downlevel.target import target_of_opset
from opwright.elements import BY_NAME
from opwright.link.detach import detach

from tests.downlevel.standard_cases import session_of
from tests.link.conftest import LibraryBuilder

NOTHING = LibraryBuilder().bundle()
X = np.linspace(-3, 3, 2 * 4 * 6 * 6, dtype=np.float32).reshape(2, 4, 6, 6)


def parse(node: str, opset: int, inputs: str, outputs: str, initializers: str = "") -> onnx.ModelProto:
    text = f'<ir_version: 10, opset_import: ["": {opset}]> g ({inputs}) => ({outputs}) {initializers} {{ {node} }}'
    return onnx.parser.parse_model(text)


def older(model: onnx.ModelProto, opset: int, library: Bundle = NOTHING) -> Rewritten:
    done = polyfill_libraries(model, [library], target_of_opset(opset))
    assert detach(done.model) == model
    return done


def reason(model: onnx.ModelProto, opset: int) -> str:
    with pytest.raises(DiagnosticError) as caught:
        older(model, opset)
    (finding,) = caught.value.diagnostics
    assert finding.code == "OW582"
    return finding.reason


def run(model: onnx.ModelProto, *values: Any) -> list[Any]:
    names = [item.name for item in model.graph.input]
    return list(session_of(model).run(None, dict(zip(names, values, strict=False))))


IMAGE = "float[2,4,6,6] x"
SAME = [
    # node, opset, target, inputs, output, initializers
    ("y = ReduceMax<keepdims = 0>(x, a)", 18, 17, IMAGE, "float[N,M] y", "<int64[2] a = {1, -1}>"),
    ("y = ReduceMean(x)", 18, 13, IMAGE, "float[N,M,K,L] y", ""),
    ("a = Constant<value_ints = [2]>() y = ReduceL2(x, a)", 18, 17, IMAGE, "float[N,M,K,L] y", ""),
    ("a = Constant<value = int64[1] {3}>() y = ReduceProd(x, a)", 18, 17, IMAGE, "float[N,M,K,L] y", ""),
    ("y = ReduceSumSquare<noop_with_empty_axes = 1>(x, a)", 18, 17, IMAGE, "float[N,M,K,L] y", "<int64[1] a = {0}>"),
    ("y = ReduceMin(x, a)", 18, 17, IMAGE, "float[N,M,K,L] y", "<int64[0] a = {}>"),
    ("y = GridSample<mode = \"cubic\">(x, g)", 20, 18, IMAGE, "float[2,4,1,1] y",
     "<float[2,1,1,2] g = {0.1, -0.4, 0.5, 0.7}>"),
    ("y = GridSample(x, g)", 20, 16, IMAGE, "float[2,4,1,1] y", "<float[2,1,1,2] g = {0.1, -0.4, 0.5, 0.7}>"),
    ("y = MaxPool<kernel_shape = [3, 3]>(x)", 22, 21, IMAGE, "float[N,M,K,L] y", ""),
    ("y = AveragePool<kernel_shape = [2, 2], auto_pad = \"SAME_UPPER\">(x)", 22, 18, IMAGE, "float[N,M,K,L] y", ""),
    ("y = Resize<coordinate_transformation_mode = \"align_corners\", mode = \"linear\">(x, , , s)", 19, 13, IMAGE,
     "float[2,4,9,5] y", "<int64[4] s = {2, 4, 9, 5}>"),
    ("y = Resize<mode = \"linear\", antialias = 0>(x, , s)", 19, 18, IMAGE, "float[N,M,K,L] y",
     "<float[4] s = {1.0, 1.0, 1.5, 2.0}>"),
    ("y = Pad<mode = \"reflect\">(x, p)", 21, 13, IMAGE, "float[N,M,K,L] y", "<int64[8] p = {0,0,1,2,0,0,2,1}>"),
    ("a, y = Split<axis = 2, num_outputs = 2>(x)", 18, 13, IMAGE, "float[N,M,K,L] y", ""),
    ("y = Reshape<allowzero = 0>(x, s)", 21, 13, IMAGE, "float[N,M] y", "<int64[2] s = {0, -1}>"),
    ("y = Cast<to = 11, saturate = 1>(x)", 24, 13, IMAGE, "double[N,M,K,L] y", ""),
    ("y = QuantizeLinear<output_dtype = 3>(x, s, z)", 23, 13, IMAGE, "int8[N,M,K,L] y",
     "<float s = {0.25}, int8 z = {3}>"),
    ("y = ScatterND<reduction = \"add\">(x, i, u)", 18, 16, IMAGE, "float[N,M,K,L] y",
     "<int64[1,4] i = {0,1,2,3}, float[1] u = {5.0}>"),
    ("y = BatchNormalization<training_mode = 0>(x, o, o, o, o)", 15, 13, IMAGE, "float[N,M,K,L] y",
     "<float[4] o = {1.0, 2.0, 3.0, 4.0}>"),
    ("y = RoiAlign<coordinate_transformation_mode = \"output_half_pixel\">(x, r, b)", 16, 15, IMAGE,
     "float[1,4,1,1] y", "<float[1,4] r = {0.0, 0.0, 4.0, 4.0}, int64[1] b = {1}>"),
]  # fmt: skip


@pytest.mark.parametrize(("node", "opset", "target", "inputs", "outputs", "initializers"), SAME)
def test_what_is_kept_computes_the_same(
    node: str, opset: int, target: int, inputs: str, outputs: str, initializers: str
) -> None:
    model = parse(node, opset, inputs, outputs, initializers)
    done = older(model, target)
    assert done.treatments and not any(item.identity for item in done.treatments)
    assert [item.version for item in done.model.opset_import] == [target]
    for expected, found in zip(run(model, X), run(done.model, X), strict=True):
        assert expected.dtype == found.dtype
        np.testing.assert_allclose(expected, found, rtol=1e-6)  # kernels of two versions may sum in another order


OTHER = [
    ("y = ReduceMax(x, a)", 18, 17, f"{IMAGE}, int64[1] a", "float[N,M,K,L] y", "", "its axes are computed"),
    ("y = ReduceMax(x, a)", 18, 17, f"{IMAGE}, int64[1] a", "float[N,M,K,L] y", "<int64[1] a = {1}>",
     "its axes are computed"),
    ("y = ReduceMax<noop_with_empty_axes = 1>(x)", 18, 17, IMAGE, "float[N,M,K,L] y", "",
     "its noop_with_empty_axes is set"),
    ("y = GridSample(x, g)", 20, 18, "float[1,1,2,2,2] x, float[1,1,1,1,3] g", "float[1,1,1,1,1] y", "", "rank 4 (5)"),
    ("y = MaxPool<kernel_shape = [3, 3], ceil_mode = 1>(x)", 22, 21, IMAGE, "float[N,M,K,L] y", "", "its ceil_mode"),
    ("y = AveragePool<kernel_shape = [2, 2], dilations = [2, 2]>(x)", 19, 18, IMAGE, "float[N,M,K,L] y", "",
     "its attribute dilations is set"),
    ("y = Resize<coordinate_transformation_mode = \"half_pixel_symmetric\">(x, , s)", 19, 18, IMAGE,
     "float[N,M,K,L] y", "<float[4] s = {1.0, 1.0, 1.5, 2.0}>", "is half_pixel_symmetric"),
    ("y = Resize<coordinate_transformation_mode = \"align_corners\">(x, , s)", 19, 18, IMAGE,
     "float[N,M,K,L] y", "<float[4] s = {1.0, 1.0, 1.5, 2.0}>", "is align_corners"),
    ("y = Pad<mode = \"wrap\">(x, p)", 19, 18, IMAGE, "float[N,M,K,L] y", "<int64[8] p = {0,0,1,2,0,0,2,1}>",
     "its mode is wrap"),
    ("y = Pad(x, p, , a)", 18, 17, IMAGE, "float[N,M,K,L] y", "<int64[2] p = {1, 1}, int64[1] a = {2}>", "4 inputs"),
    ("a, y = Split<axis = 2, num_outputs = 2>(x)", 18, 17, "float[2,4,7,6] x", "float[N,M,K,L] y", "",
     "it splits 7 elements into 2 parts"),
    ("a, y = Split<axis = 0, num_outputs = 2>(x)", 18, 17, "float[N,4] x", "float[K,L] y", "", "an unknown number"),
    ("y = Cast<to = 17>(x)", 24, 18, IMAGE, "float8e4m3fn[N,M,K,L] y", "", "it casts to is float8e4m3fn"),
    ("y = Cast<to = 24>(x)", 24, 23, IMAGE, "float8e8m0[N,M,K,L] y", "", "float8e8m0, which came with version 24"),
    ("y = QuantizeLinear<output_dtype = 5>(x, s)", 21, 20, IMAGE, "int16[N,M,K,L] y", "<float s = {0.25}>",
     "its output_dtype differs"),
    ("y = ScatterND<reduction = \"max\">(x, i, u)", 18, 16, IMAGE, "float[N,M,K,L] y",
     "<int64[1,4] i = {0,1,2,3}, float[1] u = {5.0}>", "its reduction is max"),
    ("y = Mod(x, d)", 28, 26, IMAGE, "float[N,M,K,L] y", "<float d = {0.7}>", "the flooring remainder of floats"),
    ("y = BitShift<direction = \"LEFT\">(x, d)", 28, 26, "uint8[4] x, uint8[4] d", "uint8[4] y", "",
     "its shift is not"),
    ("y = RoiAlign(x, r, b)", 16, 15, IMAGE, "float[1,4,1,1] y",
     "<float[1,4] r = {0.0, 0.0, 4.0, 4.0}, int64[1] b = {1}>", "its coordinate_transformation_mode is not"),
    ("y = Relu(x)", 14, 13, "int32[4] x", "int32[4] y", "", "X is tensor(int32), which is not allowed before"),
    ("y = QuantizeLinear(x, s)", 23, 22, "float16[4] x, float s", "uint8[4] y", "", "have to be of one type before"),
    ("y = If (c) <then_branch = p () => (uint4[2] r) { r = Identity(x) }, "
     "else_branch = q () => (uint4[2] s) { s = Identity(x) }>", 21, 20, "bool c, uint4[2] x", "uint4[2] y", "",
     "uint4"),
]  # fmt: skip


@pytest.mark.parametrize(("node", "opset", "target", "inputs", "outputs", "initializers", "expected"), OTHER)
def test_what_an_older_version_lacks_is_refused(
    node: str, opset: int, target: int, inputs: str, outputs: str, initializers: str, expected: str
) -> None:
    if node.startswith("y = If"):
        with pytest.raises(DiagnosticError) as caught:
            older(parse(node, opset, inputs, outputs, initializers), target)
        assert all(expected in item.reason for item in caught.value.diagnostics)
        assert len(caught.value.diagnostics) == 3  # the nodes of both branches, and what the If gives
        return
    assert expected in reason(parse(node, opset, inputs, outputs, initializers), target)


def test_an_attribute_of_a_function_becomes_the_axes() -> None:
    text = """<ir_version: 10, opset_import: ["": 18, "my": 1]> g (float[2,4,6,6] x) => (float[N,M,K,L] y)
    { y = my.Largest<axes = [1, 3]>(x) }
    <domain: "my", opset_import: ["": 18]> Largest <axes> (x) => (y)
    { a = Constant<value_ints: ints = @axes>() y = ReduceMax(x, a) }"""
    model = onnx.parser.parse_model(text)
    done = polyfill_libraries(model, [NOTHING], target_of_opset(17), inline=True)
    np.testing.assert_array_equal(run(done.model, X)[0], X.max(axis=(1, 3), keepdims=True))


def test_a_version_that_the_table_does_not_have_is_not_crossed() -> None:
    model = parse("y = GroupNormalization<num_groups = 2>(x, o, o)", 21, IMAGE, "float[N,M,K,L] y",
                  "<float[4] o = {1.0, 2.0, 3.0, 4.0}>")  # fmt: skip
    assert "scale and bias belong to channels" in reason(model, 20)


@pytest.mark.parametrize("element", ["float", "string", "bool", "int8"])
def test_a_sequence_that_is_handed_on(element: str) -> None:
    model = parse(
        f"s = SequenceConstruct(x, x) e = SequenceEmpty<dtype = {BY_NAME[element].code}>() "
        "y = Identity(s) o = Identity(e) n = SequenceLength(o)",
        14,
        f"{element}[N] x",
        f"seq({element}[M]) y, int64 n",
    )
    made = [older(model, 13).model, opwright.convert(model, opset=11)]
    assert not any(node.op_type == "Identity" for item in made for node in item.graph.node)
    numbers = onnx.helper.tensor_dtype_to_np_dtype(BY_NAME[element].code)
    x = np.array(["a", "b"], object) if element == "string" else np.array([1, 0], numbers)
    for found in (session_of(item).run(None, {"x": x}) for item in (model, *made)):
        assert [np.asarray(part).tolist() for part in found[0]] == [x.tolist()] * 2
        assert found[1] == 0
    with pytest.raises(DiagnosticError, match="below opset 11"):
        opwright.convert(parse("y = Identity(s)", 14, f"seq({element}[M]) s", f"seq({element}[M]) y"), opset=10)
