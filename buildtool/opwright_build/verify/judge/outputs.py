"""Is an output right? Element type and shape exactly, values as the case's judge says.

Both judges: nan agrees with nan and with nothing else, an infinity with the same infinity alone, and -0.0 with 0.0.
The sign of a zero is not judged, not even where the tolerance is exact: ONNX says nowhere which one an operator
gives, and runtimes differ. A case that means it divides by the result. Strings and truth values are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from opwright.elements import ElementType

from opwright_build.spec.model import Tolerance
from opwright_build.verify.case_model import (
    Answer,
    Array,
    Expected,
    ExpectedItems,
    Items,
    Judge,
    RandomJudge,
    SuiteJudge,
    ToleranceJudge,
    Value,
)
from opwright_build.verify.dtypes import element_of

# The suite's own runner grants bfloat16 outputs two units in the last place, whatever the case says.
_SUITE_BFLOAT16 = 2.0**-6
_SIGN = np.uint64(1 << 63)


def judge_outputs(
    judge: Judge,
    names: Sequence[str],
    expected: Sequence[Answer | None],
    actual: Sequence[Value],
) -> str:
    """What is wrong with the first wrong output, in one line; empty when all that a case expects are right."""
    if len(actual) < len(expected):
        return f"{len(actual)} outputs, expected {len(expected)}"
    for name, wanted, got in zip(names, expected, actual, strict=False):
        if wanted is None:
            continue
        if isinstance(wanted, ExpectedItems):
            message = _sequence_mismatch(judge, wanted, got)
        elif isinstance(got, Items):
            message = "is a sequence, expected a tensor"
        else:
            message = mismatch(judge, wanted, got)
        if message:
            return f"{name} {message}"
    return ""


def _sequence_mismatch(judge: Judge, expected: ExpectedItems, actual: Value) -> str:
    """What is wrong with a sequence: its length, its type where it holds nothing, or its first wrong item."""
    if not isinstance(actual, Items):
        return "is a tensor, expected a sequence"
    if len(actual.arrays) != len(expected.items):
        return f"has {len(actual.arrays)} items, expected {len(expected.items)}"
    if not actual.arrays and actual.kind not in ("", expected.kind):
        return f"is a sequence of {actual.kind}, expected {expected.kind}"
    for index, (wanted, got) in enumerate(zip(expected.items, actual.arrays, strict=True)):
        message = mismatch(judge, wanted, got)
        if message:
            return f"[{index}] {message}"
    return ""


def mismatch(judge: Judge, expected: Expected, actual: Array) -> str:
    """What is wrong with one output; empty when it is right."""
    wanted = expected.array
    if actual.shape != wanted.shape:
        return f"has shape {list(actual.shape)}, expected {list(wanted.shape)}"
    if actual.dtype != wanted.dtype and element_name(actual) != element_name(wanted):
        return f"has element type {element_name(actual)}, expected {element_name(wanted)}"
    if isinstance(judge, RandomJudge):
        return _judge_random(judge, actual)
    # Most outputs are equal to the last bit, and this is by far the cheapest way to find out.
    if wanted.dtype.kind != "O" and actual.tobytes() == wanted.tobytes():
        return ""
    kind = element_of(wanted)
    if kind.is_float:
        return _judge_floats(judge, kind, expected, actual)
    if kind.kind == "complex":
        return mismatch(judge, _as_pairs(expected), _pairs(actual))
    if kind.is_integer:
        return _judge_integers(judge, kind, wanted, actual)
    return _report(wanted, actual, np.asarray(actual != wanted, dtype=bool), None)


def _judge_random(judge: RandomJudge, actual: Array) -> str:
    if not judge.values and judge.mean is None:
        return ""
    if element_name(actual) == "string":
        return "holds strings, of which numbers are said"
    numbers = actual.astype(np.complex128 if np.iscomplexobj(actual) else np.float64)
    strange = ~np.isin(numbers, judge.values) if judge.values else np.zeros(numbers.shape, dtype=bool)
    if strange.any():
        return f"has {numbers[strange].flat[0]:g} among its elements, which is none of {list(judge.values)}"
    if judge.mean is not None and not abs(numbers.mean() - judge.mean) <= judge.within:
        return f"has the mean {numbers.mean():g}, expected {judge.mean:g} give or take {judge.within:g}"
    return ""


def element_name(array: Array) -> str:
    try:
        return element_of(array).name
    except KeyError:
        return str(array.dtype)


def ulp_distance(left: Array, right: Array, kind: ElementType) -> Array:
    """How many values of the type lie between two finite values, as uint64; zero for -0.0 and 0.0."""
    a, b = _bits(left), _bits(right)
    if kind.name == "float8e8m0":  # powers of two alone, without a sign
        return _apart(a, b)
    sign = np.uint64(1 << (kind.bits - 1))
    magnitude_a, magnitude_b = a & (sign - np.uint64(1)), b & (sign - np.uint64(1))
    return np.where((a & sign) == (b & sign), _apart(magnitude_a, magnitude_b), magnitude_a + magnitude_b)


def _judge_floats(judge: SuiteJudge | ToleranceJudge, kind: ElementType, expected: Expected, actual: Array) -> str:
    wanted = expected.array
    got64, wanted64 = actual.astype(np.float64), wanted.astype(np.float64)
    same = (got64 == wanted64) | (np.isnan(got64) & np.isnan(wanted64))
    if same.all():
        return ""
    finite = np.isfinite(got64) & np.isfinite(wanted64)
    with np.errstate(invalid="ignore", over="ignore"):
        match judge:
            case SuiteJudge(rtol, atol):
                rtol = max(rtol, _SUITE_BFLOAT16) if kind.name == "bfloat16" else rtol
                close = np.abs(got64 - wanted64) <= atol + rtol * np.abs(wanted64)
            case ToleranceJudge():
                tolerance = tolerance_for(judge, kind)
                exact = wanted64 if expected.exact is None else expected.exact
                close = ulp_distance(actual, wanted, kind).astype(np.float64) <= tolerance.ulp
                close |= np.abs(got64 - exact) <= tolerance.absolute * judge.scale
    wrong = ~(same | (finite & close))
    if not wrong.any():
        return ""
    distance = np.where(finite, ulp_distance(actual, wanted, kind).astype(np.float64), np.inf)
    return _report(wanted, actual, wrong, distance) + _allowed(judge, kind)


def _judge_integers(judge: SuiteJudge | ToleranceJudge, kind: ElementType, wanted: Array, actual: Array) -> str:
    wide = np.uint64 if kind.kind == "uint" else np.int64
    a, b = actual.astype(wide), wanted.astype(wide)
    if kind.kind == "int":  # the order is kept, and differences fit into the unsigned type
        a, b = a.view(np.uint64) ^ _SIGN, b.view(np.uint64) ^ _SIGN
    apart = _apart(a, b)
    match judge:
        case SuiteJudge(rtol, atol):
            allowed = atol + rtol * np.abs(wanted.astype(np.float64))
        case ToleranceJudge():
            tolerance = tolerance_for(judge, kind)
            allowed = np.asarray(max(tolerance.ulp, tolerance.absolute * judge.scale))
    wrong = apart.astype(np.float64) > allowed
    return _report(wanted, actual, wrong, None) + _allowed(judge, kind) if wrong.any() else ""


def _allowed(judge: SuiteJudge | ToleranceJudge, kind: ElementType) -> str:
    """What is said of the tolerance where it is the runtime's own."""
    if not isinstance(judge, ToleranceJudge) or not judge.runtime:
        return ""
    tolerance = tolerance_for(judge, kind)
    absolute = tolerance.absolute * judge.scale
    return f"; the tolerance of {judge.runtime} for {kind.name} is {tolerance.ulp:g} ulp or {absolute:.3g}"


