"""Numbers that meet tensors: a literal, an attribute or a computed number takes the element type of what it meets."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard

from opwright.elements import ElementType, pack_bits
from opwright.lang import ir
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.known import need_rank
from opwright.lang.lower.operands import AttributeOperand, IntTuple, Operand, is_run_time_number, is_tensor
from opwright.lang.lower.poison import Poisoned, Question
from opwright.lang.lower.primitives import Writer
from opwright.lang.objects import ForeignObject, FunctionObject, NestedObject, TypeObject
from opwright.lang.rounding import DoesNotFitError, pack, survives_float32, to_float32
from opwright.lang.source import Span
from opwright.lang.static import StaticList
from opwright.opsets.record import VALUE_FORMS
from opwright.opsets.records import CAST, CAST_LIKE, CONSTANT
from opwright.opsets.signatures import elements_of

CARRIERS = {ir.NumberKind.BOOL: "bool", ir.NumberKind.INT: "int64", ir.NumberKind.FLOAT: "double"}


def is_static_number(operand: Operand) -> TypeGuard[bool | int | float]:
    return isinstance(operand, (bool, int, float))


def is_number(operand: Operand) -> bool:
    """A Python number in the language's sense: known, or unknown until run time."""
    if isinstance(operand, AttributeOperand):
        return operand.parameter.kind in (ir.AttributeKind.INT, ir.AttributeKind.FLOAT)
    return is_static_number(operand) or (is_run_time_number(operand))


def number_kind(operand: Operand) -> ir.NumberKind:
    if isinstance(operand, AttributeOperand):
        integer = ir.NumberKind.BOOL if operand.is_bool else ir.NumberKind.INT
        return integer if operand.parameter.kind is ir.AttributeKind.INT else ir.NumberKind.FLOAT
    if isinstance(operand, bool):
        return ir.NumberKind.BOOL
    if isinstance(operand, int):
        return ir.NumberKind.INT
    if isinstance(operand, float):
        return ir.NumberKind.FLOAT
    assert is_run_time_number(operand)
    return operand.type.kind


# ------------------------------------------------------------------------------------------- known numbers


def pack_constant(
    low: Lowering, value: Any, dims: tuple[int, ...], element: ElementType, span: Span | None
) -> ir.TensorData:
    """The data of a constant; `value` is a number or a string, or a flat tuple of those that `dims` hold."""
    items = value if isinstance(value, tuple) else (value,)
    try:
        if element.kind == "string":
            if not all(isinstance(item, str) for item in items):
                raise DoesNotFitError("not every element is a string")
            return ir.TensorData(element, dims, tuple(item.encode() for item in items))
        if any(isinstance(item, str) for item in items):
            raise DoesNotFitError(f"a string is not of type {element.name}")
        packed = b"".join(pack(item, element) for item in items)
    except DoesNotFitError as error:
        raise low.error(
            "OW313",
            f"the constant does not fit {element.name}",
            span,
            reason=str(error),
            help="write a value of that type, or cast the tensor first",
        ) from None
    return ir.TensorData(element, dims, pack_bits(packed, element.bits) if element.bits < 8 else packed)


def typed_constant(
    low: Lowering, value: Any, dims: tuple[int, ...], element: ElementType, span: Span | None
) -> ir.Value:
    """A constant of one element type, as a value."""
    data = pack_constant(low, value, dims, element, span)
    return low.constant(data, span)


def weak_constant(
    low: Lowering, value: Any, dims: tuple[int, ...], variable: ir.TypeVariable, span: Span | None
) -> ir.Value:
    """A constant of the caller's element type: cast like a value of it where that rounds once, else per type."""
    items = value if isinstance(value, tuple) else (value,)
    like = low.splittable.get(variable.name)
    if like is None and variable.name not in low.function.variables:
        raise needs_element(low, variable, span)
    kept = _kept_fit if len(items) <= _FEW else _fit
    fit = kept(tuple(map(repr, items)), items, variable.mask)
    unfit = fit.unfit
    if unfit and not narrow(low, variable, list(unfit), f"the constant {reprlib.repr(value)}"):
        element, reason = next(iter(unfit.items()))
        raise low.error(
            "OW313",
            f"the constant does not fit {element.name}, which `{variable.name}` admits",
            span,
            reason=reason,
            help=f"leave {element.name} out of `{variable.name}`, or cast to a type that holds the value",
        )
    settled = ir.settle(variable)
    if not isinstance(settled, ir.TypeVariable):
        return typed_constant(low, value, dims, settled, span)
    carrier = _carrier(low, items)
    if like is not None and fit.rounds_once and carrier is not None and low.lookup("", CAST_LIKE.name) is not None:
        base = typed_constant(low, value, dims, carrier, span)
        assert isinstance(base, ir.Value)
        type_ = ir.TensorType(variable, dims)
        return low.once(("like", variable.name, base), CAST_LIKE.name, [base, like], {}, type_, span)
    raise needs_element(low, variable, span)


