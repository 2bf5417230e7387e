"""Constants that Python holds as arrays and scalars of numpy.

A graph has tensors for both. What Python computes with an array alone is checked (`array_arithmetic`), and attributes
take the number of a scalar. numpy's float64 and int64 scalars are Python's numbers, and never come here.
"""

from __future__ import annotations

from opwright.lang import ir
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.operands import Operand, StaticDict
from opwright.lang.numpy_values import number_of
from opwright.lang.objects import ArrayObject
from opwright.lang.source import Span
from opwright.lang.static import StaticList, StaticNamed


def array_constant(low: Lowering, data: ir.TensorData, span: Span | None) -> ir.Value:
    """A constant that Python holds as an array of numpy."""
    made = low.constant(data, span)
    low.trail.put(low.known_arrays, made, data)
    if data.element.is_integer or data.element.kind == "bool":
        low.trail.put(low.arrays, made, None)
    return made


def scalar_constant(low: Lowering, data: ir.TensorData, span: Span | None) -> ir.Value:
    """A constant that Python holds as a scalar of numpy: attributes take its number."""
    made = array_constant(low, data, span)
    note_scalar(low, made, data)
    return made


def note_scalar(low: Lowering, made: ir.Value, data: ir.TensorData) -> None:
    """Remembers that Python holds a scalar of numpy; one of a type that Python has no numbers of stays an array."""
    low.trail.put(low.known_arrays, made, data)
    number = number_of(data)
    if number is not None:
        low.trail.put(low.scalars, made, number)


def captured_constants(low: Lowering, found: Operand, span: Span) -> Operand:
    """An object from around the function, its arrays as constants: those in lists, dictionaries and namedtuples too."""
    if isinstance(found, ArrayObject):
        return (scalar_constant if found.is_scalar else array_constant)(low, found.data, span)
    if isinstance(found, StaticDict):
        entries = {key: captured_constants(low, item, span) for key, item in found.entries.items()}
        return found if all(entries[key] is item for key, item in found.entries.items()) else StaticDict(entries)
    if not isinstance(found, tuple) or {*map(type, found)} <= _NO_ARRAYS:
        return found
    items = [captured_constants(low, item, span) for item in found]
    if all(one is other for one, other in zip(items, found, strict=True)):
        return found
    if isinstance(found, StaticNamed):
        return StaticNamed(found.record, items)
    return StaticList(items) if isinstance(found, StaticList) else tuple(items)


_NO_ARRAYS = {bool, int, float, str, type(None)}


def with_numbers(low: Lowering, operand: Operand) -> Operand:
    """Scalars of numpy as their numbers, where a graph has no tensor: in attributes, and in Python's own functions."""
    if isinstance(operand, ir.Value):
        return low.scalars.get(operand, operand)
    if not low.scalars or not isinstance(operand, tuple):
        return operand
    items = [with_numbers(low, item) for item in operand]
    return StaticList(items) if isinstance(operand, StaticList) else tuple(items)


def list_of_scalars(low: Lowering, operand: Operand) -> ir.TensorData | None:
    """`[np.float32(1), np.float32(2)]` as an array of one axis; None for anything else."""
    if not low.scalars or not isinstance(operand, tuple):
        return None
    found = [low.known_arrays.get(item) if isinstance(item, ir.Value) else None for item in operand]
    parts = [data.data for data in found if data is not None and not data.dims and isinstance(data.data, bytes)]
    elements = {data.element for data in found if data is not None}
    if not parts or len(parts) != len(found) or len(elements) != 1:
        return None
    return ir.TensorData(elements.pop(), (len(parts),), b"".join(parts))
