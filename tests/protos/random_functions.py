"""Random functions of floats, and what may be done to them without changing what they compute."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import strategies as st
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, helper

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


def all_nodes(nodes: Sequence[NodeProto]) -> list[NodeProto]:
    found: list[NodeProto] = []
    for node in nodes:
        found.append(node)
        for attribute in node.attribute:
            found += all_nodes(attribute.g.node)
    return found
