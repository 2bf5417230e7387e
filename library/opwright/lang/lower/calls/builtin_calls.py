"""Calls of Python's builtins, of `math` and of element types: folded, or on numbers of the run time."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.lower.calls.nested import make_partial
from opwright.lang.lower.expressions.arithmetic import unary
from opwright.lang.lower.expressions.number_functions import call_number_builtin, call_number_math
from opwright.lang.lower.nodes.held_arrays import scalar_constant, with_numbers
from opwright.lang.lower.numbers.number_operands import convert_number, is_static_number, typed_scalar
from opwright.lang.lower.rules import calls
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static
from opwright.lang.lower.values.lists import LIST_BUILTINS, call_list_builtin, items_of
from opwright.lang.lower.values.sequences import is_list
from opwright.lang.lower.values.static_calls import MODULES, call_constant
from opwright.lang.lower.values.static_records import call_namedtuple
from opwright.lang.lower.values.tuples import holds_runtime
from opwright.lang.meaning import static
from opwright.lang.meaning.numpy_values import PYTHON_NUMBERS
from opwright.lang.meaning.objects import BuiltinObject, NamedObject, TypeObject
from opwright.lang.meaning.operands import (
    Arguments,
    Environment,
    Operand,
    SliceItem,
    StaticDict,
    StaticIterator,
    StaticView,
    is_sequence,
    is_static,
)
from opwright.lang.text.source import Span

# What to write for a tensor, or for a number of the run time, instead.
_INSTEAD = {
    "divmod": "write `x // y, x % y`",
    "float": "cast it: `op.Cast(x, to=FLOAT)`",
    "int": "cast it: `op.Cast(x, to=INT64)`",
    "max": "use `op.Max(a, b)`, or `op.ReduceMax(x, keepdims=0)`",
    "min": "use `op.Min(a, b)`, or `op.ReduceMin(x, keepdims=0)`",
    "round": "use `op.Round(x)`",
    "sum": "use `op.Sum(a, b)`; over the first axis, as Python's, `op.ReduceSum(x, [0], keepdims=0)`",
}
_OF_A_LIST = {"max": "op.Max", "min": "op.Min", "sum": "op.Add"}  # what two items are put together by

_RUN_THROUGH = ("fsum", "max", "min", "prod", "sorted", "sum")  # what takes an iterator
_OF_ITEMS = ("bool", "len", *_RUN_THROUGH)  # what the keys of a dictionary, or the items of a view, decide
_OF_SCALARS = ("bool", "float", "int")  # what makes a number of a scalar of numpy, as functions of `math` do
_SHALLOW = ("bool", "len")  # what the items of a list are does not matter


@calls(BuiltinObject)
def call_builtin(low: Lowering, callee: BuiltinObject, arguments: Arguments, env: Environment) -> Operand:
    """`len(x)`, `math.sqrt(2)`, ...: on static values Python's own, on numbers of the run time a few of them."""
    if callee.module == "collections":
        return call_namedtuple(low, arguments)
    if callee.module == "functools":
        return make_partial(low, arguments)
    if callee.module in MODULES:
        return call_constant(low, callee, arguments)
    span = arguments.span
    values = [operand for operand, _ in arguments.positional]
    if not callee.module and callee.name == "print":
        raise low.error("OW304", "`print` gives no value", span, "a graph has no output but its results", "")
    if not callee.module and callee.name == "isinstance":
        return _is_list(low, values, arguments)
    if not callee.module and callee.name in LIST_BUILTINS:
        return call_list_builtin(low, callee.name, arguments.positional, arguments.keywords, span)
    values = [
        items_of(low, value, span, callee.name)
        if callee.name in _OF_ITEMS and isinstance(value, (StaticDict, StaticView))
        else value
        for value in values
    ]
    if not callee.module and callee.name == "slice":
        return _slice(low, values, arguments)
    if any(isinstance(value, StaticIterator) for value in values):
        if callee.name not in _RUN_THROUGH or not isinstance(values[0], StaticIterator):
            raise low.error(
                "OW312", f"`{callee.name}` has no value here", span, "Python does not accept an iterator there"
            )
        if len(values) > 1 and (callee.name != "sum" or isinstance(values[1], StaticIterator)):
            raise low.error("OW312", f"`{callee.name}` has no value here", span, "Python does not compare iterators")
        values[0] = items_of(low, values[0], span, f"`{callee.name}`")
    if callee.module or callee.name in _OF_SCALARS:
        values = [with_numbers(low, value) for value in values]
    if not arguments.keywords and not callee.module:
        found = call_number_builtin(low, callee.name, values, span)
        if found is not None:
            return found
        if callee.name == "abs" and len(values) == 1 and not is_static(values[0]):
            return unary(low, "abs", values[0], span, arguments.positional[0][1])
    if not arguments.keywords and callee.module == "math":
        found = call_number_math(low, callee.name, values, span)
        if found is not None:
            return found
    if callee.name not in _SHALLOW:
        need_static(low, tuple(values), span)
    return _fold(low, callee, values, arguments)


