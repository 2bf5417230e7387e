"""What onnx infers of functions node by node is what it infers of them as a whole."""

from collections.abc import Sequence
from itertools import product

import onnx.parser
import pytest
from onnx import FunctionProto, TypeProto, helper, shape_inference
from opwright_build.verify.run import inferred_types
from opwright_build.verify.run.inferred_types import FlatFunction, InferredTypes, flat_function
from opwright_build.verify.run.models import type_proto

KINDS = ("float", "double", "int64", "bool", "string", "seq(float)")
FUNCTIONS = {
    "a chain": "(i0, i1) => (o0) { a = Exp(i0) b = CastLike(a, i1) o0 = Add(b, i1) }",
    "twice the same": "(i0, i1) => (o0) { a = Add(i0, i0) o0 = Add(a, i1) }",
    "constants": """(i0, i1) => (o0) {
        s = Constant<value_ints: ints = [1, -1]>() a = Reshape(i0, s) t = Constant<value_float: float = 1.0>()
        k = CastLike(t, i1) o0 = Mul(k, a) }""",
    "an input left out": "(i0, i1) => (o0) { a = Clip(i0, , i1) o0 = Identity(a) }",
    "outputs left out": "(i0, i1) => (o0) { a, b = Dropout(i0) o0 = Xor(b, i1) }",
    "a value captured": """(i0, i1) => (o0) {
        o0 = If(i1) <then_branch: graph = t () => (x) { x = Neg(i0) }, else_branch: graph = e () => (y) { y = Abs(i0) }>
        }""",
    "branches of two types": """(i0, i1) => (o0) {
        c = Constant<value_int: int = 1>() d = Cast<to: int = 9>(c)
        o0 = If(d) <then_branch: graph = t () => (x) { x = Neg(i0) }, else_branch: graph = e () => (y) { y = Abs(i1) }>
        }""",
    "a loop": """(i0, i1) => (o0) {
        n = Constant<value_int: int = 3>() q = Constant<value_int: int = 1>() p = Cast<to: int = 9>(q)
        o0 = Loop(n, p, i0) <body: graph = g (int64 i, bool c, w) => (bool r, x) { r = Identity(c) x = Mul(w, i1) }>
        }""",
}


def flat(text: str, opset: int) -> FlatFunction:
    function = onnx.parser.parse_function(f'<domain: "d", opset_import: ["": {opset}]> f {text}')
    graph = helper.make_graph(
        function.node,
        "g",
        [onnx.ValueInfoProto(name=name) for name in function.input],
        [onnx.ValueInfoProto(name=name) for name in function.output],
    )
    return flat_function(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]))


def as_a_whole(function: FlatFunction, opset: int, inputs: Sequence[str]) -> list[TypeProto] | None:
    proto = FunctionProto(name="f", domain="d", input=function.inputs, output=function.outputs)
    proto.node.extend(function.model.graph.node)
    proto.opset_import.append(helper.make_opsetid("", opset))
    try:
        return list(shape_inference.infer_function_output_types(proto, [type_proto(kind) for kind in inputs], []))
    except shape_inference.InferenceError:
        return None


@pytest.mark.parametrize("text", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_node_by_node_is_as_a_whole(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inference = InferredTypes()
    monkeypatch.setattr(inferred_types, "_of_whole", lambda *parts: pytest.fail("asked about the whole"))
    taken = 0
    for opset in (13, 15, 18):
        function = flat(text, opset)
        types_of = inference.at(function, opset)
        if "CastLike" in text and opset == 13:
            continue
        for inputs in product(KINDS, repeat=2):
            found, wanted = types_of(inputs), as_a_whole(function, opset, inputs)
            assert (found is None) == (wanted is None), (opset, inputs)
            if found is not None and wanted is not None:
                taken += 1
                assert [type_proto(kind).tensor_type.elem_type for kind in found] == [
                    item.tensor_type.elem_type for item in wanted
                ]
    assert 0 < taken < 3 * len(KINDS) ** 2


def test_a_node_is_asked_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    ask = inferred_types.infer_function_output_types

    def watched(function: FunctionProto, *types: Sequence[TypeProto]) -> list[TypeProto]:
        asked.append(function.node[-1].op_type)
        return list(ask(function, *types))

    monkeypatch.setattr(inferred_types, "infer_function_output_types", watched)
    inference = InferredTypes()
    for opset in (14, 15):
        types_of = inference.at(flat("(i0, i1) => (o0) { a = Relu(i0) b = Relu(a) o0 = Add(b, i1) }", opset), opset)
        assert types_of(("float", "float")) == ["float"]
        assert types_of(("float", "double")) is None
    assert asked == ["Relu", "Add", "Add"]


def test_what_onnx_does_not_describe_has_no_type() -> None:
    unknown = flat("(i0, i1) => (o0) { a = Nothing(i0) o0 = Add(a, i1) }", 18)
    assert InferredTypes().at(unknown, 18)(("float", "float")) == [""]