class _Fit(NamedTuple):
    """How numbers fit a set of element types. `unfit`: those that cannot hold them, and why; `rounds_once`: whether
    each of the types gets the same from a constant of float32 or int64 as from the numbers themselves."""

    unfit: Mapping[ElementType, str]
    rounds_once: bool


def _fit(texts: tuple[str, ...], items: tuple[Any, ...], mask: int) -> _Fit:
    """`texts` tells apart in a cache what `==` does not: 1, 1.0 and True, 0.0 and -0.0."""
    elements = elements_of(mask)
    unfit = {element: reason for element in elements if (reason := _does_not_fit(items, element))}
    good = [element for element in elements if element not in unfit]
    return _Fit(unfit, all(survives_float32(item, element) for item in items for element in good))


_FEW = 16  # numbers: so many at most are kept
_kept_fit = lru_cache(maxsize=1 << 10)(_fit)


def _does_not_fit(items: tuple[Any, ...], element: ElementType) -> str:
    """Why one of the items is no value of the element type; empty where all are."""
    try:
        for item in items:
            pack(item, element)
    except DoesNotFitError as error:
        return str(error)
    return ""


def narrow(low: Lowering, variable: ir.TypeVariable, unfit: list[ElementType], why: str) -> bool:
    """Takes types from a variable that no interface promises; False where it is promised or none would be left."""
    taken = sum(1 << element.code for element in unfit)
    if variable.rigid or not variable.mask & ~taken:
        return False
    variable.narrow(~taken, why, low.trail)
    return True


def needs_element(low: Lowering, variable: ir.TypeVariable, span: Span | None) -> Poisoned:
    """Asks for one variant per element type; a variable that the function does not declare cannot be asked about."""
    if variable.name in low.function.variables:
        raise Poisoned(because=Question(variable.name, tuple(element.name for element in variable.elements), span))
    return low.error(
        "OW209",
        f"the element type `{variable.name}` is not known here",
        span,
        reason="a constant needs an element type, and only the caller knows this one",
        help="annotate the input, or declare its type variable",
    )


def _carrier(low: Lowering, items: tuple[Any, ...]) -> ElementType | None:
    """The element type that holds the numbers as they are; None for integers that none holds."""
    if any(isinstance(item, float) for item in items):
        exact = all(to_float32(float(item)) == item or item != item for item in items)
        return low.element_of("float" if exact else "double")
    if all(isinstance(item, bool) for item in items):
        return low.element_of("bool")
    if all(-(1 << 63) <= item < 1 << 63 for item in items):
        return low.element_of("int64")
    return low.element_of("uint64") if all(0 <= item < 1 << 64 for item in items) else None


def is_plain(value: Any) -> bool:
    """A number or a string that is known."""
    return isinstance(value, (bool, int, float, str))


def flatten(value: Any, is_item: Callable[[Any], bool] = is_plain) -> tuple[tuple[int, ...], tuple[Any, ...]] | None:
    """(dims, items) of nested tuples of items; None when they are ragged or hold something else."""
    if not isinstance(value, tuple):
        return ((), (value,)) if is_item(value) else None
    parts = [flatten(item, is_item) for item in value]
    if not parts:
        return (0,), ()
    first = parts[0]
    if first is None or any(part is None or part[0] != first[0] for part in parts):
        return None
    return (len(parts), *first[0]), tuple(item for part in parts if part is not None for item in part[1])


def default_element(low: Lowering, items: tuple[Any, ...]) -> ElementType:
    """What a number becomes with no tensor to meet: INT64, FLOAT or BOOL."""
    if any(isinstance(item, str) for item in items):
        return low.element_of("string")
    if any(isinstance(item, float) for item in items):
        return low.element_of("float")
    if items and all(isinstance(item, bool) for item in items):
        return low.element_of("bool")
    return low.element_of("int64")


# ----------------------------------------------------------------------------------------- unknown numbers


def attribute_value(low: Lowering, parameter: ir.AttributeParameter, span: Span | None) -> ir.Value:
    """The attribute as a tensor of its own type: FLOAT, INT64 or STRING, rank 0 or 1. Refuses one that may be
    absent, and an opset that has no constant which takes it."""
    if not parameter.required and parameter.default is None:
        raise low.fatal(
            "OW326",
            f"`{parameter.name}` may be absent, and has no value then",
            span,
            reason=f"`{parameter.name} = None` makes it an optional attribute",
            help=f"ask first: `if {parameter.name} is not None:`",
        )
    field = f"value_{parameter.kind.value.lower()}"
    form = VALUE_FORMS[field]
    constant = low.operator(CONSTANT.name, span).signature
    if field not in constant.attributes:
        raise low.fatal(
            "OW221",
            f"the attribute `{parameter.name}` cannot be used as a value at opset {low.opset}",
            span,
            reason=f"{constant.identity}, in force there, has no `{field}`: below opset 12 an attribute can only be "
            "handed on to an operator's attribute",
            help=f"compile for opset 12 or newer, or make `{parameter.name}` an input",
            subject=CONSTANT.name,
        )
    type_ = ir.TensorType(low.element_of(form.element), (None,) * form.rank)
    reference = ir.AttributeReference(parameter.name, parameter.kind)
    return low.once(("attribute", parameter.name), CONSTANT.name, [], {field: reference}, type_, span)


