"""The interface of a function as one call sees it: a variadic input is as many inputs as are given, each by name; and
what it promises of shapes against the shapes that values have: one rule for vectors, for results, for calls in source,
for calls on arrays and for the nodes of models."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opwright.bundle.format import BodyEntry, FunctionEntry, InputEntry, Shape


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


Known = Sequence[int | None]  # the sizes of a value by axis, None for one that is not known


class Sizes:
    """The sizes that the names of declared shapes stand for in one call, each with the value that it is known from."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, str]] = {}

    def contradiction(self, name: str, declared: Shape | None, known: Known | None) -> str:
        """How the value of that name is not as declared, as the end of a sentence; empty where it may be."""
        if declared is None or known is None:
            return ""
        if len(known) != len(declared):
            return f"has rank {len(known)}, and {shape_text(declared)} is declared"
        for size, wanted in zip(known, declared, strict=True):
            if size is None or wanted is None or size == wanted:
                continue
            if isinstance(wanted, int):
                return f"has shape {_sizes_text(known)}, and {shape_text(declared)} is declared"
            other, source = self._known.setdefault(wanted, (size, name))
            if other != size:
                where = f"{wanted} is {other}" + ("" if source == name else f" in {source}")
                return f"has shape {_sizes_text(known)}, and {shape_text(declared)} is declared, where {where}"
        return ""

    def item_contradiction(self, name: str, declared: Shape | None, known: Known | None) -> str:
        """The same of an item of a sequence, where a name may be another size in each."""
        plain = declared and tuple(size if isinstance(size, int) else None for size in declared)
        return self.contradiction(name, plain, known)

    def filled(self, declared: Shape) -> Shape:
        """The shape with the sizes of the names that are known."""
        return tuple(self._known[size][0] if size in self._known else size for size in declared)

    def numbers(self, declared: Shape) -> tuple[int | None, ...]:
        """Likewise, None for each size that is not known."""
        return tuple(size if isinstance(size, int) else None for size in self.filled(declared))


def shape_text(shape: Shape) -> str:
    """`[2, N, ?]`, or `rank 3` where no size is declared."""
    if all(size is None for size in shape):
        return f"rank {len(shape)}"
    return _sizes_text(shape)


def _sizes_text(shape: Sequence[int | str | None]) -> str:
    return f"[{', '.join('?' if size is None else str(size) for size in shape)}]"
