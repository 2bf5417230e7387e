"""Constants that Python holds as arrays and scalars of numpy.

A graph has tensors for both. What Python computes with an array alone is checked (`array_arithmetic`), and attributes
take the number of a scalar. numpy's float64 and int64 scalars are Python's numbers, and never come here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import numbers_of
from opwright.lang.meaning.numpy_values import listed, number_of
from opwright.lang.meaning.objects import ArrayObject, PartialObject
from opwright.lang.meaning.operands import Operand, StaticDict, items_in
from opwright.lang.meaning.rounding import pack
from opwright.lang.meaning.static import StaticList, StaticNamed, is_int, of_numpy
from opwright.lang.text.source import Span


def array_constant(low: Lowering, data: ir.TensorData, span: Span | None) -> ir.Value:
    """A constant that Python holds as an array of numpy."""
    made = low.constant(data, span)
    low.trail.put(low.held.known_arrays, made, data)
    low.trail.put(low.held.arrays, made, None)
    return made


def scalar_constant(low: Lowering, data: ir.TensorData, span: Span | None) -> ir.Value:
    """A constant that Python holds as a scalar of numpy: attributes take its number."""
    made = array_constant(low, data, span)
    note_scalar(low, made, data)
    return made


def note_scalar(low: Lowering, made: ir.Value, data: ir.TensorData) -> None:
    """Remembers that Python holds a scalar of numpy; one of a type that Python has no numbers of stays an array."""
    low.trail.put(low.held.known_arrays, made, data)
    low.trail.put(low.held.arrays, made, None)
    number = number_of(data)
    if number is not None:
        low.trail.put(low.held.scalars, made, number)


def item_of_array(low: Lowering, owner: Operand, index: Sequence[object], span: Span) -> Operand | None:
    """The item of an array of numpy at a known place: Python's number, or a scalar of numpy as a constant. None of
    everything else."""
    data = low.held.known_arrays.get(owner) if isinstance(owner, ir.Value) else None
    if data is None or data.packed is None or data.element.bits % 8 or len(index) != len(data.dims) or not index:
        return None
    place = 0
    for at, size in zip(index, data.dims, strict=True):
        if not is_int(at) or not -size <= at < size:
            return None
        place = place * size + at % size
    width = data.element.bits // 8
    item = ir.TensorData(data.element, (), data.packed[place * width : (place + 1) * width])
    number = number_of(item)
    if number is None or data.element.name not in _NUMBERS:
        return scalar_constant(low, item, span)
    return of_numpy(number)


_NUMBERS = ("double", "int64")


def captured_constants(low: Lowering, found: Operand, span: Span) -> Operand:
    """An object from around the function, its arrays as constants: those in lists, dictionaries, namedtuples and
    partial functions too."""
    return _captured.of(found)(found, low, span)


_captured: Operation[Operand, [Lowering, Span], Operand] = Operation(lambda found, low, span: found)
_NO_ARRAYS = {bool, int, float, str, type(None)}


@_captured.on(ArrayObject)
def _captured_array(found: ArrayObject, low: Lowering, span: Span) -> Operand:
    return (scalar_constant if found.is_scalar else array_constant)(low, found.data, span)


@_captured.on(StaticDict)
def _captured_dictionary(found: StaticDict, low: Lowering, span: Span) -> Operand:
    return _captured_once(low, found, found.entries.values(), span, partial(_dictionary, found))


def _dictionary(found: StaticDict, items: Sequence[Operand]) -> StaticDict:
    return StaticDict(dict(zip(found.entries, items, strict=True)))


@_captured.on(PartialObject)
def _captured_partial(found: PartialObject, low: Lowering, span: Span) -> Operand:
    given = (*found.positional, *found.keywords.values())
    return _captured_once(low, found, given, span, partial(_partial, found))


def _partial(found: PartialObject, items: Sequence[Operand]) -> PartialObject:
    count = len(found.positional)
    return PartialObject(found.function, tuple(items[:count]), dict(zip(found.keywords, items[count:], strict=True)))


@_captured.on(tuple)
def _captured_tuple(found: tuple[Operand, ...], low: Lowering, span: Span) -> Operand:
    return _captured_once(low, found, found, span, tuple)


@_captured.on(StaticList)
def _captured_list(found: StaticList, low: Lowering, span: Span) -> Operand:
    return _captured_once(low, found, found, span, StaticList)


@_captured.on(StaticNamed)
def _captured_record(found: StaticNamed, low: Lowering, span: Span) -> Operand:
    return _captured_once(low, found, found, span, partial(StaticNamed, found.record))


def _captured_once(
    low: Lowering,
    found: Operand,
    items: Collection[Operand],
    span: Span,
    rebuilt: Callable[[Sequence[Operand]], Operand],
) -> Operand:
    """What a collection becomes: itself where it has no arrays. A function may read a large one in every line, so that
    it is looked through once."""
    known = low.held.captured.get(id(found))
    if known is None:
        made = found
        if not {*map(type, items)} <= _NO_ARRAYS:
            constants = [captured_constants(low, item, span) for item in items]
            if any(one is not other for one, other in zip(constants, items, strict=True)):
                made = rebuilt(constants)
        known = found, made
        low.trail.put(low.held.captured, id(found), known)
    return known[1]


def with_numbers(low: Lowering, operand: Operand) -> Operand:
    """Scalars of numpy as their numbers, where a graph has no tensor: in attributes, and in Python's own functions."""
    return _with_numbers.of(operand)(operand, low) if low.held.scalars else operand


