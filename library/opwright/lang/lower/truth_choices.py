"""Choices between True and False: of an `If` that gives True on one side and False on the other, the condition is what
it gives, or the opposite of the condition.

The flags of `break`, `continue` and `return` are joined as names are, so that most of them are such choices.
"""

from __future__ import annotations

from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.lower.state.context import Lowering, complete
from opwright.opsets.records import NOT


def take_out_choices(low: Lowering) -> None:
    """A pass over a finished body: choices between True and False are what they mean, and so is the opposite of the
    opposite. Conditions that may have another rank than 0 stay as they are."""
    _Choices(low).walk(low.function.body)


class _Choices:
    def __init__(self, low: Lowering) -> None:
        self._low = low
        self._kept = set(low.function.body.yields)  # values that have to be made by nodes of their own
        self._known: dict[ir.Value, bool] = {}
        self._meant: dict[ir.Value, ir.Value] = {}  # what stands in place of a value from here on
        self._opposites: dict[ir.Value, ir.Value] = {}

    def walk(self, region: ir.Region) -> None:
        self._kept.update(region.declared, region.promised)
        nodes: list[ir.Node] = []
        for node in region.nodes:
            if self._meant:
                ir.read_instead(node, self._meant)
            for inner in node.regions():
                self.walk(inner)
            if isinstance(node, ir.If):
                nodes.extend(self._decide(node))
            elif isinstance(node, ir.Const):
                if node.data.element is BY_NAME["bool"] and node.data.dims == ():
                    self._known[node.result] = any(node.data.data)
            elif isinstance(node, ir.Call) and _is_opposite(node):
                self._note_opposite(node)
            nodes.append(node)
        region.nodes = nodes
        region.yields = [self._meant.get(value, value) for value in region.yields]

    def _note_opposite(self, node: ir.Call) -> None:
        (given,), (result,) = node.inputs, node.results
        assert given is not None
        assert result is not None
        self._opposites[result] = given
        if given in self._opposites and result not in self._kept:
            self._meant[result] = self._opposites[given]

    def _decide(self, node: ir.If) -> list[ir.Node]:
        """Takes out the results that are choices; gives what is to be computed before the node."""
        if node.condition.type.carried_shape != ():
            return []
        made: list[ir.Node] = []
        left: list[int] = []
        for index, result in enumerate(node.results):
            sides = self._truth(node, node.then, index, True), self._truth(node, node.orelse, index, False)
            if None in sides or sides[0] is sides[1] or result in self._kept:
                left.append(index)
            elif sides[0]:
                self._meant[result] = node.condition
            else:
                self._meant[result] = self._opposite(node, made)
        node.results, node.then.yields, node.orelse.yields = (
            [values[index] for index in left] for values in (node.results, node.then.yields, node.orelse.yields)
        )
        return made

    def _truth(self, node: ir.If, side: ir.Region, index: int, holds: bool) -> bool | None:
        """What a side gives, where that is known: the condition, and what is its opposite, are known there too."""
        value = side.yields[index]
        if value is node.condition:
            return holds
        if self._opposites.get(value) is node.condition:
            return not holds
        return self._known.get(value)

    def _opposite(self, node: ir.If, made: list[ir.Node]) -> ir.Value:
        """The opposite of the condition of a node, where there is none a new one in `made`."""
        condition = node.condition
        if condition in self._opposites:
            return self._opposites[condition]
        if not made:
            operator, result = self._low.operator(NOT.name, node.span), ir.Value(condition.type, "", node.span)
            call = ir.Call(operator, [condition], complete(operator.signature, {}), [result], node.span)
            if node in self._low.sources:
                self._low.sources[call] = self._low.sources[node]
            self._opposites[result] = condition
            made.append(call)
        return made[0].made()[0]


def _is_opposite(node: ir.Call) -> bool:
    return isinstance(node.callee, ir.Operator) and node.callee.signature.record is NOT
