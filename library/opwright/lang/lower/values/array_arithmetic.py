"""Arrays of numpy among themselves: what Python computes with them before they meet a tensor.

A constant is a tensor of the graph, while Python holds an array. Their operators are the same but for a few, which are
refused.
"""

from __future__ import annotations

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.lower.nodes.primitives import Writer, as_number
from opwright.lang.lower.numbers.number_operands import describe, is_number, is_static_number, number_kind
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.values.tuples import is_tuple
from opwright.lang.meaning.numpy_values import number_of
from opwright.lang.meaning.operands import Operand, items_in
from opwright.lang.meaning.rounding import pack
from opwright.lang.meaning.static import COMPARE, Float64, Int64
from opwright.lang.text.source import Span


def check_arrays(low: Lowering, symbol: str, operands: tuple[Operand, Operand], span: Span) -> bool:
    """Whether Python computes with arrays or scalars of numpy alone; refuses what numpy gives and the graph does not.

    A graph keeps the type of an array where numpy computes in a wider one: with its own numbers, lists, other arrays.
    """
    elements = [element for item in operands if (element := _held_element(low, item)) is not None]
    if not elements:
        return all(map(is_number, operands)) and any(is_array(low, item) for item in operands)
    numbers = [item for item in operands if is_number(item)]
    fractions = any(number_kind(item) is ir.NumberKind.FLOAT for item in numbers)
    ints = any(element.is_integer or element.kind == "bool" for element in elements)
    alone = len(elements) + len(numbers) == len(operands)
    if alone and ints and (symbol == "/" or fractions):
        raise low.error(
            "OW314",
            f"`{symbol}` of an array of ints" + (" and a float" if fractions else ""),
            span,
            reason="numpy makes an array of floats; in a graph it would hold ints",
            help="compute it at module level, or begin with floats: `np.array([1.0, 2.0], dtype=np.float32)`",
            depends_on=Choice.INFERRED_TYPE,
        )
    for one, other in (operands, operands[::-1]):
        element = _held_element(low, one)
        if element is not None and not _kept.of(other)(other, low, symbol, element):
            raise low.error(
                "OW314",
                f"`{symbol}` of numpy's {element.name} and {describe(other)}",
                span,
                reason="numpy computes it in another type than the array's, which a graph keeps",
                help="compute it at module level, or make both arrays of one type",
                depends_on=Choice.INFERRED_TYPE,
            )
    return alone or any(map(is_tuple, operands))


_WIDEST = ("int64", "double")  # an int64 of numpy leaves arrays of these as they are


def _keeps_by_default(other: Operand, low: Lowering, symbol: str, element: ElementType) -> bool:
    """Whether numpy computes with an array in the type of that: with numbers of Python, which take it, with lists and
    other arrays of it."""
    if is_array(low, other) and is_number(other) and number_kind(other) is not ir.NumberKind.BOOL:
        return element.name in _WIDEST if number_kind(other) is ir.NumberKind.INT else element.name == "double"
    if is_tuple(other):
        kind = _of_list(other)
        return kind in ("int64", element.name) if symbol in COMPARE else kind == element.name and symbol != "/"
    return symbol != "**" or _held_element(low, other) in (None, element)


_kept: Operation[Operand, [Lowering, str, ElementType], bool] = Operation(_keeps_by_default)
_kept.on(Int64)(lambda other, low, symbol, element: symbol in COMPARE or element.name in _WIDEST)


@_kept.on(Float64)
def _keeps_with_double(other: Float64, low: Lowering, symbol: str, element: ElementType) -> bool:
    return element.name == "double" or (symbol in COMPARE and _is_held_by(element, other))


def _is_held_by(element: ElementType, number: float) -> bool:
    if element.is_integer or element.kind == "bool":
        return False
    return number_of(ir.TensorData(element, (), pack(number, element))) == number


def holds_array(low: Lowering, operand: Operand) -> bool:
    """Whether Python holds an array of numpy that can change in place: no scalar, which results of rank 0 are."""
    if (
        not isinstance(operand, ir.Value)
        or not is_array(low, operand)
        or operand in low.held.scalars
        or is_number(operand)
    ):
        return False
    return operand in low.held.known_arrays or operand.type.rank != 0


def _held_element(low: Lowering, operand: Operand) -> ElementType | None:
    """The type of an array or scalar of numpy that Python holds; None of all else, numbers too."""
    if not isinstance(operand, ir.Value) or operand not in low.held.arrays:
        return None
    data = low.held.known_arrays.get(operand)
    found = operand.type.element if data is None else data.element
    return found if isinstance(found, ElementType) else None


def _of_list(items: Operand) -> str:
    """The type of the array that numpy makes of a list of known numbers; empty where it is no such list."""
    kinds = {number_kind(item) if is_static_number(item) else None for item in items_in(items) or ()}
    if kinds <= {ir.NumberKind.INT, ir.NumberKind.BOOL} and ir.NumberKind.INT in kinds:
        return "int64"
    return "double" if ir.NumberKind.FLOAT in kinds and None not in kinds else ""


def is_array(low: Lowering, operand: Operand) -> bool:
    """Whether Python holds an array or a scalar of numpy."""
    return isinstance(operand, ir.Value) and operand in low.held.arrays


def computed_by_numpy(low: Lowering, result: Operand, span: Span) -> Operand:
    """What numpy makes of an array, by an operator or a subscript: an array, or of rank 0 a scalar, which is a number
    where its type is one of Python's."""
    if not isinstance(result, ir.Value):
        return result
    element = ir.known_element(result.type.element) if result.type.rank == 0 else None
    if element is not None and element.name in _KINDS:
        fresh = Writer(low, span).identity(result) if result in low.held.arrays else result
        result = as_number(fresh, _KINDS[element.name])
    note_array(low, result)
    return result


_KINDS = {"int64": ir.NumberKind.INT, "double": ir.NumberKind.FLOAT}


def note_array(low: Lowering, result: Operand) -> None:
    """Remembers that Python holds an array of numpy, or an item of one."""
    if isinstance(result, ir.Value):
        low.trail.put(low.held.arrays, result, None)
