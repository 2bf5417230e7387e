"""A vector as text: its call, and what it expects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from opwright.bundle.format import FunctionEntry

from opwright_build.verify.case_model import Answer, Array, Case, ExpectedItems, Items, Value
from opwright_build.verify.dtypes import element_of

MOST_VALUES = 8  # of a tensor that are shown


def case_text(case: Case, entry: FunctionEntry) -> str:
    """`com.acme::Swish@1 edges (specs/com.acme/Swish/vectors.yaml:3)`, and a line for each value."""
    place = f" ({case.place.file}:{case.place.line})" if case.place.line else f" ({case.place.file})"
    lines = [f"{case.identity} {case.name}{place}"]
    lines += (f"  {name} = {value}" for name, value in sorted(case.attributes.items()))
    lines += _lines([item.name for item in entry.inputs], [_value_text(value) for value in case.inputs], "")
    if case.error:
        lines.append(f"  -> an error that contains {case.error!r}")
    elif case.expected is None:
        lines.append("  -> what the reference says")
    else:
        names = [item.name for item in entry.outputs]
        lines += _lines(names, [_answer_text(answer) for answer in case.expected], "-> ")
    return "\n".join(lines)


def _lines(names: Sequence[str], values: Sequence[str], mark: str) -> list[str]:
    """The last name again where there are more values: it is variadic."""
    named = list(names)
    named += named[-1:] * (len(values) - len(named))
    return [f"  {mark}{name}: {value}" for name, value in zip(named, values, strict=False)]


def _answer_text(answer: Answer | None) -> str:
    if answer is None:
        return "anything"
    if isinstance(answer, ExpectedItems):
        return _value_text(Items(answer.kind, tuple(item.array for item in answer.items)))
    return _value_text(answer.array)


def _value_text(value: Value | None) -> str:
    if value is None:
        return "absent"
    if isinstance(value, Items):
        return f"seq({value.kind}) of {len(value.arrays)}: " + "; ".join(map(_array_text, value.arrays[:MOST_VALUES]))
    return _array_text(value)


def _array_text(array: Array) -> str:
    flat = array.reshape(-1)[:MOST_VALUES]
    numbers = flat.astype(np.float64) if flat.dtype.kind == "V" else flat
    shown = ", ".join(str(item) for item in numbers.tolist())
    more = f", ... {array.size:,} values" if array.size > MOST_VALUES else ""
    return f"{element_of(array).name}[{', '.join(map(str, array.shape))}] {shown}{more}"
