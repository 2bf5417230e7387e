"""The digest under random programs: blind to names and order, sharp for everything that is computed."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import onnxruntime
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto, helper
from opwright.protos.canonical import canonicalise

UNARY = ("Neg", "Abs", "Tanh", "Sin", "Cos", "Sigmoid")
BINARY = ("Add", "Sub", "Mul", "Max", "Min")
INPUTS = ("x", "y", "z")


class Program:
    """A random function of floats; `rest` has a choice for each step, so that hypothesis shrinks it."""

    def __init__(self, choices: Sequence[int]) -> None:
        self.rest = list(choices)
        self.count = 0

    def pick(self, options: Sequence[str]) -> str:
        return options[(self.rest.pop() if self.rest else 0) % len(options)]

    def fresh(self) -> str:
        self.count += 1
        return f"n{self.count}"

    def nodes(self, length: int, visible: list[str], depth: int) -> list[NodeProto]:
        made: list[NodeProto] = []
        visible = list(visible)
        for _ in range(length):
            kind = self.pick(("unary", "binary", "constant", "leaky", "if") if depth else ("unary", "binary", "leaky"))
            name = self.fresh()
            if kind == "unary":
                made.append(helper.make_node(self.pick(UNARY), [self.pick(visible)], [name]))
            elif kind == "binary":
                made.append(helper.make_node(self.pick(BINARY), [self.pick(visible), self.pick(visible)], [name]))
            elif kind == "constant":
                made.append(helper.make_node("Constant", [], [name], value_float=float(self.pick("0123"))))
            elif kind == "leaky":
                alpha = float(self.pick("123")) / 8
                made.append(helper.make_node("LeakyRelu", [self.pick(visible)], [name], alpha=alpha))
            else:
                branches = [self.graph(visible, depth - 1) for _ in range(2)]
                made.append(helper.make_node("If", ["p"], [name], then_branch=branches[0], else_branch=branches[1]))
            visible.append(name)
        return made

    def graph(self, visible: list[str], depth: int) -> GraphProto:
        nodes = self.nodes(2, visible, depth)
        return helper.make_graph(nodes, "g", [], [helper.make_empty_tensor_value_info(nodes[-1].output[0])])

    def function(self, length: int) -> FunctionProto:
        nodes = self.nodes(length, list(INPUTS), 2)
        last = [nodes[-1].output[0], nodes[len(nodes) // 2].output[0]]
        outputs = list(dict.fromkeys(last))
        return helper.make_function("com.acme", "F", [*INPUTS, "p"], outputs, nodes, [helper.make_opsetid("", 18)])


programs = st.builds(
    lambda choices, length: Program(choices).function(length),
    st.lists(st.integers(0, 59), min_size=10, max_size=80),
    st.integers(2, 14),
)


def digest(function: FunctionProto) -> str:
    return canonicalise(function, callees={}).digest


def renamed(function: FunctionProto, seed: int) -> FunctionProto:
    """Every value, graph and node gets another name; names inside graphs may repeat those of a sister graph."""
    copy = FunctionProto.FromString(function.SerializeToString())
    randomness = random.Random(seed)
    names: dict[str, str] = {}

    def rename(name: str) -> str:
        if name not in names:
            names[name] = f"r{randomness.randrange(10**9)}_{len(names)}"
        return names[name]

    def visit(nodes: Sequence[NodeProto]) -> None:
        for node in nodes:
            node.name = f"node{randomness.random()}"
            node.input[:] = map(rename, node.input)
            node.output[:] = map(rename, node.output)
            for attribute in node.attribute:
                if attribute.type == AttributeProto.GRAPH:
                    attribute.g.name = f"graph{randomness.random()}"
                    for value in attribute.g.output:
                        value.name = rename(value.name)
                    visit(attribute.g.node)

    copy.input[:] = map(rename, copy.input)
    copy.output[:] = map(rename, copy.output)
    visit(copy.node)
    return copy


def reordered(function: FunctionProto, seed: int) -> FunctionProto:
    """The nodes in another order that is topological too."""
    copy = FunctionProto.FromString(function.SerializeToString())
    randomness = random.Random(seed)
    waiting = list(function.node)
    defined = set(function.input)
    made = {name for node in waiting for name in node.output}
    del copy.node[:]
    while waiting:
        ready = [node for node in waiting if (reads(node) & made) <= defined]
        chosen = randomness.choice(ready)
        waiting.remove(chosen)
        defined.update(chosen.output)
        shuffled = list(chosen.attribute)
        randomness.shuffle(shuffled)
        added = copy.node.add()
        added.CopyFrom(chosen)
        del added.attribute[:]
        added.attribute.extend(shuffled)
    return copy


def reads(node: NodeProto) -> set[str]:
    found = set(node.input)
    for attribute in node.attribute:
        for inner in attribute.g.node:
            found |= reads(inner)
    return found


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
    if len(node.input) == 2 and node.input[0] != node.input[1] and data.draw(st.booleans()):
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


def all_nodes(nodes: Sequence[NodeProto]) -> list[NodeProto]:
    found: list[NodeProto] = []
    for node in nodes:
        found.append(node)
        for attribute in node.attribute:
            found += all_nodes(attribute.g.node)
    return found


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
