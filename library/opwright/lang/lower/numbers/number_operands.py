"""Numbers that meet tensors: a literal, an attribute or a computed number takes the element type of what it meets."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeGuard, TypeVar

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import ElementType, pack_bits
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.lower.nodes.primitives import Writer
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_rank
from opwright.lang.lower.state.poison import Poisoned, Question
from opwright.lang.meaning.objects import ArrayObject, ForeignObject, NamedObject
from opwright.lang.meaning.operands import (
    AttributeOperand,
    Described,
    IntTuple,
    Operand,
    Scalar,
    is_tensor,
    items_in,
    known_int,
    value_of,
)
from opwright.lang.meaning.rounding import DoesNotFitError, pack, survives_float32, to_float32
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Span
from opwright.opsets.record import VALUE_FORMS
from opwright.opsets.records import CAST, CAST_LIKE, CONSTANT
from opwright.opsets.signatures import elements_of

Number = bool | int | float

_kind: Operation[Operand, [], ir.NumberKind | None] = Operation(lambda operand: None)
_kind.on(bool)(lambda operand: ir.NumberKind.BOOL)
_kind.on(int)(lambda operand: ir.NumberKind.INT)
_kind.on(float)(lambda operand: ir.NumberKind.FLOAT)
_kind.on(ir.Value)(lambda operand: operand.type.kind)
_kind.on(AttributeOperand)(lambda operand: operand.number_kind)


def is_static_number(operand: Operand) -> TypeGuard[Number]:
    return isinstance(operand, (bool, int, float))


def number_kind_of(operand: Operand) -> ir.NumberKind | None:
    """Which Python number an operand is, known or unknown until run time; None where it is none."""
    return _kind.of(operand)(operand)


def is_number(operand: Operand) -> bool:
    """A Python number in the language's sense: known, or unknown until run time."""
    return _kind.of(operand)(operand) is not None


def other_value(operand: Operand) -> ir.Value | None:
    """The tensor, the sequence or what else of the graph an operand is, other than a number."""
    value = value_of(operand)
    return None if value is None or value.type.kind is not None else value


def holds_value(operand: Operand) -> bool:
    """Whether a list or tuple holds a tensor, or what else is a value of the graph other than a number."""
    return any(other_value(item) is not None for item in items_in(operand) or ())


def number_kind(operand: Operand) -> ir.NumberKind:
    """Of a number."""
    kind = _kind.of(operand)(operand)
    assert kind is not None
    return kind


# ------------------------------------------------------------------------------------------- known numbers


def pack_constant(
    low: Lowering, value: Scalar | tuple[Scalar, ...], dims: tuple[int, ...], element: ElementType, span: Span | None
) -> ir.TensorData:
    """The data of a constant; `value` is a number or a string, or a flat tuple of those that `dims` hold."""
    items = _items_of(value)
    try:
        if element.kind == "string":
            texts = [item for item in items if isinstance(item, str)]
            if len(texts) < len(items):
                raise DoesNotFitError("not every element is a string")
            return ir.TensorData(element, dims, tuple(item.encode() for item in texts))
        if holds_text(items):
            raise DoesNotFitError(f"a string is not of type {element.name}")
        packed = b"".join(pack(item, element) for item in items)
    except DoesNotFitError as error:
        raise low.error(
            "OW313",
            f"the constant does not fit {element.name}",
            span,
            reason=str(error),
            help="write a value of that type, or cast the tensor first",
            depends_on=Choice.INFERRED_TYPE,
        ) from None
    return ir.TensorData(element, dims, pack_bits(packed, element.bits) if element.bits < 8 else packed)


