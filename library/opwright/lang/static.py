"""Values that are known when a function is built, and the arithmetic on them: Python's, within fuel.

Nothing here depends on the platform: what its C library might round in its own way is computed with mpmath.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeGuard, TypeVar

INTEGER_BITS = 4096
SEQUENCE_ITEMS = 65536


class StaticError(Exception):
    """The expression has no value: Python would raise, or it is larger than the fuel allows. `code` says which."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


Scalar = bool | int | float | str | None


Checked = TypeVar("Checked")


class StaticList(tuple[Any, ...]):
    """A Python list whose length is known when a function is built; a plain tuple stands for a Python tuple."""

    __slots__ = ()


Key = bool | int | float | str | tuple["Key", ...] | None


class RecordType(NamedTuple):
    """A class that `namedtuple` makes."""

    name: str
    fields: tuple[str, ...]


class StaticNamed(tuple[Any, ...]):
    """A namedtuple: a tuple whose items have names."""

    record: RecordType

    def __new__(cls, record: RecordType, items: Iterable[Any]) -> StaticNamed:
        made = super().__new__(cls, items)
        made.record = record
        return made


class Int64(int):
    """A number that Python holds as numpy's int64: arithmetic on it stays one, and wraps around where ints of Python
    grow, or has another value for other reasons. There it is refused."""

    __slots__ = ()


def _as_numpy(symbol: str, result: Any, *operands: Any) -> Any:
    """The result of an operator or builtin on numbers, where some of them may be numpy's."""
    if not any(type(operand) is Int64 for operand in operands):
        return result
    if symbol == "/" and any(isinstance(item, int) and abs(item) > _EXACT_AS_DOUBLE for item in operands):
        raise StaticError("OW312", "numpy divides doubles, which do not hold the int64")
    if isinstance(result, tuple):
        return tuple(_as_numpy(symbol, item, *operands) for item in result)
    if type(result) not in (int, Int64):
        return result
    if not -(1 << 63) <= result < 1 << 63:
        raise StaticError("OW312", "numpy's int64 wraps around beyond 64 bits")
    return Int64(result)


_EXACT_AS_DOUBLE = 1 << 53


def is_int(value: object) -> TypeGuard[int]:
    """Whether it is an int and no bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float))


def checked(value: Checked, given: bool = False) -> Checked:
    """The value itself, when it stays within fuel. `given`: it is written out or read from around the function, so a
    flat list or a text has been paid for, and may have any length."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > INTEGER_BITS:
        raise StaticError(
            "OW311", f"an integer of {value.bit_length():,} bits is larger than the {INTEGER_BITS:,} allowed"
        )
    if isinstance(value, (str, tuple)) and _is_too_long(value, given):
        raise StaticError("OW311", f"more than the {SEQUENCE_ITEMS:,} items allowed")
    if isinstance(value, complex):
        raise StaticError("OW312", "the result is a complex number")
    return value


def _is_too_long(value: str | tuple[Any, ...], given: bool) -> bool:
    """Tuples share their parts, so `t = (t, t)` grows without growing in memory; a walk over it would not end."""
    if isinstance(value, str) or not any(isinstance(item, tuple) for item in value):
        return len(value) > SEQUENCE_ITEMS and not given
    seen, pending = 0, [value]
    while pending and seen <= SEQUENCE_ITEMS:
        items = pending.pop()
        seen += 1 + len(items)
        pending.extend(item for item in items if isinstance(item, tuple))
    return bool(pending) or seen > SEQUENCE_ITEMS


BINARY: dict[str, Callable[[Any, Any], Any]] = {
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
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "not": operator.not_,
}


def binary(symbol: str, left: Any, right: Any) -> Any:
    """Python's value of `left symbol right`; StaticError where Python raises or the result is too large."""
    _check_growth(symbol, left, right)
    if isinstance(left, tuple) or isinstance(right, tuple):
        return _on_items(symbol, left, right)
    if symbol == "**" and Int64 in (type(left), type(right)) and isinstance(left, int) and right < 0:
        raise StaticError("OW312", "numpy says: integers to negative integer powers are not allowed")
    if symbol == "**" and (isinstance(left, float) or isinstance(right, float) or right < 0):
        return checked(_power(float(left), float(right)))
    return _as_numpy(symbol, evaluated(lambda: BINARY[symbol](left, right)), left, right)


