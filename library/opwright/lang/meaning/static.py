"""Values that are known when a function is built, and the arithmetic on them: Python's, within fuel.

Nothing here depends on the platform: what its C library might round in its own way is computed with mpmath.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import math
import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from types import EllipsisType, ModuleType, NoneType
from typing import TYPE_CHECKING, NamedTuple, Protocol, SupportsFloat, SupportsInt, TypeAlias, TypeGuard, TypeVar

from opwright.diagnostics.diagnostic import Choice

if TYPE_CHECKING:
    from opwright.lang.meaning.objects import SingleObject
    from opwright.lang.meaning.operands import Operand

INTEGER_BITS = 4096
SEQUENCE_ITEMS = 65536


class StaticError(Exception):
    """The expression has no value: Python would raise, or it is larger than the fuel allows. `code` says which.

    `depends_on` is that of the finding.
    """

    def __init__(self, code: str, message: str, depends_on: Choice = Choice.NONE) -> None:
        self.code = code
        self.depends_on = depends_on
        super().__init__(message)


Scalar = bool | int | float | str | None


Checked = TypeVar("Checked")
Number = bool | int | float


class StaticList(tuple["Operand", ...]):
    """A Python list whose length is known when a function is built; a plain tuple stands for a Python tuple.

    `maker`: the lowering whose function creates it, which may change it (`lower/state/ownership.py`).
    """

    maker: object = None


Key: TypeAlias = "bool | int | float | str | tuple[Key, ...] | SingleObject | None"


class RecordType(NamedTuple):
    """A class that `namedtuple` makes."""

    name: str
    fields: tuple[str, ...]


class StaticNamed(tuple["Operand", ...]):
    """A namedtuple: a tuple whose items have names."""

    record: RecordType

    def __new__(cls, record: RecordType, items: Iterable[Operand]) -> StaticNamed:
        made = super().__new__(cls, items)
        made.record = record
        return made


class Int64(int):
    """A number that Python holds as numpy's int64: arithmetic on it stays one, and wraps around where ints of Python
    grow, or has another value for other reasons. There it is refused."""

    __slots__ = ()


class Float64(float):
    """A number that Python holds as numpy's float64: an array of numpy that it meets becomes one of doubles."""

    __slots__ = ()


_OF_NUMPY = (Int64, Float64)


def of_numpy(number: Number) -> Number:
    """A number as one that Python holds as numpy's."""
    if isinstance(number, float):
        return Float64(number)
    return Int64(number) if is_int(number) else number


def _as_numpy(symbol: str, result: Operand, *operands: Operand) -> Operand:
    """The result of an operator or builtin on numbers, where some of them may be numpy's."""
    if not any(type(operand) in _OF_NUMPY for operand in operands):
        return result
    is_int64 = any(type(operand) is Int64 for operand in operands)
    if is_int64 and symbol == "/" and any(isinstance(item, int) and abs(item) > _EXACT_AS_DOUBLE for item in operands):
        raise StaticError("OW312", "numpy divides doubles, which do not hold the int64")
    if isinstance(result, tuple):
        return tuple(_as_numpy(symbol, item, *operands) for item in result)
    if isinstance(result, float):
        return Float64(result)
    if not is_int(result) or not is_int64:
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
    if isinstance(value, range) and value[sys.maxsize :]:
        raise StaticError("OW311", "`range` has more items than an int64 counts")
    return value


def _is_too_long(value: str | tuple[object, ...], given: bool) -> bool:
    """Tuples share their parts, so `t = (t, t)` grows without growing in memory; a walk over it would not end."""
    if isinstance(value, str) or not any(isinstance(item, tuple) for item in value):
        return len(value) > SEQUENCE_ITEMS and not given
    seen, pending = 0, [value]
    while pending and seen <= SEQUENCE_ITEMS:
        items = pending.pop()
        seen += 1 + len(items)
        pending.extend(item for item in items if isinstance(item, tuple))
    return bool(pending) or seen > SEQUENCE_ITEMS


