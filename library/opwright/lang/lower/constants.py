"""Constants of numpy, of onnx.helper and of onnx_ir: calls that are evaluated when the function is built.

An array is a tensor of the graph from there on, while Python holds numpy's array. What numpy makes of such arrays among
themselves is the same but for a few operators, which are refused.
"""

from __future__ import annotations

from typing import TypeAlias

from opwright.elements import BY_NAME, ElementType
from opwright.lang import ir, numpy_values
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.held_arrays import array_constant
from opwright.lang.lower.known import need_static, numbers_of
from opwright.lang.lower.numbers import describe
from opwright.lang.lower.operands import Arguments, IntTuple, Operand
from opwright.lang.lower.poison import Poisoned
from opwright.lang.lower.shapes import known_length, tuple_items
from opwright.lang.objects import ArrayObject, BuiltinObject, TensorObject, TypeObject
from opwright.lang.resolve import ONNX_FUNCTIONS
from opwright.lang.source import Span
from opwright.lang.static import StaticError

_DTYPES = {"bool": "bool", "float": "double", "int": "int64"}
_TENSORS = {
    "from_array": numpy_values.from_array,
    "make_tensor": numpy_values.make_tensor,
    "tensor": numpy_values.tensor_of_onnx_ir,
}
MODULES = ("numpy", "onnx")
Argument: TypeAlias = "bool | int | float | str | ElementType | ir.TensorData | tuple[Argument, ...] | None"


def call_constant(low: Lowering, callee: BuiltinObject, arguments: Arguments) -> Operand:
    """`np.array([1.0, 2.0])`, `np.sqrt(2.0)`, `onnx.helper.make_tensor(...)`, of what is known."""
    label = f"{'np' if callee.module == 'numpy' else ONNX_FUNCTIONS[callee.name]}.{callee.name}"
    positional = [_known(low, operand, place, label) for operand, place in arguments.positional]
    keywords = {name: _known(low, operand, place, label) for name, (operand, place) in arguments.keywords.items()}
    try:
        if callee.name in _TENSORS and callee.module == "onnx":
            return TensorObject(_TENSORS[callee.name](positional, keywords))
        found = numpy_values.call_numpy(callee.name, positional, keywords)
    except StaticError as error:
        raise _no_value(low, error, label, arguments.span) from None
    return array_constant(low, found, arguments.span) if isinstance(found, ir.TensorData) else found


def call_array_method(low: Lowering, data: ir.TensorData, name: str, arguments: Arguments) -> Operand:
    """`np.array([1, 2]).reshape(2, 1)`, `.astype(np.float32)`: another array."""
    positional = [_known(low, operand, place, f".{name}") for operand, place in arguments.positional]
    keywords = {key: _known(low, operand, place, f".{name}") for key, (operand, place) in arguments.keywords.items()}
    try:
        made = numpy_values.call_method(data, name, positional, keywords)
    except StaticError as error:
        raise _no_value(low, error, f".{name}", arguments.span) from None
    return array_constant(low, made, arguments.span)


def _no_value(low: Lowering, error: StaticError, label: str, span: Span) -> Poisoned:
    help = "compute it at module level, outside of the function"
    return low.no_value(error, f"`{label}` has no value here", span, help=help)


def _known(low: Lowering, operand: Operand, span: Span, label: str) -> Argument:
    """An argument as `numpy_values` takes it."""
    return _argument.of(operand)(operand, low, span, label)


def _not_known(operand: Operand, low: Lowering, span: Span, label: str) -> Argument:
    need_static(low, operand, span)
    raise low.error(
        "OW304",
        f"`{label}` takes values that are known when the function is built",
        span,
        reason=f"it is evaluated by the compiler, not by the graph, and gets {describe(operand)}",
        help="use an operator on a tensor",
    )


_argument: Operation[Operand, [Lowering, Span, str], Argument] = Operation(_not_known)
_argument.on(type(None), bool, int, float, str)(lambda operand, low, span, label: operand)
_argument.on(TypeObject)(lambda operand, low, span, label: operand.element)
_argument.on(ArrayObject)(lambda operand, low, span, label: operand.data)
_argument.on(TensorObject)(lambda operand, low, span, label: operand.data)
_argument.on(range)(lambda operand, low, span, label: numbers_of(low, operand, span))


@_argument.on(BuiltinObject)
def _dtype(operand: BuiltinObject, low: Lowering, span: Span, label: str) -> Argument:
    if operand.module or operand.name not in _DTYPES:
        return _not_known(operand, low, span, label)
    return BY_NAME[_DTYPES[operand.name]]


@_argument.on(tuple)
def _list(operand: tuple[Operand, ...], low: Lowering, span: Span, label: str) -> Argument:
    return tuple(_known(low, item, span, label) for item in operand)


@_argument.on(IntTuple)
def _sizes(operand: IntTuple, low: Lowering, span: Span, label: str) -> Argument:
    if known_length(operand) is None:
        return _not_known(operand, low, span, label)
    return _list(tuple_items(low, operand, span, f"`{label}` takes it"), low, span, label)


@_argument.on(ir.Value)
def _contents(operand: ir.Value, low: Lowering, span: Span, label: str) -> Argument:
    return low.contents.get(operand) or _not_known(operand, low, span, label)
