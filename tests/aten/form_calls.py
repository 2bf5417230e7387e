"""Forms on values, as a call of an operator gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
from opwright.aten.array_calls import facts_of_array
from opwright.aten.forms.call_shape import CallShape
from opwright.aten.forms.form_table import FORMS
from opwright.aten.operator_schema import Argument
from opwright.aten.tensor_facts import Facts, Sizes
from opwright.elements import BY_NAME

MOST = (1 << 63) - 1
COMPUTED = Facts(BY_NAME["int64"], ())  # a number that the graph computes
N, M = (Facts(BY_NAME["int64"], (), symbol=name) for name in "NM")  # such numbers with expressions


def tensor(sizes: Sizes | None, element: str = "float", symbols: tuple[str, ...] = ()) -> Facts:
    return Facts(BY_NAME[element], sizes, symbols=symbols)


def facts_of(value: Any) -> Facts | None:
    """A tensor is an array, its facts, or its sizes as a tuple."""
    if isinstance(value, Facts):
        return value
    return tensor(value) if isinstance(value, tuple) else facts_of_array(value)


def call_shape(
    first: Facts | Sizes | None = None,
    values: dict[str, Any] | None = None,
    *,
    argument: Argument | None = None,
    element: str | None = None,
) -> CallShape:
    """A call with that first tensor, of unknown rank for None, and values of arguments."""
    known = first if isinstance(first, Facts) else tensor(first)
    wanted = None if element is None else BY_NAME[element]
    return CallShape(argument or Argument("value", "int"), values or {}, facts_of, known, wanted)


def formed(form: str, value: Any, first: Facts | Sizes | None = None, /, **values: Any) -> Any:
    """What a form makes of a value in a call with that first tensor and these other arguments."""
    return FORMS[form](value, call_shape(first, values))


def zeros(sizes: tuple[int, ...]) -> Any:
    return np.zeros(sizes, np.float32)


def counted(*sizes: int) -> Any:
    """An array of different elements."""
    return np.arange(int(np.prod(sizes)), dtype=np.float32).reshape(sizes)