BINARY = {  # and the function of `operator`
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and_",
    "|": "or_",
    "^": "xor",
}
_Ordered = int | float | str | bytes | tuple["Operand", ...]
COMPARE: dict[str, Callable[[_Ordered, _Ordered], object]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _negative(operand: Operand) -> Operand:
    return -_number(operand, "-")


def _positive(operand: Operand) -> Operand:
    return +_number(operand, "+")


def _inverted(operand: Operand) -> Operand:
    if isinstance(operand, int):
        return ~operand
    raise TypeError(f"bad operand type for unary ~: '{type(operand).__name__}'")


def _number(operand: Operand, symbol: str) -> Number:
    if isinstance(operand, (int, float)):
        return operand
    raise TypeError(f"bad operand type for unary {symbol}: '{type(operand).__name__}'")


UNARY: dict[str, Callable[[Operand], Operand]] = {"-": _negative, "+": _positive, "~": _inverted, "not": operator.not_}


def binary(symbol: str, left: Operand, right: Operand) -> Operand:
    """Python's value of `left symbol right`; StaticError where Python raises or the result is too large."""
    _check_growth(symbol, left, right)
    if isinstance(left, tuple) or isinstance(right, tuple):
        return _on_items(symbol, left, right)
    if symbol == "**" and isinstance(left, (int, float)) and isinstance(right, (int, float)):
        if Int64 in (type(left), type(right)) and isinstance(left, int) and right < 0:
            raise StaticError("OW312", "numpy says: integers to negative integer powers are not allowed")
        if isinstance(left, float) or isinstance(right, float) or right < 0:
            base, exponent = evaluated(lambda: float(left)), evaluated(lambda: float(right))
            return _as_numpy(symbol, checked(_power(base, exponent)), left, right)
    return _as_numpy(symbol, evaluated(lambda: _python(operator, BINARY[symbol], left, right)), left, right)


def _on_items(symbol: str, left: Operand, right: Operand) -> Operand:
    """`+` of two tuples or two lists; `*` by an int."""
    made = evaluated(lambda: _python(operator, BINARY[symbol], left, right))
    kinds = [isinstance(side, StaticList) for side in (left, right) if isinstance(side, tuple)]
    if len(set(kinds)) > 1:
        raise StaticError("OW312", "Python says: can only concatenate list to list, tuple to tuple")
    return StaticList(made) if kinds[0] and isinstance(made, tuple) else made


def compare(symbol: str, left: Operand, right: Operand) -> bool:
    if symbol in ("==", "!="):
        return equal(left, right) is (symbol == "==")
    if isinstance(left, tuple) and isinstance(right, tuple):
        if isinstance(left, StaticList) is not isinstance(right, StaticList):
            raise StaticError("OW312", f"Python says: '{symbol}' not supported between a list and a tuple")
        for one, other in zip(left, right, strict=False):
            if not (one is other or equal(one, other)):
                return compare(symbol, one, other)
        return bool(COMPARE[symbol](len(left), len(right)))
    _check_exact(left, right)
    if isinstance(left, _ORDERED) and isinstance(right, _ORDERED):
        return bool(evaluated(lambda: COMPARE[symbol](left, right)))
    kinds = f"'{type(left).__name__}' and '{type(right).__name__}'"
    raise StaticError("OW312", f"Python says: '{symbol}' not supported between instances of {kinds}")


_ORDERED = (int, float, str, bytes)
_PLAIN = (int, float, str, bytes, range, EllipsisType, NoneType)


class Comparable:
    """What knows by itself what it is equal to."""

    __slots__ = ()

    def equals(self, other: object) -> bool:
        """Python's answer; StaticError where that is not known."""
        raise NotImplementedError


def equal(left: object, right: object) -> bool:
    """Python's `==` of two values that are known when a function is built; StaticError where that is not known."""
    if isinstance(left, _PLAIN) and isinstance(right, _PLAIN):
        _check_exact(left, right)
        return bool(left == right)
    if left is right:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        if isinstance(left, StaticList) is not isinstance(right, StaticList) or len(left) != len(right):
            return False
        return all(one is other or equal(one, other) for one, other in zip(left, right, strict=True))
    if isinstance(left, Comparable):
        return left.equals(right)
    if isinstance(right, Comparable):
        return right.equals(left)
    if isinstance(left, (*_PLAIN, tuple)) and isinstance(right, (*_PLAIN, tuple)):
        return False
    raise unknown_equality()


def unknown_equality() -> StaticError:
    return StaticError("OW304", "whether the two are equal is not known when the function is built")


def _check_exact(left: object, right: object) -> None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Int64) and isinstance(other, float) and abs(one) > _EXACT_AS_DOUBLE:
            raise StaticError("OW312", "numpy compares doubles, which do not hold the int64")


