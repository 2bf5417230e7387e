"""Small wrong changes of a function's body, each one a mutant that its vectors ought to notice.

Changes that cannot show are not made: operands of commutative operators are not swapped, a condition is not negated
where its branches are swapped, attributes that only choose an inner type are left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np
import onnx
from onnx import AttributeProto, FunctionProto, NodeProto, helper, numpy_helper
from opwright.elements import ElementType
from opwright.graphs.walk import all_nodes
from opwright.opsets.domains import DEFAULT_DOMAIN, normal_domain

from opwright_build.verify.case_model import Array
from opwright_build.verify.dtypes import element_of

Edit = Callable[[NodeProto], None]


@dataclass(frozen=True, slots=True)
class Mutant:
    """`node` names the node: its operator and which one of that operator it is, depth first, from 1 (`Mul#2`)."""

    node: str
    change: str
    function: FunctionProto


def mutants_of(function: FunctionProto) -> list[Mutant]:
    """Every mutant of a function, in the order of its nodes; no two are equal, none equals the original."""
    defaults = {attribute.name: attribute for attribute in function.attribute_proto}
    seen = {function.SerializeToString(deterministic=True)}
    counts: Counter[str] = Counter()
    found: list[Mutant] = []
    for position, node in enumerate(all_nodes(function.node)):
        counts[node.op_type] += 1
        for change, edit in _changes(node, defaults):
            changed = FunctionProto()
            changed.CopyFrom(function)
            edit(next(islice(all_nodes(changed.node), position, None)))
            data = changed.SerializeToString(deterministic=True)
            if data not in seen:
                seen.add(data)
                found.append(Mutant(f"{node.op_type}#{counts[node.op_type]}", change, changed))
    return found


def _changes(node: NodeProto, defaults: Mapping[str, AttributeProto]) -> Iterator[tuple[str, Edit]]:
    if normal_domain(node.domain) != DEFAULT_DOMAIN:
        yield from _literals(node, defaults)  # a call of another function: its body has mutants of its own
        return
    for operator in _REPLACEMENTS.get(node.op_type, ()):
        yield f"becomes {operator}", _become(operator)
    if node.op_type in _ORDERED and len(set(node.input[-2:])) == 2:
        yield "operands swapped", _swap_operands
    if node.op_type in _DROPPABLE and len(node.input) > 1:
        for index in _DROPPABLE[node.op_type]:
            yield f"is its operand {index + 1} alone", _keep_operand(index)
    if node.op_type in _OPTIONAL_OPERANDS:
        for index in range(_OPTIONAL_OPERANDS[node.op_type], len(node.input)):
            if node.input[index]:
                yield f"operand {index + 1} dropped", _drop_operand(index)
    if node.op_type == "If":
        yield "branches swapped", _swap_branches
    yield from _literals(node, defaults)


# What an operator is mistaken for: the same operands, the same types, another result.
_REPLACEMENTS: Mapping[str, tuple[str, ...]] = {
    "Abs": ("Identity",),
    "Add": ("Sub",),
    "And": ("Or",),
    "ArgMax": ("ArgMin",),
    "ArgMin": ("ArgMax",),
    "Ceil": ("Floor",),
    "Cos": ("Sin",),
    "Div": ("Mul",),
    "Equal": ("Less",),
    "Erf": ("Tanh",),
    "Exp": ("Log",),
    "Floor": ("Ceil",),
    "Greater": ("GreaterOrEqual", "Less"),
    "GreaterOrEqual": ("Greater", "LessOrEqual"),
    "Less": ("LessOrEqual", "Greater"),
    "LessOrEqual": ("Less", "GreaterOrEqual"),
    "Log": ("Exp",),
    "Max": ("Min",),
    "Min": ("Max",),
    "Mod": ("Div",),
    "Mul": ("Div",),
    "Neg": ("Identity",),
    "Not": ("Identity",),
    "Or": ("And",),
    "Pow": ("Mul",),
    "Reciprocal": ("Identity",),
    "ReduceL1": ("ReduceL2",),
    "ReduceL2": ("ReduceL1",),
    "ReduceMax": ("ReduceMin",),
    "ReduceMean": ("ReduceSum",),
    "ReduceMin": ("ReduceMax",),
    "ReduceProd": ("ReduceSum",),
    "ReduceSum": ("ReduceMean",),
    "ReduceSumSquare": ("ReduceSum",),
    "Relu": ("Identity",),
    "Round": ("Floor",),
    "Sigmoid": ("Tanh",),
    "Sign": ("Identity",),
    "Sin": ("Cos",),
    "Sqrt": ("Identity",),
    "Sub": ("Add",),
    "Tanh": ("Sigmoid",),
    "Xor": ("Or",),
}
# Operators whose last two operands may not change places.
_ORDERED = frozenset(
    ["Concat", "Div", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "MatMul", "Mod", "Pow", "Sub", "Where"]
)
# Operators that can stand for one of their operands, and which ones.
_DROPPABLE: Mapping[str, tuple[int, ...]] = {
    "Add": (0, 1),
    "And": (0, 1),
    "Concat": (0, 1),
    "Div": (0,),
    "Max": (0, 1),
    "Min": (0, 1),
    "Mod": (0,),
    "Mul": (0, 1),
    "Or": (0, 1),
    "Pow": (0,),
    "Sub": (0, 1),
    "Where": (1, 2),
    "Xor": (0, 1),
}
# The first of an operator's operands that may be left out.
_OPTIONAL_OPERANDS: Mapping[str, int] = {
    "Clip": 1,
    "ReduceL1": 1,
    "ReduceL2": 1,
    "ReduceLogSum": 1,
    "ReduceLogSumExp": 1,
    "ReduceMax": 1,
    "ReduceMean": 1,
    "ReduceMin": 1,
    "ReduceProd": 1,
    "ReduceSum": 1,
    "ReduceSumSquare": 1,
    "Slice": 3,
    "Squeeze": 1,
}
_FLAGS = frozenset(
    ["detect_negative", "detect_positive", "exclusive", "keepdims", "largest", "reverse", "select_last_index"]
)
_AXES = frozenset(["axes", "axis", "batch_dims"])
# They choose inner types, or matter for inputs alone that no vector can be sure to have.
_INNER_TYPES = ("dtype", "output_dtype", "precision", "stash_type", "to")
_RARE_INPUTS = ("allowzero", "noop_with_empty_axes", "round_mode", "saturate")
_LEFT_ALONE = frozenset([*_INNER_TYPES, *_RARE_INPUTS])


def _become(operator: str) -> Edit:
    def edit(node: NodeProto) -> None:
        node.op_type = operator
        known = onnx.defs.get_schema(operator).attributes
        kept = [attribute for attribute in node.attribute if attribute.name in known]
        del node.attribute[:]
        node.attribute.extend(kept)

    return edit


def _swap_operands(node: NodeProto) -> None:
    node.input[-2], node.input[-1] = node.input[-1], node.input[-2]


def _keep_operand(index: int) -> Edit:
    def edit(node: NodeProto) -> None:
        node.op_type = "Identity"
        node.input[:] = [node.input[index]]
        del node.attribute[:]

    return edit


def _drop_operand(index: int) -> Edit:
    def edit(node: NodeProto) -> None:
        node.input[index] = ""
        while node.input and not node.input[-1]:
            node.input.pop()

    return edit


def _swap_branches(node: NodeProto) -> None:
    other = {"then_branch": "else_branch", "else_branch": "then_branch"}
    for attribute in node.attribute:
        attribute.name = other.get(attribute.name, attribute.name)


def _literals(node: NodeProto, defaults: Mapping[str, AttributeProto]) -> Iterator[tuple[str, Edit]]:
    """Changes of the node's attributes: constants and references."""
    for index, attribute in enumerate(node.attribute):
        if attribute.name in _LEFT_ALONE:
            continue
        if attribute.ref_attr_name:
            default = defaults.get(attribute.ref_attr_name)
            if default is not None:
                changed = AttributeProto()
                changed.CopyFrom(default)
                changed.name = attribute.name
                yield f"{attribute.name} fixed at the default of {attribute.ref_attr_name}", _put(index, changed)
            continue
        nudged = _nudged(attribute)
        if nudged is not None:
            yield f"{_text(attribute)} becomes {_text(nudged)}", _put(index, nudged)