_with_numbers: Operation[Operand, [Lowering], Operand] = Operation(lambda operand, low: operand)
_with_numbers.on(ir.Value)(lambda operand, low: low.held.scalars.get(operand, operand))
_with_numbers.on(tuple)(lambda operand, low: tuple(with_numbers(low, item) for item in operand))
_with_numbers.on(StaticList)(lambda operand, low: StaticList(with_numbers(low, item) for item in operand))


def with_lists(low: Lowering, operand: Operand, span: Span | None) -> Operand:
    """An array of numpy as its number or list, and a range as its list: what attributes take that hold no tensor."""
    return _with_lists.of(operand)(operand, low, span)


_with_lists: Operation[Operand, [Lowering, Span | None], Operand] = Operation(lambda operand, low, span: operand)
_with_lists.on(range)(lambda operand, low, span: numbers_of(low, operand, span))
_with_lists.on(ArrayObject)(lambda operand, low, span: _listed_or(operand, operand.data))
_with_lists.on(ir.Value)(lambda operand, low, span: _listed_or(operand, low.held.known_arrays.get(operand)))


def _listed_or(operand: Operand, data: ir.TensorData | None) -> Operand:
    found = None if data is None else listed(data)
    return operand if found is None else found


def list_of_scalars(low: Lowering, operand: Operand) -> ir.TensorData | None:
    """`[np.float32(1), np.float32(2)]` as an array of one axis; None for anything else."""
    items = (items_in(operand) if low.held.scalars else None) or ()
    numbers = [_number.of(item)(item, low) for item in items]
    elements = {number[1] for number in numbers if number is not None}
    if None in numbers or len(elements) != 1:
        return None
    (element,) = elements
    data = b"".join(pack(number[0], element) for number in numbers if number is not None)
    return ir.TensorData(element, (len(items),), data)


_Typed = tuple[bool | int | float, ElementType]
_number: Operation[Operand, [Lowering], _Typed | None] = Operation(lambda operand, low: None)


@_number.on(ir.Value)
def _number_of_scalar(operand: ir.Value, low: Lowering) -> _Typed | None:
    return (low.held.scalars[operand], low.held.known_arrays[operand].element) if operand in low.held.scalars else None
