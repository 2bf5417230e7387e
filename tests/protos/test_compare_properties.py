"""On random functions the comparison and the digest say the same, and every single change is found."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, TensorProto, helper
from opwright import compare, digest
from opwright.protos.canonical import canonicalise

from tests.protos.random_functions import BINARY, UNARY, all_nodes, programs, renamed, reordered

RANDOM = "RandomNormalLike"


def as_model(function: FunctionProto) -> ModelProto:
    """A model whose graph has the function's nodes."""
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in function.input]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in function.output]
    graph = helper.make_graph(list(function.node), "g", values, outputs)
    return helper.make_model(graph, opset_imports=list(function.opset_import))


def read_only(function: FunctionProto) -> FunctionProto:
    """The function without what nothing reads."""
    return FunctionProto.FromString(canonicalise(function, callees={}).proto)


@given(programs, st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_names_and_order_do_not_matter(function: FunctionProto, seed: int) -> None:
    other = reordered(renamed(function, seed), seed)
    assert compare(function, other)
    assert compare(as_model(function), as_model(other))
    assert compare(function, read_only(function))


@pytest.mark.long
@given(programs, programs)
@settings(max_examples=200, deadline=None)
def test_two_functions_are_equal_when_their_digests_are(one: FunctionProto, other: FunctionProto) -> None:
    assert bool(compare(one, other)) == (digest(one) == digest(other))
    assert bool(compare(one, other)) == bool(compare(other, one))


def exchange_inputs(node: NodeProto) -> None:
    node.input[:] = reversed(node.input)


def change_operator(node: NodeProto) -> None:
    names = UNARY if node.op_type in UNARY else BINARY if node.op_type in BINARY else ()
    if names:
        node.op_type = names[(names.index(node.op_type) + 1) % len(names)]


def change_attribute(node: NodeProto) -> None:
    for attribute in node.attribute:
        if attribute.type == AttributeProto.FLOAT:
            attribute.f += 0.5


def drop_attribute(node: NodeProto) -> None:
    if node.op_type == "LeakyRelu":
        del node.attribute[:]


def exchange_branches(node: NodeProto) -> None:
    if node.op_type == "If":
        node.attribute[0].name, node.attribute[1].name = node.attribute[1].name, node.attribute[0].name


def read_an_input(node: NodeProto) -> None:
    if node.op_type in UNARY:
        node.input[0] = "i1"


def draw_at_random(node: NodeProto) -> None:
    if node.op_type in UNARY:
        node.op_type = RANDOM


CHANGES = (
    exchange_inputs,
    change_operator,
    change_attribute,
    drop_attribute,
    exchange_branches,
    read_an_input,
    draw_at_random,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@given(programs, st.integers(0, 1000))
@settings(max_examples=80, deadline=None)
def test_a_single_change_is_found_where_the_digest_sees_it(change: object, function: FunctionProto, place: int) -> None:
    assert callable(change)
    proto = read_only(function)
    changed = FunctionProto.FromString(proto.SerializeToString())
    nodes = all_nodes(changed.node)
    change(nodes[place % len(nodes)])
    expected = digest(changed) == digest(proto)
    for one, other in ((proto, changed), (as_model(proto), as_model(changed))):
        found = compare(one, other)
        assert bool(found) == expected
        assert found.difference is None or found.difference.path


@given(programs)
@settings(max_examples=80, deadline=None)
def test_a_node_left_out_is_found(function: FunctionProto) -> None:
    proto = read_only(function)
    shorter = FunctionProto.FromString(proto.SerializeToString())
    last = shorter.node.pop()
    for index, name in enumerate(shorter.output):
        if name in last.output:
            shorter.output[index] = shorter.input[0]
    assert not compare(proto, shorter) or last.op_type == "Identity"


@given(programs)
@settings(max_examples=40, deadline=None)
def test_another_opset_matters_where_an_operator_means_something_else(function: FunctionProto) -> None:
    proto = read_only(function)
    older = FunctionProto.FromString(proto.SerializeToString())
    proto.opset_import[0].version, older.opset_import[0].version = 22, 15
    assert bool(compare(proto, older)) == (digest(proto) == digest(older))
