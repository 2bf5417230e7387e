"""The interface of a function as one call sees it: a variadic input is as many inputs as are given, each by name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opwright.bundle.format import BodyEntry, FunctionEntry, InputEntry


def spread_names(name: str, count: int, taken: Collection[str]) -> list[str]:
    """What `*name` stands for: `xs_0`, `xs_1`, ..., different from the names of all other parameters."""
    while any(f"{name}_{index}" in taken for index in range(count)):
        name += "_"
    return [f"{name}_{index}" for index in range(count)]


def inputs_of_call(entry: FunctionEntry, count: int) -> tuple[InputEntry, ...]:
    """The inputs of a call with that many: those of the interface, the variadic last one for each that is given."""
    if not entry.inputs or not entry.inputs[-1].variadic:
        return entry.inputs
    *single, last = entry.inputs
    taken = {item.name for item in entry.inputs} | {item.name for item in entry.attributes}
    names = spread_names(last.name, max(count - len(single), 0), taken)
    return (*single, *(replace(last, name=name) for name in names))


ANY = "any"  # as a type: a tensor or a sequence of whatever element type; of a variadic input, each of its own
_WRAPPERS = ("seq", "optional")


def split_type(text: str) -> tuple[tuple[str, ...], str]:
    """`seq(T)` as what it is wrapped in, outermost first, and what is in there."""
    wrap: list[str] = []
    while text.endswith(")") and text.partition("(")[0] in _WRAPPERS:
        kind, _, rest = text.partition("(")
        wrap.append(kind)
        text = rest[:-1]
    return tuple(wrap), text


def outputs_of(entry: FunctionEntry, body: BodyEntry) -> tuple[str, ...]:
    """The names of a body's outputs."""
    return body.outputs or tuple(item.name for item in entry.outputs)