def _attribute_tensor(low: Lowering, operand: AttributeOperand, span: Span | None) -> ir.Value:
    """The same of an operand; of a Python bool, which ONNX stores as an INT, a BOOL."""
    value = attribute_value(low, operand.parameter, span)
    if not operand.is_bool:
        return value
    boolean = low.element_of("bool")
    to: dict[str, ir.Attribute] = {"to": ir.AttributeValue(ir.AttributeKind.INT, boolean.code)}
    return low.once(("truth", operand.parameter.name), CAST.name, [value], to, ir.TensorType(boolean, ()), span)


def carried(low: Lowering, operand: Operand, span: Span | None) -> ir.Value:
    """A number as the rank-0 tensor that carries it: BOOL, INT64 or DOUBLE."""
    if is_static_number(operand):
        element = low.element_of(CARRIERS[number_kind(operand)])
        return typed_constant(low, operand, (), element, span)
    if isinstance(operand, AttributeOperand):
        value = _attribute_tensor(low, operand, span)
        if operand.parameter.kind is ir.AttributeKind.FLOAT:
            return cast(low, value, low.element_of("double"), span)
        return value
    assert isinstance(operand, ir.Value)
    return operand


def cast(low: Lowering, value: ir.Value, element: ElementType, span: Span | None) -> ir.Value:
    return Writer(low, span).cast(value, element)


def convert_number(low: Lowering, operand: Operand, element: ir.Element, span: Span | None) -> ir.Value:
    """A number (known or not) as a rank-0 tensor of the element type that it meets."""
    element = ir.settle(element)
    if is_static_number(operand):
        if isinstance(element, ir.TypeVariable):
            return weak_constant(low, operand, (), element, span)
        return typed_constant(low, operand, (), element, span)
    if isinstance(operand, AttributeOperand):
        value = _attribute_tensor(low, operand, span)
        source = "float" if operand.parameter.kind is ir.AttributeKind.FLOAT else "bool" if operand.is_bool else "int64"
    else:
        assert isinstance(operand, ir.Value)
        value, source = operand, CARRIERS[number_kind(operand)]
    _refuse_narrowing(low, operand, element, span)
    element = ir.settle(element)
    if isinstance(element, ElementType):
        if element.name != source:
            return cast(low, value, element, span)
        return value if is_tensor(value) else as_typed(low, value, element)
    like = low.splittable.get(element.name)
    if like is None or low.lookup("", CAST_LIKE.name) is None:
        raise needs_element(low, element, span)

    return Writer(low, span).cast_like(value, like)


def _refuse_narrowing(low: Lowering, operand: Operand, element: ir.Element, span: Span | None) -> None:
    """A float number that meets integers may have a fraction, which nobody can know when the function is built."""
    elements = element.elements if isinstance(element, ir.TypeVariable) else (element,)
    kind = number_kind(operand)
    wrong = [
        item
        for item in elements
        if (kind is ir.NumberKind.FLOAT and not item.is_float)
        or item.kind == "string"
        or (item.kind == "bool" and kind is not ir.NumberKind.BOOL)
    ]
    if not wrong or (isinstance(element, ir.TypeVariable) and narrow(low, element, wrong, f"a {kind.value} number")):
        return
    raise low.error(
        "OW313",
        f"a number of kind {kind.value} meets a tensor that may be {wrong[0].name}",
        span,
        reason="its value is known at run time only, and might not fit",
        help=f"cast it: `op.Cast(..., to={wrong[0].name.upper()})`, or leave {wrong[0].name} out of the declared types",
    )


# --------------------------------------------------------------------------------------------- any operand


def as_tensor(low: Lowering, operand: Operand, element: ir.Element | None, span: Span | None) -> ir.Value:
    """Any operand as a tensor; numbers and lists of them take `element` where it is given."""
    if isinstance(operand, ir.Value):
        if not is_run_time_number(operand):
            return operand
        if element is None:
            return _unmet(low, operand, span)
        return convert_number(low, operand, element, span)
    if isinstance(operand, AttributeOperand):
        if element is None or not is_number(operand):
            return _attribute_tensor(low, operand, span)
        return convert_number(low, operand, element, span)
    found = flatten(operand)
    if found is None:
        need_rank(operand)
        return _of_run_time(low, operand, element, span)
    dims, items = found
    target = ir.settle(element) if element is not None else default_element(low, items)
    if isinstance(target, ir.TypeVariable):
        return weak_constant(low, items if dims else items[0], dims, target, span)
    return typed_constant(low, items, dims, target, span)


