"""Single values that need nothing but themselves, or another argument: limits, defaults, exponents, flags."""

from __future__ import annotations

import math
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm


def no_number(value: Any, call: CallShape) -> Any:
    """The value; None where it is the default of the schema."""
    return None if value == call.argument.default else value


def is_zero(value: Any, call: CallShape) -> bool:
    """Whether the value is the number 0: a factor that drops its term, even where that is NaN."""
    return bool(value == 0)


def is_one(value: Any, call: CallShape) -> bool:
    """Whether the value is the integer 1; false for one that the graph computes."""
    return isinstance(value, int) and value == 1


def below_one(value: Any, call: CallShape) -> Any:
    """The probability of a dropout; None for 1, where nothing is left."""
    return None if value == 1 else value


def half_at_most(value: Any, call: CallShape) -> Any:
    """The value, None or a number from 0 to 0.5. Others are refused."""
    if value is not None and not 0 <= value <= 0.5:
        raise NoForm(f"{value!r} is not from 0 to 0.5")
    return value


def not_negative(value: Any, call: CallShape) -> int:
    """The exponent of a matrix. A negative one is refused: the function has no inverse."""
    if value < 0:
        raise NoForm(f"it is {value}, and the function has no inverse")
    return int(value)


def not_nan(value: Any, call: CallShape) -> Any:
    """The value. NaN is refused: runtimes differ in comparisons with it."""
    if isinstance(value, float) and math.isnan(value):
        raise NoForm("it is nan")
    return value


def unless_negative(value: Any, call: CallShape) -> Any:
    """The value; None for a negative number, for which PyTorch determines the value from a tensor."""
    return None if isinstance(value, int) and value < 0 else value


def unless_false(value: Any, call: CallShape) -> bool:
    """Whether a flag is not False: True for None."""
    return value is not False


def right_or_side(value: Any, call: CallShape) -> bool:
    """Whether the flag `right` is set or the argument `side` is `right`."""
    return bool(value) or call.values["side"] == "right"


def range_limit(value: Any, call: CallShape) -> Any:
    """A limit of a range of values, `min` or `max`; None where both are the same, and PyTorch takes the limits of the
    elements."""
    return None if call.values["min"] == call.values["max"] else value


def power_of_ten(value: int, call: CallShape) -> float | None:
    """10 to the power of a positive number: 100 for 2; None for others."""
    return float(10**value) if value > 0 else None


def power_of_ten_below(value: int, call: CallShape) -> float | None:
    """10 to the power of the absolute value of a negative number: 100 for -2; None for others."""
    return float(10**-value) if value < 0 else None


def root(value: Any, call: CallShape) -> str | None:
    """`sqrt` for the exponent 0.5, `rsqrt` for -0.5, else None. PyTorch computes roots for these two, which are NaN for
    -inf where powers are not."""
    return None if value not in (0.5, -0.5) else "sqrt" if value > 0 else "rsqrt"


def no_root(value: Any, call: CallShape) -> Any:
    """The exponent; None if `root` gives it."""
    return None if root(value, call) else value