def _on_items(symbol: str, left: Any, right: Any) -> Any:
    """`+` of two tuples or two lists; `*` by an int."""
    made = evaluated(lambda: BINARY[symbol](left, right))
    kinds = [isinstance(side, StaticList) for side in (left, right) if isinstance(side, tuple)]
    if len(set(kinds)) > 1:
        raise StaticError("OW312", "Python says: can only concatenate list to list, tuple to tuple")
    return StaticList(made) if kinds[0] else made


def compare(symbol: str, left: Any, right: Any) -> bool:
    if (
        isinstance(left, tuple)
        and isinstance(right, tuple)
        and isinstance(left, StaticList) is not isinstance(right, StaticList)
    ):
        if symbol not in ("==", "!="):
            raise StaticError("OW312", f"Python says: '{symbol}' not supported between a list and a tuple")
        return symbol == "!="
    for one, other in ((left, right), (right, left)):
        if type(one) is Int64 and isinstance(other, float) and abs(one) > _EXACT_AS_DOUBLE:
            raise StaticError("OW312", "numpy compares doubles, which do not hold the int64")
    return bool(evaluated(lambda: COMPARE[symbol](left, right)))


def contains(items: Any, item: Any) -> bool:
    return bool(evaluated(lambda: item in items))


def unary(symbol: str, operand: Any) -> Any:
    return _as_numpy(symbol, evaluated(lambda: UNARY[symbol](operand)), operand)


def evaluated(step: Callable[[], Any]) -> Any:
    try:
        return checked(step())
    except (ArithmeticError, TypeError, ValueError) as error:
        raise StaticError("OW312", f"Python says: {error}") from None


def _check_growth(symbol: str, left: Any, right: Any) -> None:
    """Refuses, before computing it, what would not fit."""
    if symbol == "<<" and isinstance(right, int) and right > INTEGER_BITS:
        raise StaticError("OW311", f"a shift by {right:,} bits is larger than the {INTEGER_BITS:,} allowed")
    grows = symbol == "**" and isinstance(left, int) and isinstance(right, int) and right > 0 and abs(left) > 1
    if grows and left.bit_length() * right > 2 * INTEGER_BITS:
        raise StaticError("OW311", f"the power would have about {left.bit_length() * right:,} bits")
    if symbol == "%" and isinstance(left, str):
        raise StaticError("OW312", "strings are not formatted when a function is built")
    if symbol == "*":
        for items, count in ((left, right), (right, left)):
            if isinstance(items, (str, tuple)) and isinstance(count, int) and len(items) * count > SEQUENCE_ITEMS:
                raise StaticError("OW311", f"{len(items) * count:,} items are more than the {SEQUENCE_ITEMS:,} allowed")


def _power(base: float, exponent: float) -> float:
    if base == 0.0 and exponent < 0:
        raise StaticError("OW312", "Python says: 0.0 cannot be raised to a negative power")
    if base < 0 and not exponent.is_integer() and math.isfinite(exponent) and math.isfinite(base):
        raise StaticError("OW312", "the result is a complex number")
    if exponent == 2.0:
        return _finite(base * base, base)
    if exponent == 0.5 and base >= 0:
        return math.sqrt(base)
    if base in (0.0, 1.0) or exponent in (0.0, 1.0) or not (math.isfinite(base) and math.isfinite(exponent)):
        return math.pow(base, exponent)  # exact cases, the same on every platform
    magnitude = _precise(lambda mp: mp.power(mp.mpf(abs(base)), mp.mpf(exponent)))
    return _finite(-magnitude if base < 0 and exponent % 2 == 1 else magnitude, base)


def _finite(value: float, operand: float) -> float:
    if math.isinf(value) and math.isfinite(operand):
        raise StaticError("OW312", "Python says: numerical result out of range")
    return value


def _precise(step: Callable[[Any], Any]) -> float:
    """The correctly rounded double of a value computed with 60 digits."""
    try:
        from mpmath.ctx_mp import MPContext
    except ImportError:
        raise StaticError("OW312", "correct rounding needs mpmath: `pip install mpmath`") from None

    context = MPContext()  # our own, so that the user's precision setting and other threads stay untouched
    context.dps = 60
    return float(step(context))


# ------------------------------------------------------------------------------------------ math and builtins