def _of_run_time(low: Lowering, operand: Operand, element: ir.Element | None, span: Span | None) -> ir.Value:
    """A shape, or a list that holds more than static values."""
    from opwright.lang.lower.number_lists import list_tensor
    from opwright.lang.lower.shapes import tuple_tensor

    if not isinstance(operand, IntTuple):
        return list_tensor(low, operand, element, span)
    value = tuple_tensor(low, operand, span)
    int64 = low.element_of("int64")
    wanted = int64 if element is None else ir.settle(element)
    if wanted is int64:
        return value
    _refuse_narrowing(low, 0, wanted, span)  # they are ints, whatever their values are
    wanted = ir.settle(wanted)
    if isinstance(wanted, ElementType):
        return cast(low, value, wanted, span)
    like = low.splittable.get(wanted.name)
    if like is None or low.lookup("", CAST_LIKE.name) is None:
        raise needs_element(low, wanted, span)

    return Writer(low, span).cast_like(value, like)


def _unmet(low: Lowering, number: ir.Value, span: Span | None) -> ir.Value:
    """A computed number with no tensor to meet becomes INT64, FLOAT or BOOL."""
    if number_kind(number) is ir.NumberKind.FLOAT:
        return cast(low, number, low.element_of("float"), span)
    element = low.element_of(CARRIERS[number_kind(number)])
    return as_typed(low, number, element)


def as_typed(low: Lowering, number: ir.Value, element: ElementType) -> ir.Value:

    found = Writer(low, number.span).identity(number)
    found.type = ir.TensorType(element, ())
    return found


class _Words(reprlib.Repr):
    """Static values as Python writes them, shortened."""

    def repr_StaticList(self, items: StaticList, level: int) -> str:
        return self.repr_list(list(items), level)


_WORDS = _Words()
_NOUNS = {
    "Absent": "the absent input `{name}`",
    "ArrayObject": "an array",
    "BuiltinObject": "the builtin `{name}`",
    "IntTuple": "a tuple of ints",
    "ModuleObject": "the module `{name}`",
    "NamespaceObject": "a module or class",
    "OnnxFunction": "the function `{name}`",
    "Operator": "the operator {name}",
    "OperatorObject": "the operator {name}",
    "Opset": "an opset",
    "OpsetObject": "an opset",
    "MethodObject": "the method `{name}`",
    "Rank": "a rank",
    "RecordObject": "the namedtuple `{name}`",
    "ScriptObject": "the function `{name}`",
    "SliceItem": "a slice",
    "StaticDict": "a dictionary",
    "StaticIterator": "an iterator",
    "TensorObject": "a TensorProto",
    "TypingObject": "the typing name `{name}`",
}


def describe(operand: Operand) -> str:
    """What an operand is, in the words of a diagnostic."""
    if operand is None:
        return "None"
    if isinstance(operand, TypeObject):
        return f"the type {operand.element.name.upper()}"
    if isinstance(operand, tuple):
        if not _is_written(operand):
            count = "one item" if len(operand) == 1 else f"{len(operand)} items"
            return f"a {'list' if isinstance(operand, StaticList) else 'tuple'} of {count}"
        return f"`{_WORDS.repr(operand)}`"
    if isinstance(operand, (bool, int, float, str)):
        return f"`{reprlib.repr(operand)}`"
    if isinstance(operand, ir.Value):
        return f"a value of type {operand.type!r}"
    if isinstance(operand, AttributeOperand):
        return f"the attribute `{operand.parameter.name}`"
    if isinstance(operand, (FunctionObject, NestedObject)):
        return f"the function `{operand.node.name}`"
    if isinstance(operand, ForeignObject):
        return _describe_object(operand.value)
    return _describe_object(operand)


def _is_written(operand: tuple[Operand, ...]) -> bool:
    """Whether all that it holds can be written down: other objects would be shown by where they lie in memory."""
    pending: list[Operand] = [operand]
    while pending:
        item = pending.pop()
        if isinstance(item, tuple):
            pending.extend(item)
        elif item is not None and not isinstance(item, (bool, int, float, str)):
            return False
    return True


def _describe_object(value: object) -> str:
    kind = type(value)
    form = _NOUNS.get(kind.__name__)
    if form is not None:
        return form.format(name=getattr(value, "name", ""))
    if isinstance(value, type):
        return f"the class `{value.__name__}`"
    return "this object" if kind.__module__.startswith("opwright.") else f"an object of type `{kind.__name__}`"
