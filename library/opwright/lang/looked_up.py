"""What a compiled function depends on: each operator that was looked up, and each question about the target opset.

Two opsets at which every answer is the same give the same function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from opwright.lang.static import compare
from opwright.opsets.signatures import signature


class OpsetQuestion(NamedTuple):
    """`op.version < 13`; an empty symbol where the number itself was used."""

    symbol: str = ""
    bound: int = 0

    def answer(self, opset: int) -> int:
        return int(compare(self.symbol, opset, self.bound)) if self.symbol else opset


class OperatorName(NamedTuple):
    """An operator that was looked up, whether or not there was one."""

    domain: str
    name: str


# The schema version at an opset, None where there is none; the answer to a question.
LookedUp: TypeAlias = dict[OperatorName | OpsetQuestion, int | None]
Answers: TypeAlias = Mapping[OperatorName | OpsetQuestion, int | None]


def same_at(found: Answers, opset: int) -> bool:
    """Whether each look-up would find the same at that opset of ai.onnx, on which other domains do not depend."""
    return all(_answer(key, opset, answer) == answer for key, answer in found.items())


def _answer(key: OperatorName | OpsetQuestion, opset: int, before: int | None) -> int | None:
    if isinstance(key, OpsetQuestion):
        return key.answer(opset)
    if key.domain:
        return before
    now = signature("", key.name, opset)
    return None if now is None else now.since_version


def schemas(found: Answers) -> dict[OperatorName, int | None]:
    """The look-ups of operators alone."""
    return {key: answer for key, answer in found.items() if isinstance(key, OperatorName)}
