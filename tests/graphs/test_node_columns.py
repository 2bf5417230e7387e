"""Columns say of nodes what the nodes themselves say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper
from opwright.graphs.node_columns import ColumnsOf, NodeColumns, is_plain
from opwright.graphs.walk import all_graphs

from benchmarks.models import MODELS
from tests.hostile.changes import bases
from tests.hostile.models import nested
from tests.node_cases import node_cases


def compare_with_nodes(protos: Sequence[NodeProto]) -> NodeColumns:
    columns = NodeColumns(protos)
    assert [*columns.operators] == [node.op_type for node in protos]
    assert [*columns.domains] == [node.domain for node in protos]
    assert [*columns.firsts] == [node.output[0] if node.output else "" for node in protos]
    for index, node in enumerate(protos):
        assert columns.inputs_of(index) == [*node.input]
        assert columns.doc_strings.get(index, "") == node.doc_string
        if index not in columns.with_others:
            attributes = [AttributeProto.FromString(data) for data in columns.attributes.get(index, ())]
            assert attributes == [*node.attribute]
            assert {item.type for item in attributes} <= _PLAIN
    return columns


_PLAIN = {
    AttributeProto.FLOAT,
    AttributeProto.INT,
    AttributeProto.STRING,
    AttributeProto.FLOATS,
    AttributeProto.INTS,
    AttributeProto.TENSOR,
}


def test_nodes_of_many_models() -> None:
    models = [*bases(), MODELS["decompile"](3, 100), MODELS["layers"](3, 30)]
    models += [case.model for case in node_cases()[::57]]
    for model in models:
        for owner in (*all_graphs(model.graph), *model.functions):
            assert compare_with_nodes(owner.node).has_texts


def relu(name: str) -> NodeProto:
    return NodeProto(op_type="Relu", input=[name], output=[f"{name} of it"])


@pytest.mark.parametrize(
    "nodes",
    [
        [],
        [NodeProto()],
        [NodeProto(op_type="A"), NodeProto(output=["", "y"]), NodeProto(input=["", "a", ""], domain="d")],
        [NodeProto(op_type="A"), NodeProto(output=["a", "b"]), NodeProto()],
        [relu("\0"), relu("\0\0"), NodeProto(output=["\0\0\0"]), NodeProto()],  # names like marks
        [relu("\0" * size) for size in range(1, 140)],  # like all of them
        [relu("é"), relu("a\nb"), relu("a" * 200), relu("b" * 5000)],
        [relu("x"), NodeProto(op_type="Relu", doc_string="said", name="n", overload="o")],
    ],
)
def test_unusual_nodes(nodes: list[NodeProto]) -> None:
    made = GraphProto(node=nodes)
    columns = compare_with_nodes(made.node)
    assert columns.has_texts or len(nodes) > 100  # where it is not known


@pytest.mark.parametrize("count", [1, 50])
@pytest.mark.parametrize(
    "change",
    [
        lambda node: node.MergeFromString(b"\x0a\x01\xff"),  # an input
        lambda node: node.MergeFromString(b"\x1a\x01\xff"),  # its name
        lambda node: node.MergeFromString(b"\x2a\x03\x0a\x01\xff"),  # the name of an attribute
        lambda node: node.MergeFromString(b"\x2a\x07\x2a\x05\x42\x03\xed\xa0\x80"),  # the name of a tensor in one
        lambda node: node.MergeFromString(b"\x4a\x03\x0a\x01\xff"),  # a key of metadata
        lambda node: node.MergeFromString(b"\x0a\x02\xc3\x28" + b"\x0a\x01b" * 3000),
    ],
)
def test_texts_that_are_not_utf_8(change: Callable[[NodeProto], object], count: int) -> None:
    graph = GraphProto(node=[relu(f"x{index}") for index in range(count)])
    assert NodeColumns(graph.node).has_texts
    change(graph.node[count - 1])
    assert not NodeColumns(graph.node).has_texts


def test_graphs_deeper_than_protobuf_writes() -> None:
    model = ModelProto.FromString(nested(31))
    inner = model.graph
    while inner.node[0].op_type == "If":
        inner = inner.node[0].attribute[0].g
    for _ in range(4):
        node = inner.node[0]
        node.op_type = "If"
        inner = node.attribute.add(name="then_branch", type=AttributeProto.GRAPH).g
        inner.node.add(op_type="Relu", input=["x"], output=["y"])
    columns = compare_with_nodes(model.graph.node)
    assert 0 in columns.with_others


def test_what_is_plain() -> None:
    values = [0.5, 1, -1, 2**62, "text", "", [1.5], [1, -2], helper.make_tensor("", TensorProto.FLOAT, [], [2.5])]
    values += [numpy_helper.from_array(np.array(value)) for value in (np.float32(1), np.int64(-7))]
    for value in values:
        assert is_plain(helper.make_attribute("axis", value).SerializeToString()), value
    others = [
        helper.make_attribute("value", helper.make_tensor("", TensorProto.FLOAT, [1], [2.5])),
        helper.make_attribute("value", helper.make_tensor("", TensorProto.DOUBLE, [], [2.5])),
        helper.make_attribute("body", GraphProto()),
        helper.make_attribute("texts", ["a", "b"]),
        helper.make_attribute("é", 1),
        AttributeProto(name="axis", type=AttributeProto.INT, ref_attr_name="axis"),
        AttributeProto(name="axis", type=AttributeProto.INT, i=1, f=1.0),
        AttributeProto(name="axis", type=AttributeProto.INT, i=1, g=GraphProto()),
        AttributeProto(name="axis", type=AttributeProto.FLOAT, i=1),
        AttributeProto(name="axis", i=1),
        AttributeProto(type=AttributeProto.INT, i=1),
        AttributeProto(name="a", type=AttributeProto.STRING, s=b"b", strings=[b"\xa0\x01\x03"]),
        AttributeProto(name="a", type=AttributeProto.TENSOR, t=TensorProto(data_type=1), strings=[b"1234"]),
    ]
    for attribute in others:
        assert not is_plain(attribute.SerializeToString()), attribute


def test_columns_are_read_once() -> None:
    model = MODELS["layers"](3, 100)
    known = ColumnsOf()
    first = [known(owner) for owner in (model.graph, *model.functions)]
    again = [known(owner) for owner in (model.graph, *model.functions)]
    assert all(one is other for one, other in zip(first, again, strict=True))
    assert known(FunctionProto()) is not known(FunctionProto())