def _put(index: int, attribute: AttributeProto) -> Edit:
    def edit(node: NodeProto) -> None:
        node.attribute[index].CopyFrom(attribute)

    return edit


def _nudged(attribute: AttributeProto) -> AttributeProto | None:
    """The attribute with another value: floats by 1 % (narrow ones by more), whole numbers and axes by one."""
    name = attribute.name
    match attribute.type:
        case AttributeProto.FLOAT:
            return helper.make_attribute(name, _nudge_float(attribute.f))
        case AttributeProto.FLOATS if attribute.floats:
            return helper.make_attribute(name, [_nudge_float(value) for value in attribute.floats])
        case AttributeProto.INT:
            return helper.make_attribute(name, 1 - attribute.i if name in _FLAGS else _nudge_int(name, attribute.i))
        case AttributeProto.INTS if attribute.ints:
            values = list(attribute.ints)
            changed = values[::-1] if name == "perm" else [_nudge_int(name, value) for value in values]
            return helper.make_attribute(name, changed)
        case AttributeProto.TENSOR:
            changed_array = _nudge_array(numpy_helper.to_array(attribute.t))
            if changed_array is not None:
                return helper.make_attribute(name, numpy_helper.from_array(changed_array))
    return None


def _nudge_float(value: float) -> float:
    return value * 1.01 if value else 0.01


def _nudge_int(name: str, value: int) -> int:
    # A negative axis counts from the end: going away from zero never makes an axis that is the same one.
    return value - 1 if name in _AXES and value < 0 else value + 1


def _nudge_array(array: Array) -> Array | None:
    if array.size == 0:
        return None
    kind = element_of(array)
    if kind.kind == "bool":
        return np.logical_not(array)
    if kind.is_integer:
        one = array.dtype.type(1)
        with np.errstate(over="ignore"):
            moved: Array = np.where(array == array.dtype.type(kind.maximum), array - one, array + one)
        return moved.astype(array.dtype)
    if kind.is_float:
        exact = array.astype(np.float64)
        with np.errstate(over="ignore"):
            changed: Array = np.where(exact == 0, _from_zero(kind), exact * _factor(kind)).astype(array.dtype)
        return None if changed.tobytes() == array.tobytes() else changed
    return None


def _factor(kind: ElementType) -> float:
    """1 %, but no less than eight units in the last place: fewer disappear in the tolerance of the type."""
    return 1 + max(0.01, 8 * 2.0 ** (1 - kind.precision))


def _from_zero(kind: ElementType) -> float:
    return max(0.01, 32 * 2.0 ** (1 - kind.precision))


def _text(attribute: AttributeProto) -> str:
    value = helper.get_attribute_value(attribute)
    if attribute.type == AttributeProto.TENSOR:
        return _shown(numpy_helper.to_array(value).tolist())
    return f"{attribute.name}={_shown(value if isinstance(value, int | float) else list(value))}"


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, list):
        text = "[" + ", ".join(_shown(item) for item in value[:8])
        return text + (", ...]" if len(value) > 8 else "]")
    return str(value).lower() if isinstance(value, bool) else str(value)
