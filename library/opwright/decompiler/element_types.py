"""Element types of values, as far as nodes alone tell: asked where a sign of Python depends on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from onnx import GraphProto, NodeProto

from opwright.decompiler.literal_text import Constant
from opwright.decompiler.nodes import with_graphs, with_more_outputs
from opwright.decompiler.operator_forms import Forms
from opwright.elements import ElementType
from opwright.graphs.node_columns import NodeColumns
from opwright.graphs.walk import subgraphs
from opwright.lang import ir
from opwright.lang.infer.of_protos import attributes_of
from opwright.lang.infer.result_types import Like, constraint_of, source
from opwright.opsets.signatures import Signature

_MOST_STEPS = 1000  # from a value back to where its type is said


class ElementTypes:
    """The element types of the values of a function or graph.

    `declared` are those of inputs and initializers by name; an input of a function stands for its own type.
    `constants` are the tensors that are known by the time of a question. What the nodes say is looked up when the first
    value is asked for.
    """

    def __init__(
        self, nodes: NodeColumns, declared: Mapping[str, str], forms: Forms, constants: Mapping[str, Constant]
    ) -> None:
        self._nodes = nodes
        self._known: dict[str, str] = dict(declared)
        self._forms = forms
        self._constants = constants
        self._makers: Makers | None = None
        self._rules: dict[str, _Rule] = {}  # of the first outputs of operators of the standard

    def of(self, name: str) -> str:
        """The name of the element type, `=x` for that of the function's input x, "" where nothing tells."""
        known = self._known
        found = known.get(name)
        if found is not None:
            return found
        if self._makers is None:
            self._makers = _makers(self._nodes, self._forms)
        makers, rules, constants, nodes = self._makers, self._rules, self._constants, self._nodes
        operators, domains = nodes.operators, nodes.domains
        passed: list[str] = []
        while found is None and len(passed) < _MOST_STEPS:
            passed.append(name)
            made = makers.get(name)
            if made is None or name in constants:
                found = constants[name].element.name if made is not None else ""
            elif isinstance(made, tuple):
                found, name = self._step(*made)
            elif domains[made] or operators[made] not in rules:
                found, name = self._step(nodes.protos[made], 0)
            else:
                found, name = rules[operators[made]].step(nodes.inputs, nodes.begins[made], nodes.ends[made])
            if found is None:
                found = known.get(name)
        known.update(dict.fromkeys(passed, found or ""))
        return found or ""

    def is_known(self, name: str) -> bool:
        """Whether the type is one of ONNX's by name."""
        return self.of(name)[:1] not in ("", "=")

    def _step(self, node: NodeProto, index: int) -> tuple[str | None, str]:
        """The type of an output, or the value that has the same type; "" where there is neither."""
        signature = self._forms.signature_of(node)
        if signature is None or not signature.outputs:
            return "", ""
        if signature.record.typing is not None:
            found = source(signature, index, node.input, attributes_of(node.attribute))
            if isinstance(found, Like):
                return (None, node.input[found.index]) if found.element else ("", "")
            return _element_name(found), ""
        rule = _rule(index, signature)
        if not index and not node.domain and node.op_type not in self._forms.hidden:
            self._rules[node.op_type] = rule
        inputs = node.input[:]
        return rule.step(inputs, 0, len(inputs))


Makers = dict[str, int | tuple[NodeProto, int] | None]


def _makers(nodes: NodeColumns, forms: Forms) -> Makers:
    """What gives each value: the position of a node whose first output it is; for others, and in nested graphs, the
    node and the output's index. None where a name means several values."""
    found: Makers = dict(zip(nodes.firsts, range(len(nodes.firsts)), strict=True))
    if len(found) < len(nodes.firsts):
        found.update((name, None) for name, times in Counter(nodes.firsts).items() if times > 1)
    for node in with_more_outputs(nodes, forms):
        _add_outputs(node, 1, found)
    for node in with_graphs(nodes, forms):
        for graph in subgraphs(node):
            _add_graph(graph, found)
    return found


def _add_graph(graph: GraphProto, found: Makers) -> None:
    found.update(dict.fromkeys(item.name for item in graph.input))
    found.update(dict.fromkeys(item.name for item in graph.initializer))
    for node in graph.node:
        _add_outputs(node, 0, found)
        for inner in subgraphs(node):
            _add_graph(inner, found)


def _add_outputs(node: NodeProto, begin: int, found: Makers) -> None:
    for index, name in enumerate(node.output[begin:], begin):
        found[name] = None if name in found else (node, index)


def _element_name(type_: ir.Type | None) -> str:
    """The name of a tensor's element type; "" for other types, and where an attribute of the function decides it."""
    return type_.element.name if isinstance(type_, ir.TensorType) and isinstance(type_.element, ElementType) else ""


class _Rule(NamedTuple):
    """The element type of an output: that of the first of these inputs that is given, else `element`."""

    inputs: tuple[int, ...]
    element: str

    def step(self, inputs: Sequence[str], begin: int, end: int) -> tuple[str | None, str]:
        """The type, or the value that has it among the inputs of a node, which stand there."""
        for position in self.inputs:
            if begin + position < end and inputs[begin + position]:
                return None, inputs[begin + position]
        return self.element, ""


def _rule(index: int, signature: Signature) -> _Rule:
    found = constraint_of(signature, index)
    return _Rule(found, "") if isinstance(found, tuple) else _Rule((), _element_name(found))