def _items_of(value: Scalar | tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return value if isinstance(value, tuple) else (value,)


def holds_text(items: Iterable[Scalar]) -> bool:
    return any(isinstance(item, str) for item in items)


def typed_constant(
    low: Lowering, value: Scalar | tuple[Scalar, ...], dims: tuple[int, ...], element: ElementType, span: Span | None
) -> ir.Value:
    """A constant of one element type, as a value."""
    data = pack_constant(low, value, dims, element, span)
    return low.constant(data, span)


def weak_constant(
    low: Lowering,
    value: Scalar | tuple[Scalar, ...],
    dims: tuple[int, ...],
    variable: ir.TypeVariable,
    span: Span | None,
) -> ir.Value:
    """A constant of the caller's element type: cast like a value of it where that rounds once, else per type."""
    items = _items_of(value)
    like = low.splittable.get(variable.name)
    if like is None and variable.name not in low.function.variables:
        raise needs_element(low, variable, span)
    kept = _kept_fit if len(items) <= _FEW else _fit
    fit = kept(tuple(map(repr, items)), items, variable.mask)
    if fit.unfit and not narrow(low, variable, fit.unfit, f"the constant {reprlib.repr(value)}"):
        element = fit.unfit[0]
        raise low.error(
            "OW313",
            f"the constant does not fit {element.name}, which `{variable.name}` admits",
            span,
            reason=_does_not_fit(items, element),
            help=f"leave {element.name} out of `{variable.name}`, or cast to a type that holds the value",
            depends_on=Choice.INFERRED_TYPE,
        )
    settled = ir.known_element(variable)
    if settled is not None:
        return typed_constant(low, value, dims, settled, span)
    if like is not None and fit.rounds_once and fit.carrier and low.target.lookup("", CAST_LIKE.name) is not None:
        base = typed_constant(low, value, dims, low.element_of(fit.carrier), span)
        type_ = ir.TensorType(variable, dims)
        return low.once(("like", variable.name, base), CAST_LIKE.name, [base, like], {}, type_, span)
    raise needs_element(low, variable, span)


class _Fit(NamedTuple):
    """How numbers fit a set of element types. `unfit`: those that cannot hold them; `rounds_once`: whether each of the
    types gets the same from a constant of float32 or int64 as from the numbers themselves; `carrier`: the name of the
    type that holds the numbers as they are, empty for integers that none holds."""

    unfit: tuple[ElementType, ...]
    rounds_once: bool
    carrier: str


def _fit(texts: tuple[str, ...], items: tuple[Scalar, ...], mask: int) -> _Fit:
    """`texts` tells apart in a cache what `==` does not: 1, 1.0 and True, 0.0 and -0.0."""
    elements = elements_of(mask)
    if any(type(item) is not float for item in items):
        unfit = tuple(element for element in elements if _does_not_fit(items, element))
    else:  # floats hold each float, and no other type holds fractions
        unfit = _no_floats(mask)
        if all(isinstance(item, float) and item.is_integer() for item in items):
            unfit = tuple(element for element in unfit if _does_not_fit(items, element))
    numbers = [item for item in items if is_static_number(item)]
    good = elements_of(mask & ~sum(element.mask for element in unfit))
    rounds_once = all(survives_float32(item, element) for item in numbers for element in good)
    return _Fit(unfit, rounds_once, _carrier(numbers))


@lru_cache(maxsize=1 << 8)
def _no_floats(mask: int) -> tuple[ElementType, ...]:
    return tuple(element for element in elements_of(mask) if element.kind != "float")


_FEW = 16  # numbers: so many at most are kept
_kept_fit = lru_cache(maxsize=1 << 10)(_fit)


def _does_not_fit(items: tuple[Scalar, ...], element: ElementType) -> str:
    """Why one of the items is no value of the element type; empty where all are."""
    try:
        for item in items:
            pack(item, element)
    except DoesNotFitError as error:
        return str(error)
    return ""


def narrow(low: Lowering, variable: ir.TypeVariable, unfit: Sequence[ElementType], why: str) -> bool:
    """Takes types from a variable that no interface promises; False where it is promised or none would be left."""
    taken = sum(1 << element.code for element in unfit)
    if variable.rigid or not variable.mask & ~taken:
        return False
    variable.narrow(~taken, why, low.trail)
    return True


ITEMS = "items"  # the name of the element type of a list of which only what is appended tells it


def needs_element(low: Lowering, variable: ir.TypeVariable, span: Span | None) -> Poisoned:
    """Asks for one variant per element type; a variable that the function does not declare cannot be asked about."""
    if variable.name in low.function.variables:
        raise Poisoned(because=Question(variable.name, tuple(element.name for element in variable.elements), span))
    if variable.name == ITEMS and not variable.rigid:
        return low.error(
            "OW209",
            "the element type of the items of a list is not known here",
            span,
            reason="nothing says it but what is appended",
            help="begin with an item, or with `op.SequenceEmpty(dtype=...)`, and append tensors: `xs.append(INT64(i))`",
        )
    return low.error(
        "OW209",
        f"the element type `{variable.name}` is not known here",
        span,
        reason="a constant needs an element type, and only the caller knows this one",
        help="annotate the input, or declare its type variable",
    )


def _carrier(numbers: Sequence[Number]) -> str:
    """The element type that holds the numbers as they are, by its name; empty for integers that none holds."""
    if any(isinstance(item, float) for item in numbers):
        exact = all(to_float32(float(item)) == item or item != item for item in numbers)
        return "float" if exact else "double"
    if all(isinstance(item, bool) for item in numbers):
        return "bool"
    if all(-(1 << 63) <= item < 1 << 63 for item in numbers):
        return "int64"
    return "uint64" if all(0 <= item < 1 << 64 for item in numbers) else ""


def is_plain(value: Operand) -> TypeGuard[Scalar]:
    """A number or a string that is known."""
    return isinstance(value, (bool, int, float, str))


def as_scalar_item(value: Operand) -> Scalar | None:
    """The value, where it is a number or a string that is known."""
    return value if is_plain(value) else None


Item = TypeVar("Item")


def flatten(
    value: Operand, as_item: Callable[[Operand], Item | None]
) -> tuple[tuple[int, ...], tuple[Item, ...]] | None:
    """(dims, items) of nested tuples of items; None when they are ragged or hold something else."""
    if not isinstance(value, tuple):
        item = as_item(value)
        return None if item is None else ((), (item,))
    parts = [flatten(item, as_item) for item in value]
    if not parts:
        return (0,), ()
    first = parts[0]
    if first is None or any(part is None or part[0] != first[0] for part in parts):
        return None
    return (len(parts), *first[0]), tuple(item for part in parts if part is not None for item in part[1])


def default_element(low: Lowering, items: Iterable[Operand]) -> ElementType:
    """What texts and numbers become with no tensor to meet: STRING, INT64, FLOAT or BOOL."""
    kinds = set(map(number_kind_of, items))
    if None in kinds:
        return low.element_of("string")
    if ir.NumberKind.FLOAT in kinds:
        return ir.NumberKind.FLOAT.natural
    return (ir.NumberKind.BOOL if kinds == {ir.NumberKind.BOOL} else ir.NumberKind.INT).natural


def shared_element(
    low: Lowering, operands: Sequence[Operand], spans: Sequence[Span | None] | None = None
) -> ElementType | None:
    """What numbers and lists of them become that have to be of one type, with no tensor to meet: INT64, FLOAT or BOOL,
    which holds all of them; of texts STRING. None where they hold something else, or nothing. Refuses an int that is
    none of float32's where a float is among them."""
    kinds: set[ir.NumberKind | None] = set()  # None: a text
    wide: tuple[int, Span | None] | None = None
    pending = list(zip(operands, spans or [None] * len(operands), strict=True))
    while pending:
        operand, span = pending.pop()
        items, kind, number = items_in(operand), _kind_of_items.of(operand)(operand), known_int(operand)
        if items is None and kind is None and not is_plain(operand):
            return None
        pending.extend((item, span) for item in items or ())
        if items is None:
            kinds.add(kind)
        if number is not None and not _is_float32(number):
            wide = number, span
    if None in kinds:
        return low.element_of("string") if len(kinds) == 1 else None
    if ir.NumberKind.FLOAT not in kinds:
        return low.element_of("bool" if kinds == {ir.NumberKind.BOOL} else "int64") if kinds else None
    if wide is not None:
        raise low.error(
            "OW313",
            f"the constant {reprlib.repr(wide[0])} does not fit float",
            wide[1],
            reason="numbers that have to be of one type are FLOAT where one of them is a float, and float32 rounds it",
            help="make the numbers tensors of a type that holds all of them: `DOUBLE(n)`",
            depends_on=Choice.INFERRED_TYPE,
        )
    return low.element_of("float")


def _is_float32(number: int) -> bool:
    return -_BEYOND_FLOAT32 < number < _BEYOND_FLOAT32 and to_float32(float(number)) == number


_BEYOND_FLOAT32 = 1 << 128


_LISTED = {ir.AttributeKind.INTS: ir.NumberKind.INT, ir.AttributeKind.FLOATS: ir.NumberKind.FLOAT}
# The kind of a number, or of those in a list that is an attribute or a shape.
_kind_of_items: Operation[Operand, [], ir.NumberKind | None] = Operation(number_kind_of)
_kind_of_items.on(IntTuple)(lambda operand: ir.NumberKind.INT)
_kind_of_items.on(AttributeOperand)(lambda operand: operand.number_kind or _LISTED.get(operand.parameter.kind))


# ----------------------------------------------------------------------------------------- unknown numbers


def attribute_value(low: Lowering, parameter: ir.AttributeParameter, span: Span | None) -> ir.Value:
    """The attribute as a tensor of its own type: FLOAT, INT64 or STRING, rank 0 or 1. Refuses one that may be
    absent, and an opset that has no constant which takes it."""
    if parameter.may_be_absent:
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
            f"the attribute `{parameter.name}` cannot be used as a value at opset {low.target.bare_opset}",
            span,
            reason=f"{constant.identity}, the version there, has no `{field}`: below opset 12 an attribute can only be "
            "handed on to an operator's attribute",
            help=f"compile for opset 12 or newer, or make `{parameter.name}` an input",
            subject=CONSTANT.name,
            depends_on=Choice.OPSET,
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
    return _carried.of(operand)(operand, low, span)


def _no_number(operand: Operand, low: Lowering, span: Span | None) -> ir.Value:
    raise AssertionError(f"{describe(operand)} is no number")


_carried: Operation[Operand, [Lowering, Span | None], ir.Value] = Operation(_no_number)
_carried.on(ir.Value)(lambda operand, low, span: operand)


@_carried.on(bool, int, float)
def _carried_constant(operand: Number, low: Lowering, span: Span | None) -> ir.Value:
    return typed_constant(low, operand, (), number_kind(operand).carrier, span)


@_carried.on(AttributeOperand)
def _carried_attribute(operand: AttributeOperand, low: Lowering, span: Span | None) -> ir.Value:
    value = _attribute_tensor(low, operand, span)
    if operand.parameter.kind is ir.AttributeKind.FLOAT:
        return cast(low, value, low.element_of("double"), span)
    return value


def cast(low: Lowering, value: ir.Value, element: ElementType, span: Span | None) -> ir.Value:
    return Writer(low, span).cast(value, element)


def convert_number(low: Lowering, operand: Operand, element: ir.Element, span: Span | None) -> ir.Value:
    """A number (known or not) as a rank-0 tensor of the element type that it meets."""
    return _converted.of(operand)(operand, low, element, span)


def typed_scalar(low: Lowering, operand: Operand, element: ElementType, span: Span | None) -> ir.Value:
    """`FLOAT(0.5)`, `STRING("a")`: a scalar of that element type."""
    if element.kind != "string" and is_number(operand):
        return convert_number(low, operand, element, span)
    if element.kind == "string" and is_plain(operand) and not is_number(operand):
        return typed_constant(low, operand, (), element, span)
    kind = "text" if element.kind == "string" else "number"
    raise low.error(
        "OW314",
        f"{element.name.upper()}(...) takes a {kind}, not {describe(operand)}",
        span,
        reason=f"it makes a typed scalar of a Python {kind}",
        help='a list of texts is a tensor where an operator takes it: `op.Identity(["a", "b"])`'
        if element.kind == "string" and items_in(operand) is not None
        else "to convert a tensor write `op.Cast(x, to=...)`",
        depends_on=Choice.RANK | Choice.INFERRED_TYPE,
    )


def _not_converted(operand: Operand, low: Lowering, element: ir.Element, span: Span | None) -> ir.Value:
    return _no_number(operand, low, span)


_converted: Operation[Operand, [Lowering, ir.Element, Span | None], ir.Value] = Operation(_not_converted)


@_converted.on(bool, int, float)
def _converted_constant(operand: Number, low: Lowering, element: ir.Element, span: Span | None) -> ir.Value:
    return constant_of(low, operand, element, span)


@_converted.on(AttributeOperand)
def _converted_attribute(operand: AttributeOperand, low: Lowering, element: ir.Element, span: Span | None) -> ir.Value:
    value = _attribute_tensor(low, operand, span)
    assert is_tensor(value)
    return run_time_as(low, value, value.type.known_element, number_kind(operand), element, span)


@_converted.on(ir.Value)
def _converted_value(operand: ir.Value, low: Lowering, element: ir.Element, span: Span | None) -> ir.Value:
    kind = number_kind(operand)
    return run_time_as(low, operand, kind.carrier, kind, element, span)


def constant_of(low: Lowering, number: Number, element: ir.Element, span: Span | None) -> ir.Value:
    """A number as a constant of the element type that it meets."""
    return constant_items(low, number, (), element, span)


def constant_items(
    low: Lowering,
    value: Scalar | tuple[Scalar, ...],
    dims: tuple[int, ...],
    element: ir.Element,
    span: Span | None,
) -> ir.Value:
    """A constant of the element type that it meets, whether that is known or is the caller's."""
    variable = ir.open_element(element)
    if variable is not None:
        return weak_constant(low, value, dims, variable, span)
    known = ir.known_element(element)
    assert known is not None
    return typed_constant(low, value, dims, known, span)


def run_time_as(
    low: Lowering,
    value: ir.Value,
    source: ElementType | None,
    kind: ir.NumberKind,
    wanted: ir.Element,
    span: Span | None,
) -> ir.Value:
    """Numbers of a kind, which a value holds in the element type `source`, in the element type that they meet."""
    _refuse_narrowing(low, kind, ir.settle(wanted), span)
    element, variable = ir.known_element(wanted), ir.open_element(wanted)
    if element is not None:
        if element is not source:
            return cast(low, value, element, span)
        return value if is_tensor(value) else as_typed(low, value, element)
    assert variable is not None
    like = low.splittable.get(variable.name)
    if like is None or low.target.lookup("", CAST_LIKE.name) is None:
        raise needs_element(low, variable, span)
    return Writer(low, span).cast_like(value, like)


def _refuse_narrowing(low: Lowering, kind: ir.NumberKind, element: ir.Element, span: Span | None) -> None:
    """A float number that meets integers may have a fraction, which is unknown when the function is built."""
    elements, variable = element.elements, ir.open_element(element)
    wrong = [
        item
        for item in elements
        if (kind is ir.NumberKind.FLOAT and not item.is_float)
        or item.kind == "string"
        or (item.kind == "bool" and kind is not ir.NumberKind.BOOL)
    ]
    if not wrong or (variable is not None and narrow(low, variable, wrong, f"a {kind.value} number")):
        return
    wide = "FLOAT" if kind is ir.NumberKind.FLOAT else "INT64"
    raise low.error(
        "OW313",
        f"a number of kind {kind.value} meets a tensor that may be {wrong[0].name}",
        span,
        reason="its value is known at run time only, and might not fit",
        help=f"cast the tensor: `op.Cast(x, to={wide})`"
        + ("" if variable is None else f", or leave {wrong[0].name} out of the declared types"),
        depends_on=Choice.INFERRED_TYPE,
    )


# --------------------------------------------------------------------------------------------- any operand


def as_tensor(low: Lowering, operand: Operand, element: ir.Element | None, span: Span | None) -> ir.Value:
    """Any operand as a tensor; numbers and lists of them take `element` where it is given."""
    return tensors.of(operand)(operand, low, element, span)


def _plain_tensor(operand: Operand, low: Lowering, element: ir.Element | None, span: Span | None) -> ir.Value:
    """A number or text that is known; nothing else is a tensor that has no rule of its own."""
    item = as_scalar_item(operand)
    if item is None:
        need_rank(operand)
        raise low.error(
            "OW325",
            f"{describe(operand)} is not a tensor",
            span,
            reason="an input of an operator is a tensor, a number or a list of numbers",
            depends_on=Choice.LOOP_FORM,
        )
    return constant_items(low, item, (), default_element(low, (item,)) if element is None else element, span)


# What becomes of an operand where a tensor is wanted. Lists and shapes have their rules in `number_lists.py` and
# `shapes.py`.
tensors: Operation[Operand, [Lowering, ir.Element | None, Span | None], ir.Value] = Operation(_plain_tensor)


@tensors.on(ir.Value)
def _value_tensor(operand: ir.Value, low: Lowering, element: ir.Element | None, span: Span | None) -> ir.Value:
    if operand.type.kind is None:
        return operand
    if element is None:
        return _unmet(low, operand, span)
    return _converted_value(operand, low, element, span)


@tensors.on(AttributeOperand)
def _attribute_as_tensor(
    operand: AttributeOperand, low: Lowering, element: ir.Element | None, span: Span | None
) -> ir.Value:
    if element is None or operand.number_kind is None:
        return _attribute_tensor(low, operand, span)
    return _converted_attribute(operand, low, element, span)


def _unmet(low: Lowering, number: ir.Value, span: Span | None) -> ir.Value:
    """A computed number with no tensor to meet becomes INT64, FLOAT or BOOL."""
    kind = number_kind(number)
    if kind.natural is not kind.carrier:
        return cast(low, number, kind.natural, span)
    return as_typed(low, number, kind.carrier)


def as_typed(low: Lowering, number: ir.Value, element: ElementType) -> ir.Value:

    found = Writer(low, number.span).identity(number)
    found.type = ir.TensorType(element, ())
    return found


class _Words(reprlib.Repr):
    """Static values as Python writes them, shortened."""

    def repr_StaticList(self, items: StaticList, level: int) -> str:
        return self.repr_list(list(items), level)


_WORDS = _Words()
# What objects of the language are called that live outside of it.
_NOUNS = {
    "OnnxFunction": "the function `{name}`",
    "Operator": "the operator {name}",
    "Opset": "an opset",
}


def describe(operand: Operand) -> str:
    """What an operand is, in the words of a diagnostic."""
    return _description.of(operand)(operand)


def how_to_agree(first: Operand, second: Operand) -> str:
    """What to do where two values have no common type."""
    if {number_kind_of(first), number_kind_of(second)} != {ir.NumberKind.INT, ir.NumberKind.FLOAT}:
        return "cast one of them"
    known = known_int(first if number_kind_of(first) is ir.NumberKind.INT else second)
    return f"make a float of the int: `{'float(n)' if known is None else reprlib.repr(known) + '.0'}`"


def _describe_object(value: object) -> str:
    kind = type(value)
    form = _NOUNS.get(kind.__name__)
    if form is not None:
        return form.format(name=getattr(value, "name", ""))
    if isinstance(value, type):
        return f"the class `{value.__name__}`"
    return "this object" if kind.__module__.startswith("opwright.") else f"an object of type `{kind.__name__}`"


_description: Operation[Operand, [], str] = Operation(_describe_object)
_description.on(type(None))(lambda operand: "None")
_description.on(bool, int, float, str)(lambda operand: f"`{reprlib.repr(operand)}`")
_description.on(ir.Value)(lambda operand: f"a value of type {operand.type!r}")
_description.on(Described)(lambda operand: operand.described)
_description.on(NamedObject)(lambda operand: operand.described)
_description.on(ArrayObject)(lambda operand: "an array")
_description.on(ForeignObject)(lambda operand: _describe_object(operand.value))


@_description.on(tuple)
def _describe_tuple(operand: tuple[Operand, ...]) -> str:
    return f"`{_WORDS.repr(operand)}`" if _is_written(operand) else f"a tuple of {_count(operand)}"


@_description.on(StaticList)
def _describe_list(operand: StaticList) -> str:
    return f"`{_WORDS.repr(operand)}`" if _is_written(operand) else f"a list of {_count(operand)}"


def _count(operand: tuple[Operand, ...]) -> str:
    return "one item" if len(operand) == 1 else f"{len(operand)} items"


def _is_written(operand: tuple[Operand, ...]) -> bool:
    """Whether all that it holds can be written down: other objects would be shown by where they lie in memory."""
    pending: list[Operand] = [operand]
    while pending:
        item = pending.pop()
        if isinstance(item, tuple):
            pending.extend(item)
        elif item is not None and not is_plain(item):
            return False
    return True
