"""One inference for nodes as models hold them: against ONNX's own, and asked backwards as the decompiler does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from onnx import GraphProto, ModelProto, helper, parser
from opwright.decompiler.element_types import ElementTypes
from opwright.decompiler.operator_forms import Forms
from opwright.decompiler.python_names import Taken
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.graphs.model_inference import infer_model
from opwright.graphs.node_columns import NodeColumns
from opwright.lang import ir
from opwright.lang.infer.of_protos import attributes_of, flow_types, graph_arguments, node_types
from opwright.link.value_types import fact_of, text_of, type_of
from opwright.opsets.domains import normal_domain
from opwright.opsets.record import Role
from opwright.opsets.signatures import signature

from tests.node_cases import node_cases


@pytest.fixture(scope="module")
def models() -> list[ModelProto]:
    cases = node_cases()
    return [case.model for case in cases if case.model is not None]


def found_by_us(model: ModelProto) -> dict[str, str | None]:
    """The types of what the nodes of the main graph give, from those of its inputs and initializers."""
    imports = {normal_domain(item.domain): item.version for item in model.opset_import}
    known = {item.name: type_of(text_of(item.type)) for item in model.graph.input}
    for tensor in model.graph.initializer:
        known[tensor.name] = ir.TensorType(element_of_code(tensor.data_type))
    found: dict[str, str | None] = {}
    for node in model.graph.node:
        operator = signature(node.domain, node.op_type, imports.get(normal_domain(node.domain), 0))
        if operator is None:
            continue
        inputs = [ir.Value(known.get(name) or ir.UnknownType()) if name else None for name in node.input]
        types = node_types(operator, inputs, attributes_of(node.attribute), len(node.output))
        known.update(zip(node.output, types, strict=True))
        found.update((name, fact_of(type_)) for name, type_ in zip(node.output, types, strict=True) if name)
    return found


def element_of_code(code: int) -> ir.Element:
    made = type_of(text_of(helper.make_tensor_type_proto(code, None)))
    assert isinstance(made, ir.TensorType)
    return made.element


def without_types(model: ModelProto) -> ModelProto:
    """The model without declared types of what its nodes give."""
    made = ModelProto()
    made.CopyFrom(model)
    del made.graph.value_info[:]
    for item in made.graph.output:
        item.ClearField("type")
    return made


def found_by_onnx(graph: GraphProto) -> Iterator[tuple[str, str]]:
    for item in (*graph.value_info, *graph.output):
        text = text_of(item.type)
        if text is not None:
            yield item.name, text


def test_inference_says_what_onnx_says_of_the_models_of_its_tests(models: list[ModelProto]) -> None:
    agreed, missing, contradictions = 0, [], []
    for model in models:
        inferred = infer_model(without_types(model))
        ours = found_by_us(model)
        for name, type_ in () if inferred is None else found_by_onnx(inferred):
            if ours.get(name) == type_:
                agreed += 1
            elif ours.get(name) is None:
                missing.append((model.graph.name, name))
            else:
                contradictions.append((model.graph.name, name, ours[name], type_))
    assert contradictions == []
    assert agreed > 40 * len(missing), missing


def test_types_that_are_asked_backwards_are_those_that_are_found_forwards(models: list[ModelProto]) -> None:
    asked = 0
    for model in models:
        try:
            forms = Forms({item.domain: item.version for item in model.opset_import}, Taken())
        except DiagnosticError:
            continue
        elements = {item.name: text_of(item.type) or "" for item in model.graph.input}
        declared = {name: text[7:-1] for name, text in elements.items() if text.startswith("tensor(")}
        types = ElementTypes(NodeColumns(model.graph.node), declared, forms, {})
        for name, text in found_by_us(model).items():
            found = types.of(name)
            if found:
                asked += 1
                assert text == f"tensor({found})", (model.graph.name, name)
    assert asked > 1000


@pytest.mark.parametrize(
    ("text", "facts", "expected"),
    [
        ("y = Cast <to = 10> (x)", ["tensor(float)"], ["tensor(float16)"]),
        ("y = Cast (x)", ["tensor(float)"], [None]),
        ("y = Cast <to: int = @to> (x)", ["tensor(float)"], [None]),
        ("y = Add (x, z)", ["tensor(float)", "tensor(double)"], ["tensor(float)"]),
        ("y = Add (x, z)", ["tensor(bool)", "tensor(double)"], ["tensor(double)"]),
        ("y = Less (x, z)", ["tensor(float)", "tensor(double)"], ["tensor(bool)"]),
        ("y = Concat (x, z)", ["tensor(float)", "tensor(float)"], ["tensor(float)"]),
        ("y = Add (x, z)", ["tensor(float)", None], ["tensor(float)"]),
        ("y, i = TopK (x, z)", ["tensor(double)", "tensor(int64)"], ["tensor(double)", "tensor(int64)"]),
        ("y = SequenceAt (x, z)", ["seq(tensor(bool))", "tensor(int64)"], ["tensor(bool)"]),
        ("y = Optional (x)", ["seq(tensor(bool))"], ["optional(seq(tensor(bool)))"]),
        ("y, z = Relu (x)", ["tensor(float)"], ["tensor(float)", None]),
        ("y = Relu (x, z)", ["tensor(float)", "tensor(float)"], ["tensor(float)"]),
    ],
)
def test_what_a_node_gives(text: str, facts: list[str | None], expected: list[str | None]) -> None:
    node = parser.parse_node(text)
    found = signature("", node.op_type, 21)
    assert found is not None
    inputs = [ir.Value(type_of(fact) or ir.UnknownType()) for fact in facts]
    made = node_types(found, inputs, attributes_of(node.attribute), len(node.output))
    assert [fact_of(type_) for type_ in made] == expected


@pytest.mark.parametrize(
    ("role", "inputs", "yields", "expected"),
    [
        (Role.IF, ["tensor(bool)"], [[None], ["tensor(float)"]], ["tensor(float)"]),
        (
            Role.LOOP,
            ["", "", "tensor(float)"],
            [["tensor(bool)", None, "tensor(int8)"]],
            ["tensor(float)", "tensor(int8)"],
        ),
        (Role.SCAN, ["tensor(float)"], [["tensor(double)"]], ["tensor(double)"]),
        (Role.SEQUENCE_MAP, ["seq(tensor(float))"], [["tensor(bool)", None]], ["seq(tensor(bool))", None]),
    ],
)
def test_what_control_flow_gives(
    role: Role, inputs: list[str], yields: list[list[str | None]], expected: list[str | None]
) -> None:
    types = [[type_of(fact) or ir.UnknownType() for fact in facts] for facts in yields]
    assert [fact_of(item) for item in flow_types(role, [type_of(fact) for fact in inputs], types)] == expected


def test_what_graphs_take() -> None:
    item = [type_of(fact) for fact in ("tensor(int64)", "", "seq(tensor(float))")]
    assert [fact_of(type_) for type_ in graph_arguments(Role.LOOP, item, 21)] == [
        "tensor(int64)",
        "tensor(bool)",
        "seq(tensor(float))",
    ]
    assert len(graph_arguments(Role.SCAN, item, 8)) == 2
    assert [fact_of(type_) for type_ in graph_arguments(Role.SEQUENCE_MAP, item[2:], 21)] == ["tensor(float)"]
