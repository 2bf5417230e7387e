"""What a compiled function depends on: each operator that was looked up, and each question about the target opset.

Two opsets at which every answer is the same give the same function; `carried` says which answers may differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from opwright.lang.meaning.static import compare
from opwright.lang.schema_reads import SchemaReads
from opwright.opsets.signatures import signature

if TYPE_CHECKING:
    from opwright.bundle.format import BodyEntry, FunctionEntry


class OpsetQuestion(NamedTuple):
    """`op.version < 13`; an empty symbol where the number itself was used."""

    symbol: str = ""
    bound: int = 0

    def answer(self, opset: int) -> int:
        return int(compare(self.symbol, opset, self.bound)) if self.symbol else opset

    def is_settled(self, answer: int | None) -> bool:
        """Whether that is the answer at every newer opset, too."""
        return self.symbol in (_TRUE_OF_NEWER if answer else _TRUE_OF_OLDER)


_TRUE_OF_NEWER, _TRUE_OF_OLDER = frozenset((">", ">=")), frozenset(("<", "<="))


class OperatorName(NamedTuple):
    """An operator that was looked up, whether or not there was one."""

    domain: str
    name: str


class VersionQuestion(NamedTuple):
    """Whether an operator's version is older than that one."""

    domain: str
    name: str
    bound: int

    def is_settled(self, answer: int | None) -> bool:
        """Whether that is the answer at every newer opset, too."""
        return answer == 0


Question: TypeAlias = OperatorName | OpsetQuestion | VersionQuestion
# The schema version at an opset, None where there is none; the answer to a question.
Answers: TypeAlias = Mapping[Question, int | None]


class LookedUp(dict[Question, int | None]):
    """Each look-up with its answer. `reads`: what was asked of the operators that were found; `called`: the functions
    of libraries whose bodies were looked at; `written`: the operators that the source itself names, with the newest
    opset for which it does: that one's meaning they have to have everywhere."""

    __slots__ = ("_kinds", "called", "reads", "written")

    def __init__(self) -> None:
        super().__init__()
        self.reads = SchemaReads()
        self.called: dict[tuple[str, str, int], FunctionEntry] = {}
        self.written: dict[str, int] = {}
        self._kinds: tuple[frozenset[str], tuple[Question, ...]] | None = None

    def note_written(self, name: str, opset: int) -> None:
        """The source names that operator, in code for that opset."""
        if self.written.get(name, 0) < opset:
            self.written[name] = opset

    @classmethod
    def like(cls, other: LookedUp) -> LookedUp:
        """Of the same questions with the same answers."""
        found = cls()
        found.update(other)
        found.reads, found.called, found.written = other.reads, other.called, other.written
        found._kinds = other._kinds
        return found

    @property
    def kinds(self) -> tuple[frozenset[str], tuple[Question, ...]]:
        """The operators of ai.onnx that were looked up, and the other questions to which a newer opset may have another
        answer. Asked for once the lowering is over."""
        if self._kinds is None:
            names = frozenset(key.name for key in self if isinstance(key, OperatorName) and not key.domain)
            self._kinds = (
                names,
                tuple(
                    key
                    for key, answer in self.items()
                    if not isinstance(key, OperatorName) and not key.is_settled(answer)
                ),
            )
        return self._kinds


def bodies_at(entry: FunctionEntry, opset: int) -> Sequence[BodyEntry]:
    """The bodies of a library's function that serve an opset."""
    return [body for body in entry.bodies if body.first_opset <= opset <= body.last_opset]


def is_template_at(entry: FunctionEntry, opset: int) -> bool:
    """Whether a template serves that opset, from which bodies are made call by call."""
    return any(item.first_opset <= opset <= item.last_opset for item in entry.templates)


def answer_at(key: Question, opset: int, before: int | None) -> int | None:
    """The answer at that opset; of other domains that `before`, which does not depend on it."""
    if isinstance(key, OpsetQuestion):
        return key.answer(opset)
    if isinstance(key, VersionQuestion):
        if key.domain:
            return before
        found = signature("", key.name, opset)
        return None if found is None else int(found.since_version < key.bound)
    if key.domain:
        return before
    now = signature("", key.name, opset)
    return None if now is None else now.since_version


def schemas(found: Answers) -> dict[OperatorName, int | None]:
    """The look-ups of operators alone."""
    return {key: answer for key, answer in found.items() if isinstance(key, OperatorName)}
