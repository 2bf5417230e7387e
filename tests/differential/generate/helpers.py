"""What the generator knows of a helper, an undecorated function of the same file."""

from __future__ import annotations

from dataclasses import dataclass

from tests.differential.generate.types import Number, Tensor


@dataclass(frozen=True, slots=True)
class Helper:
    """`parameters`: name, type, and whether it has a default; `results`: the element types of what it returns."""

    name: str
    parameters: tuple[tuple[str, Tensor | Number, bool], ...]
    results: tuple[str, ...]