def contains(items: tuple[Operand, ...] | str | range, item: Operand) -> bool:
    if isinstance(items, tuple):
        return any(one is item or equal(one, item) for one in items)
    if isinstance(items, range) and not isinstance(item, int):
        refuse_long(items)  # which Python goes through
    return evaluated(lambda: operator.contains(items, item))


def unary(symbol: str, operand: Operand) -> Operand:
    return _as_numpy(symbol, evaluated(lambda: UNARY[symbol](operand)), operand)


def evaluated(step: Callable[[], Checked]) -> Checked:
    try:
        return checked(step())
    except (ArithmeticError, TypeError, ValueError) as error:
        raise StaticError("OW312", f"Python says: {error}") from None


def _check_growth(symbol: str, left: Operand, right: Operand) -> None:
    """Refuses, before computing it, what would not fit."""
    if symbol == "<<" and isinstance(right, int) and right > INTEGER_BITS:
        raise StaticError("OW311", f"a shift by {right:,} bits is larger than the {INTEGER_BITS:,} allowed")
    if symbol == "**" and isinstance(left, int) and isinstance(right, int) and right > 0 and abs(left) > 1:
        bits = left.bit_length() * right
        if bits > 2 * INTEGER_BITS:
            raise StaticError("OW311", f"the power would have about {bits:,} bits")
    if symbol == "%" and isinstance(left, str):
        raise StaticError("OW312", "strings are not formatted when a function is built")
    if symbol == "*":
        for items, count in ((left, right), (right, left)):
            if isinstance(items, (str, tuple)) and isinstance(count, int) and len(items) * count > SEQUENCE_ITEMS:
                raise StaticError("OW311", f"{len(items) * count:,} items are more than the {SEQUENCE_ITEMS:,} allowed")


def _power(base: float, exponent: float) -> float:
    if base == 0.0 and -math.inf < exponent < 0:
        raise StaticError("OW312", "Python says: 0.0 cannot be raised to a negative power")
    if base < 0 and not exponent.is_integer() and math.isfinite(exponent) and math.isfinite(base):
        raise StaticError("OW312", "the result is a complex number")
    if exponent == 2.0:
        return _finite(base * base, base)
    if exponent == 0.5 and base > 0:
        return math.sqrt(base)
    if base in (0.0, 1.0) or exponent in (0.0, 1.0) or not (math.isfinite(base) and math.isfinite(exponent)):
        return math.pow(base, exponent)  # exact cases, the same on every platform
    magnitude = _precise(lambda mp: mp.power(mp.mpf(abs(base)), mp.mpf(exponent)))
    return _finite(-magnitude if base < 0 and exponent % 2 == 1 else magnitude, base)


def _finite(value: float, operand: float) -> float:
    if math.isinf(value) and math.isfinite(operand):
        raise StaticError("OW312", "Python says: numerical result out of range")
    return value


class _Real(SupportsFloat, SupportsInt, Protocol):
    """A number of mpmath."""


class _Reals(Protocol):
    """What mpmath has for computing with real numbers of many digits."""

    def mpf(self, value: Number) -> _Real: ...

    def atan2(self, rise: _Real, run: _Real) -> _Real: ...

    def cbrt(self, value: _Real) -> _Real: ...

    def erfc(self, value: _Real) -> _Real: ...

    def ldexp(self, value: _Real, exponent: int) -> _Real: ...

    def log(self, value: _Real, base: int = ...) -> _Real: ...

    def loggamma(self, value: _Real) -> _Real: ...

    def nint(self, value: _Real) -> _Real: ...

    def norm(self, values: Sequence[_Real]) -> _Real: ...

    def power(self, base: _Real, exponent: _Real) -> _Real: ...

    def re(self, value: _Real) -> _Real: ...


