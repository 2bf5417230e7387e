"""Tensors come back to the bit, whatever their elements: nans of any sign and payload, and zeros of either sign."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser
from opwright import decompile
from opwright.elements import BY_NAME
from opwright.graphs.walk import all_nodes

from tests.decompiler.make_models import make

_WIDE = {
    "double": [0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000123, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF],
    "float": [0x7FC00000, 0xFFC00000, 0x7FC00123, 0x7F800001, 0xFFFFFFFF],
    "float16": [0x7E00, 0xFE00, 0x7E12, 0x7C01, 0xFFFF],
    "bfloat16": [0x7FC0, 0xFFC0, 0x7FC1, 0x7F81, 0xFFFF],
}
_SIGNS = {"double": 1 << 63, "float": 1 << 31, "float16": 1 << 15, "bfloat16": 1 << 15}
_INFINITIES = {"double": 0x7FF0000000000000, "float": 0x7F800000, "float16": 0x7C00, "bfloat16": 0x7F80}
_SMALL = [
    name
    for name in ("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float8e8m0", "float4e2m1")
    if name in BY_NAME
]


def _tensors(name: str) -> Iterator[TensorProto]:
    """Tensors of the element type: of nans and other edges alone, of sixteen elements, and of many."""
    element = BY_NAME[name]
    alone = (
        [*_WIDE[name], 0, _SIGNS[name], _INFINITIES[name], _INFINITIES[name] | _SIGNS[name]] if name in _WIDE else []
    )
    patterns = alone or list(range(1 << element.bits))
    size = max(1, element.bits // 8)
    code = TensorProto.DataType.Value(name.upper())
    for pattern in alone or [item for item in patterns if item & 0x7F in (0, 0x7C, 0x7D, 0x7E, 0x7F)]:
        yield TensorProto(data_type=code, dims=[], raw_data=pattern.to_bytes(size, "little"))
    for begin, count in [*((index, 16) for index in range(0, len(patterns), 16)), (0, 300)]:
        row = [patterns[(begin + index) % len(patterns)] for index in range(count)]
        if element.bits == 4:
            data = bytes(low | high << 4 for low, high in zip(row[::2], row[1::2], strict=True))
        else:
            data = b"".join(pattern.to_bytes(size, "little") for pattern in row)
        yield TensorProto(data_type=code, dims=[2, count // 2], raw_data=data)


def _complex_tensors(name: str) -> Iterator[TensorProto]:
    dtype = np.dtype(np.complex64 if name == "complex64" else np.complex128)
    part = np.float32 if name == "complex64" else np.float64
    parts = np.array([0.0, -0.0, 1.5, -np.nan, -np.inf], part)
    pairs = np.array([(one, other) for one in parts for other in parts], part)
    for pair in pairs:
        yield numpy_helper.from_array(pair.view(dtype))
    yield numpy_helper.from_array(pairs.view(dtype).reshape(5, 5))


def _model(tensors: list[TensorProto]) -> ModelProto:
    """Each tensor as an initializer, as a Constant, and as the value of an input that need not be given."""
    nodes, initializers, inputs, outputs = [], [], [], []
    for index, tensor in enumerate(tensors):
        for where in ("initializer", "constant", "input"):
            name = f"{where}_{index}"
            named = TensorProto()
            named.CopyFrom(tensor)
            named.name = name
            if where == "constant":
                nodes.append(helper.make_node("Constant", [], [name], value=named))
            else:
                initializers.append(named)
            if where == "input":
                inputs.append(helper.make_tensor_value_info(name, tensor.data_type, list(tensor.dims)))
            nodes.append(helper.make_node("Identity", [name], [f"{name}_out"]))
            outputs.append(helper.make_tensor_value_info(f"{name}_out", tensor.data_type, list(tensor.dims)))
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    return helper.make_model(graph, ir_version=13, opset_imports=[helper.make_opsetid("", 25)])


def _bits(model: ModelProto) -> list[bytes]:
    """The bytes of what each output hands on."""
    held = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in all_nodes(model.graph.node):
        if node.op_type == "Constant":
            held[node.output[0]] = node.attribute[0].t
        elif node.input[0] in held:
            held[node.output[0]] = held[node.input[0]]
    return [numpy_helper.to_array(held[value.name]).tobytes() for value in model.graph.output]


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("name", [*_WIDE, *_SMALL, "complex64", "complex128"])
def test_every_element_has_its_bits(tmp_path: Path, name: str, faithful: bool) -> None:
    tensors = list(_complex_tensors(name) if name.startswith("complex") else _tensors(name))
    model = _model(tensors)
    decompile(model, faithful=faithful).write(tmp_path / "module.py")
    again = make(tmp_path / "module.py")
    assert isinstance(again, ModelProto)
    assert _bits(again) == _bits(model)


_ATTRIBUTES = """<ir_version: 10, opset_import: ["": 18, "f": 1]>
g (float[2] x) => (float c, float[2] d, float[2] e, float[2] h)
{
    c = Constant <value_float = 0.0> ()
    d = Constant <value_floats = [0.0, 1.0]> ()
    e = LeakyRelu <alpha = 0.5> (x)
    h = f.scaled <by = 0.5> (x)
}
<domain: "f", opset_import: ["": 18]> scaled <by: float = 0.0> (v) => (w) { w = Elu <alpha: float = @by> (v) }"""


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("bits", [0x7FC00000, 0xFFC00000, 0x7FC00001, 0xFFFFFFFF, 0x80000000, 0xFF800000])
def test_float_attributes_have_their_bits(tmp_path: Path, bits: int, faithful: bool) -> None:
    number = float(np.uint32(bits).view(np.float32))
    model = parser.parse_model(_ATTRIBUTES)
    for node in model.graph.node:
        item = node.attribute[0]
        if item.floats:
            item.floats[0] = number
        else:
            item.f = number
    model.functions[0].attribute_proto[0].f = number
    decompile(model, faithful=faithful).write(tmp_path / "module.py")
    again = make(tmp_path / "module.py")
    assert isinstance(again, ModelProto)
    assert _numbers(again) == _numbers(model)


def _numbers(model: ModelProto) -> dict[str, bytes]:
    """The bits of all float attributes, by what the node gives; of the function's default by its name."""
    found = {node.output[0]: node.attribute[0] for node in model.graph.node if node.attribute}
    found["by"] = model.functions[0].attribute_proto[0]
    return {
        name: numpy_helper.to_array(item.t).tobytes()
        if item.HasField("t")
        else np.array(item.floats or [item.f], np.float32).tobytes()
        for name, item in found.items()
    }
