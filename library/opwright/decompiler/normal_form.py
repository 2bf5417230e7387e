"""Models whose differences in form are gone: what a readable script may write in another way stands in one way.

Afterwards each constant and initializer is one `Constant` node at the beginning of its model or function, equal ones
are one, no `Identity` hands on a value but for one that gives each output, a `Loop` has a condition, and nested graphs
declare no types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from opwright.decompiler.literal_text import constant_of, constant_value
from opwright.opsets.records import CONSTANT, IDENTITY, LOOP

_GRAPH = AttributeProto.GRAPH
_TRUE = numpy_helper.from_array(np.array(True))


def normal_form(model: ModelProto) -> ModelProto:
    """The model in that form; the given one stays as it is."""
    made = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import)
    made.graph.CopyFrom(_Body().main(model.graph))
    made.functions.extend(_Body().function(item) for item in model.functions)
    return made


class _Body:
    """One graph or function with all that is nested in it. Values get names of their own, by number."""

    def __init__(self) -> None:
        self._count = 0
        self._constants: dict[bytes, str] = {}
        self._made: list[NodeProto] = []

    def main(self, graph: GraphProto) -> GraphProto:
        made = GraphProto(name=graph.name, input=graph.input, output=graph.output)
        inputs = {item.name for item in graph.input}
        names = {name: name for name in inputs}
        for tensor in graph.initializer:
            if tensor.name in inputs:
                made.initializer.append(tensor)
            else:
                names[tensor.name] = self._constant(tensor)
        made.sparse_initializer.extend(graph.sparse_initializer)
        names.update({item.values.name: item.values.name for item in graph.sparse_initializer})
        nodes = self._nodes(graph.node, names)
        given = self._given([item.name for item in graph.output], names)
        for value, node in zip(made.output, given, strict=True):
            value.name = node.output[0]
        made.node.extend([*self._made, *nodes, *given])
        return made

    def function(self, function: FunctionProto) -> FunctionProto:
        made = FunctionProto()
        made.CopyFrom(function)
        made.ClearField("node")
        made.ClearField("value_info")
        names = {name: name for name in function.input}
        nodes = self._nodes(function.node, names)
        given = self._given(function.output, names)
        made.output[:] = [node.output[0] for node in given]
        made.node.extend([*self._made, *nodes, *given])
        return made

    def _nested(self, graph: GraphProto, around: Mapping[str, str], is_loop: bool) -> GraphProto:
        made = GraphProto(name=graph.name)
        names = dict(around)
        for item in graph.input:
            names[item.name] = self._fresh()
            made.input.add(name=names[item.name])
        if is_loop and len(graph.input) > 1:
            names[graph.input[1].name] = self._constant(_TRUE)  # as it is in any trip that is made
        for tensor in graph.initializer:
            if tensor.name not in {item.name for item in graph.input}:
                names[tensor.name] = self._constant(tensor)
        made.node.extend(self._nodes(graph.node, names))
        given = self._given([item.name for item in graph.output], names)
        made.node.extend(given)
        for node in given:
            made.output.add(name=node.output[0])
        return made

    def _nodes(self, nodes: Iterable[NodeProto], names: dict[str, str]) -> list[NodeProto]:
        found: list[NodeProto] = []
        for node in nodes:
            if IDENTITY.describes(node) and len(node.output) == 1:
                names[node.output[0]] = names.get(node.input[0], node.input[0])
                continue
            tensor = _tensor_of(node) if CONSTANT.describes(node) else None
            if tensor is not None:
                names[node.output[0]] = self._constant(tensor)
                continue
            made = NodeProto(op_type=node.op_type, domain=node.domain, overload=node.overload)
            made.input.extend(names.get(name, name) for name in node.input)
            is_loop = LOOP.describes(node)
            if is_loop and len(made.input) > 1 and not made.input[1]:
                made.input[1] = self._constant(_TRUE)
            for name in node.output:
                if name:
                    names[name] = self._fresh()
                made.output.append(names[name] if name else "")
            for attribute in node.attribute:
                kept = made.attribute.add()
                if attribute.type == _GRAPH and not attribute.ref_attr_name:
                    kept.name, kept.type = attribute.name, attribute.type
                    kept.g.CopyFrom(self._nested(attribute.g, names, is_loop))
                else:
                    kept.CopyFrom(attribute)
            found.append(made)
        return found

    def _given(self, outputs: Sequence[str], names: Mapping[str, str]) -> list[NodeProto]:
        """The nodes that give the outputs."""
        return [helper.make_node(IDENTITY.name, [names.get(name, name)], [self._fresh()]) for name in outputs]

    def _constant(self, tensor: TensorProto) -> str:
        """The name of the constant with this tensor."""
        plain = numpy_helper.from_array(constant_of(tensor).array)
        key = plain.SerializeToString(deterministic=True)
        name = self._constants.get(key)
        if name is None:
            name = self._constants[key] = self._fresh()
            self._made.append(helper.make_node(CONSTANT.name, [], [name], value=plain))
        return name

    def _fresh(self) -> str:
        self._count += 1
        return f"value {self._count}"


def _tensor_of(node: NodeProto) -> TensorProto | None:
    """The tensor of a Constant; None where an attribute of a function decides it, or where it is sparse."""
    attribute = node.attribute[0] if len(node.attribute) == 1 else None
    if attribute is None or attribute.ref_attr_name:
        return None
    if attribute.name == "value":
        return attribute.t
    constant = constant_value(attribute)
    return None if constant is None else numpy_helper.from_array(constant.array)
