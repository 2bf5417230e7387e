"""Python's operators on numbers (Python's arithmetic) and on tensors (ONNX's, or numpy's where ONNX has none)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.differential.noise import Noise
from tests.differential.values import EXACT_INTEGER, Fixed, OutOfScope, Refused, Tensor, is_number, to_tensor

PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
PRODUCT_OF_DOUBLES = "a product of doubles"
ONE_DIVIDED = "one divided by integers"
Array = Any


def binary(symbol: str, left: object, right: object, noise: Noise) -> Any:
    """`left symbol right`: among numbers Python's, else on tensors of one element type."""
    if not isinstance(left, Tensor) and not isinstance(right, Tensor):
        return _on_python_values(symbol, left, right)
    if all(isinstance(item, Fixed) or not isinstance(item, Tensor) for item in (left, right)):
        raise OutOfScope("what numpy makes of its own arrays")
    dtype = (left if isinstance(left, Tensor) else right).dtype  # type: ignore[union-attr]
    first, second = to_tensor(left, dtype), to_tensor(right, dtype)
    if first.dtype != second.dtype:
        raise Refused(f"`{symbol}` meets {first.dtype} and {second.dtype}")
    return on_tensors(symbol, first.array, second.array, noise)


def _on_python_values(symbol: str, left: Any, right: Any) -> Any:
    if symbol == "@":
        raise Refused("numbers have no `@`")
    try:
        result = PYTHON[symbol](left, right)
    except ArithmeticError as error:
        raise OutOfScope(f"Python raises {type(error).__name__}") from None
    except (TypeError, ValueError) as error:
        raise Refused(f"Python raises {error}") from None
    check_number(result)
    mixed = is_number(left) and is_number(right) and (isinstance(left, float) is not isinstance(right, float))
    if (mixed or symbol == "/") and any(isinstance(item, int) and abs(item) > EXACT_INTEGER for item in (left, right)):
        raise OutOfScope("an int beyond 2**53 meets a float")
    return result


def check_number(value: object) -> None:
    """Numbers of a graph are INT64; their overflow is the one documented difference, so we stay far from it."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > EXACT_INTEGER:
        raise OutOfScope("an int number beyond 2**53")
    if isinstance(value, complex):
        raise Refused("a complex number")


def unary(symbol: str, operand: object) -> Any:
    if isinstance(operand, Fixed):
        raise OutOfScope("what numpy makes of its own arrays")
    if not isinstance(operand, Tensor):
        if not is_number(operand):
            raise Refused(f"`{symbol}` of {operand!r}")
        table: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
        table["abs"] = abs
        try:
            return table[symbol](operand)
        except TypeError as error:
            raise Refused(str(error)) from None
    array, kind = operand.array, operand.dtype.kind
    if symbol == "~":
        if kind not in "biu":
            raise Refused("bits of floats")
        return Tensor(np.invert(array))
    if kind == "b" or (symbol == "-" and kind == "u"):
        raise Refused(f"`{symbol}` of {operand.dtype}")
    with np.errstate(all="ignore"):
        return Tensor({"-": np.negative, "+": np.positive, "abs": np.abs}[symbol](array))


# ------------------------------------------------------------------------------------------------------ tensors


def on_tensors(symbol: str, left: Array, right: Array, noise: Noise) -> Tensor:
    """Two arrays of one element type."""
    kind = left.dtype.kind
    try:
        np.broadcast_shapes(left.shape, right.shape)
    except ValueError:
        if symbol != "@":
            raise OutOfScope("shapes that do not broadcast are an error at run time") from None
    with np.errstate(all="ignore"):
        if symbol in COMPARISONS:
            return Tensor(_compared(symbol, left, right))
        if symbol in "&|^":
            if kind == "f":
                raise Refused("bits of floats")
            return Tensor({"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}[symbol](left, right))
        if symbol in ("<<", ">>"):
            if kind != "u":
                raise Refused("bits of signed numbers are not moved")
            return Tensor({"<<": np.left_shift, ">>": np.right_shift}[symbol](left, right))
        if kind == "b":
            raise Refused(f"`{symbol}` of bools")
        return Tensor(_ARITHMETIC[symbol](left, right, noise))


def _compared(symbol: str, left: Array, right: Array) -> Array:
    if left.dtype.kind == "b" and symbol not in ("==", "!="):
        raise Refused("an order of bools")
    return PYTHON[symbol](left, right)


def _divide(left: Array, right: Array, noise: Noise) -> Array:
    """Div: on integers it cuts the fraction off."""
    if left.dtype.kind == "f":
        return left / right
    check_divisor(left, right)
    if np.all(left == 1):
        noise.note(ONE_DIVIDED)
    floor = left // right
    return floor + ((floor * right != left) & ((left < 0) != (right < 0))).astype(left.dtype)


def check_divisor(left: Array, right: Array) -> None:
    """Integers divided by zero, or the least one by -1, stop the process on the CPU."""
    if np.any(right == 0):
        raise OutOfScope("an integer is divided by zero")
    if left.dtype.kind == "i" and np.any(left == np.iinfo(left.dtype).min):
        raise OutOfScope("the least integer is divided")


def _floor_divide(left: Array, right: Array, noise: Noise) -> Array:
    if left.dtype.kind != "f":
        check_divisor(left, right)
    return np.floor_divide(left, right)


def _modulo(left: Array, right: Array, noise: Noise) -> Array:
    if left.dtype.kind != "f":
        check_divisor(left, right)
    elif np.any(np.isinf(right)) or np.any(right == 0) or not np.all(np.isfinite(left)):
        raise OutOfScope("the float remainder is compared for finite operands")
    return np.remainder(left, right)


def _power(left: Array, right: Array, noise: Noise) -> Array:
    if left.dtype.kind == "f":
        return noise(np.power(left, right))
    if np.any(right < 0):
        raise OutOfScope("an integer is raised to a negative power")
    exact = np.power(left.astype(np.float64), right.astype(np.float64))
    if np.any(np.abs(exact) > min(EXACT_INTEGER, np.iinfo(left.dtype).max)):
        raise OutOfScope("an integer power is too large for the runtimes, which compute it in floats")
    return np.power(left, right)


def _matmul(left: Array, right: Array, noise: Noise) -> Array:
    if not left.ndim or not right.ndim:
        raise OutOfScope("`@` of rank 0 is an error at run time")
    try:
        result = np.asarray(left @ right)
    except ValueError:
        raise OutOfScope("shapes that do not fit are an error at run time") from None
    if left.dtype.kind != "f":
        return result
    if left.dtype.itemsize == 8:
        noise.note(PRODUCT_OF_DOUBLES)
    return noise.sum(result, np.abs(left) @ np.abs(right), left, right)


_ARITHMETIC: dict[str, Callable[[Array, Array, Noise], Array]] = {
    "+": lambda left, right, noise: left + right,
    "-": lambda left, right, noise: left - right,
    "*": lambda left, right, noise: left * right,
    "/": _divide,
    "//": _floor_divide,
    "%": _modulo,
    "**": _power,
    "@": _matmul,
}
