"""A generated program: its text, what is declared of it, and the inputs that it is run with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Case:
    """One call. `types` maps type variables to element types; an input that is absent has no array."""

    types: dict[str, str]
    arrays: dict[str, np.ndarray[Any, Any]]
    attributes: dict[str, bool | int | float]


@dataclass(frozen=True, slots=True)
class Program:
    """`text` defines `F`; the imports that `tests.lang.conftest_lang` writes stand before it.

    Inputs and outputs map names to element types or type variables, `float/0` with a rank. `meant` to be valid, on
    all of its cases. `other`: the same in another order, to be compared with it. `target`: the opset of the models
    that are made of it under `@script`; it is judged by them alone.
    """

    text: str
    inputs: dict[str, str]
    outputs: dict[str, str]
    types: dict[str, tuple[str, ...]]
    attributes: tuple[str, ...]
    opset: int
    cases: tuple[Case, ...]
    meant: bool = True
    other: str = ""
    target: int | None = None

    def with_text(self, text: str) -> Program:
        return replace(self, text=text)

    def with_order(self, other: str) -> Program:
        return replace(self, other=other)

    def with_cases(self, cases: tuple[Case, ...]) -> Program:
        return replace(self, cases=cases)

    def index_of(self, case: Case) -> int:
        return next(index for index, item in enumerate(self.cases) if item is case)

    def output_types(self, case: Case) -> list[str]:
        names = [type_.partition("/")[0] for type_ in self.outputs.values()]
        return [case.types.get(name, name) for name in names]

    def arguments(self, case: Case) -> dict[str, Any]:
        """What each parameter gets; an attribute that the case leaves out takes its default."""
        inputs = {name: case.arrays.get(name) for name in self.inputs}
        return {**inputs, **case.attributes}

    def describe(self) -> str:
        """The program as a person can try it again."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.text.rstrip()
        if self.other:
            yield f"# and in another order:\n{self.other.rstrip()}"
        if self.target is not None:
            yield f"# target opset {self.target}"
        yield f"# inputs {self.inputs}, outputs {self.outputs}, types {self.types}, opset {self.opset}"
        for case in self.cases:
            arrays = {
                name: f"np.array({array.tolist()}, np.{array.dtype.name}).reshape({array.shape})"
                for name, array in case.arrays.items()
            }
            yield f"# {case.types} {arrays} {case.attributes}"