MATH_CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan}
_EXACT_MATH: dict[str, Callable[..., Any]] = {
    "ceil": math.ceil,
    "copysign": math.copysign,
    "fabs": math.fabs,
    "factorial": math.factorial,
    "floor": math.floor,
    "fmod": math.fmod,
    "gcd": math.gcd,
    "isfinite": math.isfinite,
    "isinf": math.isinf,
    "isnan": math.isnan,
    "isqrt": math.isqrt,
    "lcm": math.lcm,
    "ldexp": math.ldexp,
    "sqrt": math.sqrt,
    "trunc": math.trunc,
}
_PRECISE_MATH = {
    "acos": "acos",
    "acosh": "acosh",
    "asin": "asin",
    "asinh": "asinh",
    "atan": "atan",
    "atan2": "atan2",
    "atanh": "atanh",
    "cbrt": "cbrt",
    "cos": "cos",
    "cosh": "cosh",
    "erf": "erf",
    "erfc": "erfc",
    "exp": "exp",
    "expm1": "expm1",
    "gamma": "gamma",
    "lgamma": "loggamma",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "pow": "power",
    "sin": "sin",
    "sinh": "sinh",
    "tan": "tan",
    "tanh": "tanh",
}
MATH_FUNCTIONS = frozenset(_EXACT_MATH) | frozenset(_PRECISE_MATH)


def call_math(name: str, arguments: Sequence[Any]) -> Any:
    """`math.<name>(*arguments)`, correctly rounded wherever the C library is free to differ."""
    if name in _EXACT_MATH:
        if name == "lcm":
            return functools.reduce(lambda left, right: evaluated(lambda: math.lcm(left, right)), arguments, 1)
        if name == "factorial" and arguments and isinstance(arguments[0], int) and arguments[0] > 500:
            raise StaticError("OW311", "a factorial of more than 500 is larger than the fuel allows")
        return evaluated(lambda: _EXACT_MATH[name](*arguments))
    reference = evaluated(lambda: getattr(math, name)(*arguments))  # Python's own domain errors, first
    if not isinstance(reference, float) or not math.isfinite(reference) or not all(map(is_number, arguments)):
        return reference
    if name == "pow":
        return _power(float(arguments[0]), float(arguments[1]))
    if name == "log2":
        return _precise(lambda mp: mp.log(mp.mpf(arguments[0]), 2))
    return math.copysign(_precise(lambda mp: getattr(mp, _PRECISE_MATH[name])(*map(mp.mpf, arguments))), reference)


BUILTINS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "bool": bool,
    "divmod": divmod,
    "float": float,
    "int": int,
    "len": len,
    "max": max,
    "min": min,
    "pow": lambda base, exponent, *modulus: pow(base, exponent, *modulus) if modulus else binary("**", base, exponent),
    "round": round,
    "str": lambda value: str(as_python(value)),
    "sum": sum,
    "tuple": tuple,
    "sorted": lambda items: StaticList(sorted(items)),
}


def as_python(value: object) -> Any:
    """The value with its lists as Python's own, which are written otherwise than tuples; StaticError where it holds
    more than numbers, texts and None."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if not isinstance(value, tuple):
        raise StaticError("OW304", "it is no number, no text and no list of them")
    if isinstance(value, StaticNamed):
        raise StaticError("OW304", "a namedtuple is not written as text")
    items = map(as_python, value)
    return list(items) if isinstance(value, StaticList) else tuple(items)


def call_builtin(name: str, arguments: Sequence[Any]) -> Any:
    if name in ("int", "float") and arguments and isinstance(arguments[0], str) and len(arguments[0]) > 1000:
        raise StaticError("OW311", "a number written with more than 1,000 characters is larger than the fuel allows")
    if name == "round" and len(arguments) > 1 and isinstance(arguments[1], int) and abs(arguments[1]) > 400:
        raise StaticError("OW311", "rounding to more than 400 digits is larger than the fuel allows")
    made = evaluated(lambda: BUILTINS[name](*arguments))
    if name not in _OF_OPERATORS:
        return made
    return _as_numpy(name, made, *(arguments[0] if name == "sum" else ()), *arguments)


_OF_OPERATORS = frozenset({"abs", "divmod", "pow", "sum"})  # what they give, operators of the numbers give
