"""Copies of functions: what a pass or a later case changes in one of them stays out of the other."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)


class FunctionCopy:
    """A copy of a function: its values, nodes, regions and type variables are new ones, signatures and callees are not.

    `nodes` maps each node of the function to its copy.
    """

    __slots__ = ("_types", "_values", "_variables", "function", "nodes")

    def __init__(self, function: ir.Function) -> None:
        self._values: dict[ir.Value, ir.Value] = {}
        self._variables: dict[ir.TypeVariable, ir.TypeVariable] = {}
        self._types: dict[ir.TensorType, ir.TensorType] = {}
        self.nodes: dict[ir.Node, ir.Node] = {}
        made = ir.Function(function.domain, function.name, function.since_version, function.opset, function.span)
        made.doc = function.doc
        made.inputs = self._each(function.inputs)
        made.attributes = list(function.attributes)
        made.outputs = list(function.outputs)
        made.variables = {name: self._element(element) for name, element in function.variables.items()}
        made.body = self._region(function.body)
        self.function = made

    def node(self, node: ir.Node) -> ir.Node:
        """The copy of a node; a node that stands in no region of the function is copied where it is first asked for."""
        found = self.nodes.get(node)
        if found is None:
            found = self.nodes[node] = self._node(node)
        return found

    def type(self, type_: ir.Type) -> ir.Type:
        """The type, in terms of the copy's type variables."""
        return type_.with_tensors(self._tensor)

    def _tensor(self, type_: ir.TensorType) -> ir.TensorType:
        element = self._element(type_.element)
        if element is type_.element:
            return type_
        found = self._types.get(type_)
        if found is None:
            found = self._types[type_] = ir.TensorType(element, type_.shape)
        return found

    def _element(self, element: ir.Element) -> ir.Element:
        if not isinstance(element, ir.TypeVariable):
            return element
        found = self._variables.get(element)
        if found is None:
            found = self._variables[element] = element.copy()
            found.same_as = None if element.same_as is None else self._element(element.same_as)
        return found

    def _value(self, value: ir.Value) -> ir.Value:
        found = self._values.get(value)
        if found is None:
            found = ir.Value(self.type(value.type), value.name, value.span, value.optional)
            self._values[value] = found
        return found

    def _each(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        return [self._value(value) for value in values]

    def _maybe(self, value: ir.Value | None) -> ir.Value | None:
        return None if value is None else self._value(value)

    def _region(self, region: ir.Region) -> ir.Region:
        """Regions nest no deeper than protobuf's parsers read."""
        made = ir.Region(self._each(region.parameters))
        made.nodes = [self.node(node) for node in region.nodes]
        made.yields = self._each(region.yields)
        made.declared = {self._value(value): self.type(type_) for value, type_ in region.declared.items()}
        made.promised = {self._value(value): self.type(type_) for value, type_ in region.promised.items()}
        return made

    def _attribute(self, attribute: ir.Attribute) -> ir.Attribute:
        return (
            attribute if attribute.graph is None else ir.AttributeValue(attribute.kind, self._region(attribute.graph))
        )

    def _node(self, node: ir.Node) -> ir.Node:
        return _COPIES.of(node)(node, self)

    def call(self, node: ir.Call) -> ir.Node:
        attributes = {name: self._attribute(attribute) for name, attribute in node.attributes.items()}
        inputs, results = [list(map(self._maybe, side)) for side in (node.inputs, node.results)]
        return ir.Call(node.callee, inputs, attributes, results, node.span)

    def const(self, node: ir.Const) -> ir.Node:
        return ir.Const(node.operator, node.data, self._value(node.result), node.span)

    def if_(self, node: ir.If) -> ir.Node:
        condition, then, orelse = self._value(node.condition), self._region(node.then), self._region(node.orelse)
        return ir.If(node.operator, condition, then, orelse, self._each(node.results), node.span)

    def loop(self, node: ir.Loop) -> ir.Node:
        body = self._region(node.body)
        trips, condition_, initial = self._maybe(node.trips), self._maybe(node.condition), self._each(node.initial)
        return ir.Loop(node.operator, trips, condition_, initial, body, self._each(node.results), node.span)


def _no_node(node: ir.Node, copy: FunctionCopy) -> ir.Node:
    raise AssertionError(f"{type(node).__name__} is not copied")


_COPIES: Operation[ir.Node, [FunctionCopy], ir.Node] = Operation(_no_node)
_COPIES.on(ir.Call)(lambda node, copy: copy.call(node))
_COPIES.on(ir.Const)(lambda node, copy: copy.const(node))
_COPIES.on(ir.If)(lambda node, copy: copy.if_(node))
_COPIES.on(ir.Loop)(lambda node, copy: copy.loop(node))