_LEAST_EXPONENT = -1074  # every double is a multiple of 2**-1074


def _precise(step: Callable[[_Reals], _Real]) -> float:
    """The correctly rounded double of a value computed with 60 digits."""
    try:
        from mpmath.ctx_mp import MPContext
    except ImportError:
        raise StaticError("OW312", "correct rounding needs mpmath: `pip install mpmath`") from None

    context = MPContext()  # our own, so that the user's precision setting and other threads stay untouched
    context.dps = 60
    value = step(context)
    found = float(value)
    if abs(found) >= sys.float_info.min:
        return found
    # mpmath has rounded it to 53 bits, of which a subnormal has fewer: it would be rounded twice.
    return math.ldexp(int(context.nint(context.ldexp(value, -_LEAST_EXPONENT))), _LEAST_EXPONENT)


# ------------------------------------------------------------------------------------------ math and builtins

MATH_CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan}
_EXACT_MATH = frozenset(
    [
        *(
            "ceil",
            "comb",
            "copysign",
            "degrees",
            "fabs",
            "factorial",
            "floor",
            "fmod",
            "frexp",
            "fsum",
            "gcd",
            "isclose",
        ),
        *("isfinite", "isinf", "isnan", "isqrt", "lcm", "ldexp", "modf", "nextafter", "perm", "prod", "radians"),
        *("remainder", "sqrt", "trunc", "ulp"),
    ]
)
_PRECISE_MATH = {
    "acos": "acos",
    "acosh": "acosh",
    "asin": "asin",
    "asinh": "asinh",
    "atan": "atan",
    "atanh": "atanh",
    "cos": "cos",
    "cosh": "cosh",
    "erf": "erf",
    "exp": "exp",
    "expm1": "expm1",
    "gamma": "gamma",
    "log1p": "log1p",
    "sin": "sin",
    "sinh": "sinh",
    "tan": "tan",
    "tanh": "tanh",
}
_FORMULAS: dict[str, Callable[[_Reals, Sequence[float]], _Real]] = {  # of the magnitude alone
    "atan2": lambda mp, values: mp.atan2(*map(mp.mpf, _direction(*values))),
    "cbrt": lambda mp, values: mp.cbrt(mp.mpf(abs(values[0]))),
    "erfc": lambda mp, values: mp.erfc(mp.mpf(min(values[0], _NO_ERFC))),
    "exp2": lambda mp, values: mp.power(mp.mpf(2), mp.mpf(values[0])),
    "hypot": lambda mp, values: mp.norm([mp.mpf(value) for value in values]),
    "lgamma": lambda mp, values: mp.re(mp.loggamma(mp.mpf(values[0]))),
}
_NO_ERFC = 30.0  # from here on it is less than half of the least double; mpmath has no room for that of large numbers
_LOGARITHMS = {"log": None, "log2": 2, "log10": 10}  # and the base
_FACTORIALS = ("comb", "factorial", "perm")
MATH_FUNCTIONS = _EXACT_MATH | _PRECISE_MATH.keys() | _FORMULAS.keys() | _LOGARITHMS.keys() | {"pow"}


def _direction(rise: float, run: float) -> tuple[float, float]:
    """Two numbers of the same angle: mpmath has no -0.0, and no angle between infinities."""
    if math.isinf(rise) and math.isinf(run):
        return 1.0, math.copysign(1.0, run)
    return (rise, run) if rise else (0.0, math.copysign(1.0, run))


def _python(module: ModuleType, name: str, *arguments: Operand) -> Operand:
    """What a function of Python gives, whatever the arguments; where they do not fit, it raises."""
    made: Operand = getattr(module, name)(*arguments)
    return made


