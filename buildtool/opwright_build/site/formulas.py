"""What a short body computes, as formulas: an expression for each output, and a name for what is read more than once.

Conversions between floating-point types are left out; others stand as functions. A body with graphs inside, or too
long to be read so, has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from onnx import AttributeProto, FunctionProto, NodeProto, TensorProto
from opwright.graphs.walk import GRAPH_KINDS

from opwright_build.site.body_graph import BODY_DOMAIN, Names, attribute_text, constant_text
from opwright_build.site.site_record import Formula, Term

MOST_NODES = 32
_MOST_LINES = 8
_MOST_DEPTH = 12
_FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)
NAME, NUMBER, CALL = "name", "number", "call"
ARITHMETIC = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "Div": "/",
    "Pow": "^",
    "Neg": "neg",
    "Sqrt": "sqrt",
    "Abs": "abs",
    "Reciprocal": "inverse",
    "Less": "<",
    "LessOrEqual": "<=",
    "Greater": ">",
    "GreaterOrEqual": ">=",
    "Equal": "=",
    "And": "and",
    "Or": "or",
    "Where": "cases",
}


def formulas(function: FunctionProto, names: Names, *, of_floats: bool) -> tuple[Formula, ...]:
    """Empty where the body is no short formula. `of_floats`: the function has no other element types."""
    nodes = [node for node in function.node if node.op_type != "Constant"]
    if len(nodes) > MOST_NODES or any(len(node.output) != 1 or _has_graphs(node) for node in nodes):
        return ()
    same = {node.output[0]: node.input[0] for node in nodes if _is_copy(node, of_floats)}
    readers = Counter(
        _origin(name, same) for node in nodes if node.output[0] not in same for name in node.input if name
    )
    readers.update(_origin(name, same) for name in function.output)
    return _Terms(function, names, same, readers).all()


class _Terms:
    def __init__(
        self, function: FunctionProto, names: Names, same: Mapping[str, str], readers: Mapping[str, int]
    ) -> None:
        self.function = function
        self.names = names
        self.same = same
        self.readers = readers
        self.terms: dict[str, tuple[Term, int]] = {
            name: (Term(NAME, text=names.values.get(name, name)), 0) for name in function.input
        }
        self.lines: list[Formula] = []

    def all(self) -> tuple[Formula, ...]:
        for node in self.function.node:
            if node.op_type == "Constant":
                text = constant_text(node, self.names)
                self.terms[node.output[0]] = (Term(NUMBER, text=text or "constant"), 0)
            elif node.output[0] not in self.same:
                self._read(node)
        for name in self.function.output:
            term, _ = self.terms[_origin(name, self.same)]
            self.lines.append(Formula(self.names.values.get(name, name), term))
        return tuple(self.lines) if len(self.lines) <= _MOST_LINES else ()

    def _read(self, node: NodeProto) -> None:
        parts = [self.terms[_origin(name, self.same)] for name in node.input if name]
        depth = 1 + max((depth for _, depth in parts), default=0)
        name = node.output[0]
        term = _term(node, [term for term, _ in parts], self.names)
        if self.readers[name] > 1 or depth > _MOST_DEPTH:
            title = f"t{sum(line.name.startswith('t') for line in self.lines) + 1}"
            self.lines.append(Formula(title, term))
            self.terms[name] = (Term(NAME, text=title), 0)
        else:
            self.terms[name] = (term, depth)


def _term(node: NodeProto, parts: Sequence[Term], names: Names) -> Term:
    form = ARITHMETIC.get(node.op_type, "")
    if form and not node.domain:
        return Term(form, tuple(parts))
    name = node.op_type
    if node.domain == BODY_DOMAIN and name in names.callees:
        name = names.callees[name].identity.partition("::")[2].partition("@")[0]
    given = (Term(NUMBER, text=attribute_text(item, names)) for item in node.attribute)
    return Term(CALL, (*parts, *given), name)


def _is_copy(node: NodeProto, of_floats: bool) -> bool:
    if node.domain or node.op_type not in ("Cast", "CastLike", "Identity"):
        return False
    to = next((item.i for item in node.attribute if item.name == "to" and not item.ref_attr_name), None)
    return node.op_type == "Identity" or (of_floats if node.op_type == "CastLike" else to in _FLOATS)


def _origin(name: str, same: Mapping[str, str]) -> str:
    while name in same:
        name = same[name]
    return name


def _has_graphs(node: NodeProto) -> bool:
    return any(item.type in (*GRAPH_KINDS, AttributeProto.SPARSE_TENSOR) for item in node.attribute)