def tolerance_for(judge: ToleranceJudge, kind: ElementType) -> Tolerance:
    """The tolerance of an output's element type; exact where the case names none."""
    return judge.tolerances.get(kind.name) or judge.tolerances.get("default") or Tolerance(0.0, 0.0)


def _report(wanted: Array, actual: Array, wrong: Array, distance: Array | None) -> str:
    """The first wrong element, and the worst one where that is another. `distance` is in units in the last place."""
    count = int(np.count_nonzero(wrong))
    if count == 0:
        return ""
    first = tuple(int(axis[0]) for axis in np.nonzero(np.atleast_1d(wrong)))[: wanted.ndim]
    text = f"differs in {count} of {wanted.size} elements: {_element(wanted, actual, distance, first)}"
    if distance is not None and count > 1:
        flat = int(np.argmax(np.where(wrong, distance, -1.0)))
        worst = tuple(int(step) for step in np.unravel_index(flat, wanted.shape))
        if worst != first:
            text += f"; worst {_element(wanted, actual, distance, worst)}"
    return text


def _element(wanted: Array, actual: Array, distance: Array | None, index: tuple[int, ...]) -> str:
    text = f"at {list(index)} {_value(actual[index])}, expected {_value(wanted[index])}"
    if distance is not None and np.isfinite(distance[index]):
        text += f" ({int(distance[index])} ulp)"
    return text


def _value(item: object) -> str:
    return repr(item) if isinstance(item, str) else str(item)


def _apart(a: Array, b: Array) -> Array:
    with np.errstate(over="ignore"):  # the branch not taken wraps around
        return np.where(a > b, a - b, b - a)


def _bits(array: Array) -> Array:
    dense = np.ascontiguousarray(array).reshape(array.shape)
    return dense.view(f"u{dense.dtype.itemsize}").astype(np.uint64)


def _pairs(array: Array) -> Array:
    """Complex numbers as (real, imaginary) along a new last axis."""
    part = np.float32 if array.dtype.itemsize == 8 else np.float64
    return np.ascontiguousarray(array).reshape(array.shape).view(part).reshape(*array.shape, 2)


def _as_pairs(expected: Expected) -> Expected:
    exact = expected.exact
    return Expected(_pairs(expected.array), None if exact is None else _pairs(exact.astype(np.complex128)))
