"""What became of one function of the peer's package."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Outcome:
    """`refused`: cases that onnxruntime runs in the peer's form neither; `narrowed`: cases of integers that meet
    fractions; `note`: what else is to be said."""

    name: str
    compiled: bool = False
    checked: bool = False
    agreed: int = 0
    refused: int = 0
    narrowed: int = 0
    problems: list[str] = field(default_factory=list)
    note: str = ""
    too_large: bool = False  # to be run here

    @property
    def passed(self) -> bool:
        return self.compiled and self.checked and (self.agreed > 0 or self.too_large) and not self.problems