def _slice(low: Lowering, values: list[Operand], arguments: Arguments) -> Operand:
    """`slice(stop)`, `slice(start, stop[, step])`: what `start:stop:step` is between brackets."""
    if arguments.keywords or not 1 <= len(values) <= 3:
        raise low.error("OW203", "`slice` takes one to three bounds", arguments.span, "it has Python's signature")
    return SliceItem(None, values[0]) if len(values) == 1 else SliceItem(*values)


def _is_list(low: Lowering, values: list[Operand], arguments: Arguments) -> Operand:
    """`isinstance(x, list)`: a static question, since every value is a list or is none."""
    wanted = values[1] if len(values) == 2 and not arguments.keywords else None
    if not (isinstance(wanted, BuiltinObject) and (wanted.module, wanted.name) == ("", "list")):
        raise low.error(
            "OW304",
            "`isinstance` tells lists from everything else, and no more",
            arguments.span,
            reason="a value's element type and rank are asked for with `x.dtype` and `x.rank`",
            help="write `isinstance(x, list)`",
        )
    if isinstance(values[0], ir.Value) and isinstance(values[0].type, ir.UnknownType):
        raise low.error(
            "OW314",
            "whether this is a list is not known",
            arguments.span,
            reason="the type of the value does not follow from those of the inputs",
            help="annotate it: `x: FLOAT[...] = ...`",
            depends_on=Choice.RANK | Choice.INFERRED_TYPE,
        )
    return is_list(values[0])


def _fold(low: Lowering, callee: BuiltinObject, values: list[Operand], arguments: Arguments) -> Operand:
    span = arguments.span
    label = f"math.{callee.name}" if callee.module else callee.name
    known = [is_static(value) if callee.name in _SHALLOW else not holds_runtime(value) for value in values]
    if arguments.keywords:
        name, (_, place) = next(iter(arguments.keywords.items()))
        raise low.error(
            "OW304",
            f"`{label}` takes no argument `{name}` here",
            place,
            reason="the language has it with the arguments alone that are given by position",
            help="write `tuple(reversed(sorted(xs)))`" if (label, name) == ("sorted", "reverse") else "",
        )
    if not all(known) or any(isinstance(value, NamedObject) for value in values):
        raise low.error(
            "OW304",
            f"`{label}` takes values that are known when the function is built",
            span,
            reason="it is evaluated by the compiler, not by the graph",
            help=_instead(low, callee, values),
        )
    try:
        if callee.module:
            return static.call_math(callee.name, values)
        if callee.name not in static.BUILTINS:
            raise low.error("OW304", f"`{label}` can be used in `for` only", span, "it has no value outside a loop", "")
        made = static.call_builtin(callee.name, values)
    except static.StaticError as error:
        raise low.no_value(error, f"`{label}` has no value here", span) from None
    given = (*values, *(item for value in values if isinstance(value, tuple) for item in value))
    if isinstance(made, static.StaticList) and all(made is not item for item in given):
        return low.lists.made(made)
    return made  # `max` and others give one of what they were given, which the caller or the module may hold


def _instead(low: Lowering, callee: BuiltinObject, values: Sequence[Operand]) -> str:
    if not callee.module and callee.name in _OF_A_LIST and any(map(is_sequence, values)):
        return f"loop over the list: `for y in ys:`, `total = {_OF_A_LIST[callee.name]}(total, y)`"
    if not callee.module and callee.name in _INSTEAD:
        return _INSTEAD[callee.name]
    operator = callee.name.capitalize()
    if low.target.lookup("", operator) is None:
        return ""
    return f"use the operator on a tensor: `op.{operator}(x)`; a number `n` becomes one by `FLOAT(n)`"


@calls(TypeObject)
def _make_scalar(low: Lowering, callee: TypeObject, arguments: Arguments, env: Environment) -> Operand:
    """`FLOAT(0.5)`: a scalar of that element type."""
    if len(arguments.positional) != 1 or arguments.keywords:
        raise low.error("OW203", f"{callee.element.name.upper()}(...) takes one number", arguments.span)
    operand, place = arguments.positional[0]
    if callee.of_numpy:
        operand = with_numbers(low, operand)
    if not callee.of_numpy or not is_static_number(operand):
        return typed_scalar(low, operand, callee.element, place)
    if callee.element.name in PYTHON_NUMBERS:
        return _python_number(low, callee.element.name, operand, place)
    number = bool(operand) if callee.element.kind == "bool" else operand
    data = low.contents.get(convert_number(low, number, callee.element, place))
    assert data is not None
    return scalar_constant(low, data, place)


def _python_number(low: Lowering, name: str, number: bool | int | float, span: Span) -> Operand:
    try:
        if name == "double":
            return static.Float64(static.evaluated(lambda: float(number)))
        found = static.evaluated(lambda: int(number))
        if not -(1 << 63) <= found < 1 << 63:
            raise static.StaticError("OW313", "numpy's int64 does not hold it", Choice.INFERRED_TYPE)
    except static.StaticError as error:
        raise low.no_value(error, "the number does not fit the type", span) from None
    return static.Int64(found)