def call_math(name: str, arguments: Sequence[Operand]) -> Operand:
    """`math.<name>(*arguments)`, correctly rounded wherever the C library is free to differ."""
    if name in _EXACT_MATH:
        if name == "lcm":
            found: Operand = 1
            for item in arguments:
                found = evaluated(functools.partial(_python, math, name, found, item))
            return found
        if name in _FACTORIALS and any(isinstance(item, int) and item > 500 for item in _factors(arguments)):
            raise StaticError("OW311", f"`math.{name}` of more than 500 factors is larger than the fuel allows")
        return evaluated(lambda: _python(math, name, *arguments))
    reference = evaluated(lambda: _python(math, name, *arguments))  # Python's own domain errors, first
    numbers = [item for item in arguments if isinstance(item, (int, float))]
    if not isinstance(reference, float) or not math.isfinite(reference) or len(numbers) != len(arguments):
        return reference
    if name in _LOGARITHMS:
        found = _logarithm(numbers[0], _LOGARITHMS[name])
        return found if len(numbers) == 1 else found / _logarithm(numbers[1], None)  # which is how Python defines it
    values = [float(item) for item in numbers]
    if name == "pow":
        return _power(*values)
    formula = _FORMULAS.get(name)
    if formula is not None:
        return math.copysign(_precise(lambda mp: formula(mp, values)), reference)
    return math.copysign(_precise(lambda mp: getattr(mp, _PRECISE_MATH[name])(*map(mp.mpf, values))), reference)


def _factors(arguments: Sequence[Operand]) -> Sequence[Operand]:
    """How many factors `comb`, `factorial` or `perm` has: `perm(n)` and `perm(n, None)` have `n`."""
    return arguments[:1] if len(arguments) == 2 and arguments[1] is None else arguments[-1:]


def _logarithm(number: Number, base: int | None) -> float:
    """Of the double that Python makes of an int; of the int itself where that is larger than all doubles."""
    with contextlib.suppress(OverflowError):
        number = float(number)
    if base is None:
        return _precise(lambda mp: mp.log(mp.mpf(number)))
    return _precise(lambda mp: mp.log(mp.mpf(number), base))


_OF_PYTHON = ("abs", "bool", "divmod", "float", "int", "len", "max", "min", "round", "sum", "tuple")
BUILTINS = (*_OF_PYTHON, "pow", "str", "sorted")


def _builtin(name: str, arguments: Sequence[Operand]) -> Operand:
    if name == "str":
        return str(*map(as_python, arguments))
    if name == "pow" and len(arguments) == 2:
        return binary("**", *arguments)
    made = _python(builtins, name, *arguments)
    return StaticList(made) if name == "sorted" and isinstance(made, list) else made


Written = bool | int | float | str | list["Written"] | tuple["Written", ...] | None


def as_python(value: object) -> Written:
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


def refuse_long(items: range) -> None:
    if len(items) > SEQUENCE_ITEMS:
        raise StaticError("OW311", f"{len(items):,} items are more than the {SEQUENCE_ITEMS:,} allowed")


def call_builtin(name: str, arguments: Sequence[Operand]) -> Operand:
    for item in arguments:
        if isinstance(item, range) and name not in ("len", "bool"):
            refuse_long(item)
    if name in ("int", "float") and arguments and isinstance(arguments[0], str) and len(arguments[0]) > 1000:
        raise StaticError("OW311", "a number written with more than 1,000 characters is larger than the fuel allows")
    if name == "round" and len(arguments) > 1 and isinstance(arguments[1], int) and abs(arguments[1]) > 400:
        raise StaticError("OW311", "rounding to more than 400 digits is larger than the fuel allows")
    made = evaluated(lambda: _builtin(name, arguments))
    if name not in _OF_OPERATORS:
        return made
    summed = arguments[0] if name == "sum" and isinstance(arguments[0], tuple) else ()
    return _as_numpy(name, made, *summed, *arguments)


_OF_OPERATORS = frozenset({"abs", "divmod", "pow", "sum"})  # what they give, operators of the numbers give
