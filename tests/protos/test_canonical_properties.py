"""The digest under random programs: blind to names and order, sharp for everything that is computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnxruntime
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import FunctionProto, GraphProto, NodeProto, TensorProto, helper
from opwright.protos.canonical import canonicalise

from tests.protos.random_functions import BINARY, INPUTS, UNARY, all_nodes, programs, reads, renamed, reordered


def digest(function: FunctionProto) -> str:
    return canonicalise(function, callees={}).digest


def run(function: FunctionProto) -> list[np.ndarray]:
    graph = helper.make_graph(
        [helper.make_node("F", [*INPUTS, "p"], [f"out{index}" for index in range(len(function.output))], domain="d")],
        "g",
        [
            *(helper.make_tensor_value_info(name, TensorProto.FLOAT, []) for name in INPUTS),
            helper.make_tensor_value_info("p", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info(f"out{index}", TensorProto.FLOAT, []) for index in range(len(function.output))],
    )
    named = FunctionProto.FromString(function.SerializeToString())
    named.domain, named.name = "d", "F"
    named.opset_import[0].version = 18
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("d", 1)]
    model = helper.make_model(graph, opset_imports=imports, functions=[named], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    feeds = {name: np.array(value, np.float32) for name, value in zip(INPUTS, (0.7, -1.3, 2.9), strict=True)}
    return [value for truth in (True, False) for value in session.run(None, {**feeds, "p": np.array(truth)})]


@given(programs, st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_names_and_order_do_not_matter(function: FunctionProto, seed: int) -> None:
    body = canonicalise(function, callees={})
    changed = canonicalise(reordered(renamed(function, seed), seed), callees={})
    assert (changed.digest, changed.proto) == (body.digest, body.proto)


@given(programs)
@settings(max_examples=150, deadline=None)
def test_a_body_is_its_own_canonical_form(function: FunctionProto) -> None:
    body = canonicalise(function, callees={})
    parsed = FunctionProto.FromString(body.proto)
    again = canonicalise(parsed, callees={})
    assert (again.digest, again.proto) == (body.digest, body.proto)
    assert parsed.SerializeToString(deterministic=True) == body.proto


@given(programs, st.data())
@settings(max_examples=200, deadline=None)
def test_every_change_of_a_node_that_is_read_matters(function: FunctionProto, data: st.DataObject) -> None:
    proto = FunctionProto.FromString(canonicalise(function, callees={}).proto)  # has no node that nothing reads
    original = digest(proto)
    nodes = all_nodes(proto.node)
    node = nodes[data.draw(st.integers(0, len(nodes) - 1))]
    if len(node.input) == 2 and not alike(*node.input, nodes) and data.draw(st.booleans()):
        node.input[:] = reversed(node.input)
    elif node.op_type in UNARY:
        node.op_type = UNARY[(UNARY.index(node.op_type) + data.draw(st.integers(1, 5))) % len(UNARY)]
    elif node.op_type in BINARY:
        node.op_type = BINARY[(BINARY.index(node.op_type) + data.draw(st.integers(1, 4))) % len(BINARY)]
    elif node.op_type == "If":
        first, second = node.attribute
        if digest_of_graph(first.g) == digest_of_graph(second.g):
            return
        first.name, second.name = second.name, first.name
    else:
        [attribute] = node.attribute
        attribute.f += data.draw(st.sampled_from([1e-6, 0.5, -2.0]))
    assert digest(proto) != original


def alike(one: str, other: str, nodes: Sequence[NodeProto]) -> bool:
    """Whether two values may be computed alike, so that nothing changes where one stands in the place of the other."""
    if one == other:
        return True
    left, right = ([node for node in nodes if name in node.output] for name in (one, other))
    return any(
        a.op_type == b.op_type
        and (a.op_type == "If" or list(a.attribute) == list(b.attribute))
        and all(alike(*pair, nodes) for pair in zip(a.input, b.input, strict=True))
        for a in left
        for b in right
    )


def digest_of_graph(graph: GraphProto) -> str:
    """Of the graph as a function of what it captures."""
    made = {name for node in graph.node for name in node.output}
    captured = dict.fromkeys(name for node in graph.node for name in sorted(reads(node)) if name not in made)
    inner = {name for node in all_nodes(graph.node) for name in node.output}
    inputs = sorted(name for name in captured if name not in inner)
    output = graph.output[0].name
    return str(inputs) + digest(
        helper.make_function("d", "G", inputs, [output], list(graph.node), [helper.make_opsetid("", 18)])
    )


@given(programs, st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_the_order_of_inputs_matters_where_they_are_read(function: FunctionProto, place: int) -> None:
    proto = FunctionProto.FromString(function.SerializeToString())
    names = list(proto.input)
    names[place], names[place - 1] = names[place - 1], names[place]
    proto.input[:] = names
    body = FunctionProto.FromString(canonicalise(function, callees={}).proto)
    read = {name for node in all_nodes(body.node) for name in node.input}
    if {f"i{place}", f"i{(place - 1) % 4}"} & read and not symmetric(body, place):
        assert digest(proto) != digest(function)


def symmetric(body: FunctionProto, place: int) -> bool:
    """Whether the two inputs play the same part: swapping them by hand gives the same nodes."""
    one, other = f"i{place}", f"i{(place - 1) % 4}"
    swap = {one: other, other: one}
    copy = FunctionProto.FromString(body.SerializeToString())
    for node in all_nodes(copy.node):
        node.input[:] = [swap.get(name, name) for name in node.input]
    return digest(copy) == digest(body)


@given(programs)
@settings(max_examples=40, deadline=None)
def test_the_body_computes_what_the_function_computes(function: FunctionProto) -> None:
    body = FunctionProto.FromString(canonicalise(function, callees={}).proto)
    np.testing.assert_array_equal(run(body), run(function))
