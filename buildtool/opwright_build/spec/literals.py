"""Values written in vector rows: nested sequences of one kind of scalar, checked to be rectangular."""

from __future__ import annotations

import math

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.spec.yaml_nodes import MappingNode, Node, Scalar, Sequence, kind_of

MAX_ELEMENTS = 1 << 24

Number = int | float
Nested = bool | Number | str | tuple["Nested", ...]

# The float literals of C and numpy; YAML 1.2 itself knows `.nan` and `.inf` alone.
_SPECIAL = {"nan": math.nan, "inf": math.inf, "+inf": math.inf, "-inf": -math.inf}


def literal(node: Node, problems: list[Diagnostic]) -> tuple[Nested, tuple[int, ...]]:
    """The values and their shape; what is wrong goes to `problems`. Unquoted nan, inf and -inf are numbers."""
    before = len(problems)
    kinds: dict[str, Node] = {}
    values = _values(node, kinds, problems)
    if len(problems) > before:
        return 0, ()
    if len(kinds) > 1:
        (first, _), (second, other) = list(kinds.items())[:2]
        message = f"{first} and {second} are mixed in one tensor"
        problems.append(Diagnostic("OW109", message, other.place))
        return 0, ()
    return values, _shape(node, problems)


def _values(node: Node, kinds: dict[str, Node], problems: list[Diagnostic]) -> Nested:
    match node:
        case Sequence():
            return tuple(_values(item, kinds, problems) for item in node.items)
        case Scalar():
            value = _SPECIAL.get(node.text, node.value) if node.plain else node.value
            if value is None:
                problems.append(Diagnostic("OW108", "a value of a tensor is missing here", node.place))
                return 0
            kind = "truth values" if isinstance(value, bool) else "text" if isinstance(value, str) else "numbers"
            kinds.setdefault(kind, node)
            return value
        case MappingNode():
            message = f"a value of a tensor must be a number, true, false or text, but is {kind_of({})}"
            problems.append(Diagnostic("OW108", message, node.place))
            return 0


def _shape(node: Node, problems: list[Diagnostic]) -> tuple[int, ...]:
    """The shape of nested sequences: level by level, so that the first uneven one is named."""
    shape: list[int] = []
    level: list[Node] = [node]
    while level and isinstance(level[0], Sequence):
        length = len(level[0].items)
        inner: list[Node] = []
        for item in level:
            if not isinstance(item, Sequence) or len(item.items) != length:
                found = f"{len(item.items)} values" if isinstance(item, Sequence) else "a single value"
                message = f"the rows of this tensor differ: the first has {length} values, this is {found}"
                problems.append(Diagnostic("OW109", message, item.place))
                return ()
            inner.extend(item.items)
        shape.append(length)
        level = inner
    for item in level:
        if isinstance(item, Sequence):
            problems.append(Diagnostic("OW109", "the rows of this tensor differ in depth", item.place))
            return ()
    return tuple(shape)
