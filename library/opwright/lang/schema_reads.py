"""What a lowering has asked the schemas of operators, beyond what it looked up: so that one at another opset, at which
all answers are the same, need not be made."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeAlias

# What ONNX's inference has against one call, by the version of its operator.
Verdict: TypeAlias = Callable[[int], str | None]


class SchemaReads:
    """`elements`: the element types, as a bit mask, of which any operator was asked whether it takes or gives them.
    `versions`: operators of ai.onnx of which that was asked which only the same version is sure to answer alike.
    `verdicts`: what ONNX's inference was asked, by the operator's name and the call."""

    __slots__ = ("elements", "verdicts", "versions")

    def __init__(self) -> None:
        self.elements = 0
        self.versions: set[str] = set()
        self.verdicts: dict[tuple[str, Hashable], Verdict] = {}

    def add(self, other: SchemaReads) -> None:
        """All that another one has asked as well."""
        self.elements |= other.elements
        if other.versions:
            self.versions |= other.versions
        if other.verdicts:
            self.verdicts.update(other.verdicts)
