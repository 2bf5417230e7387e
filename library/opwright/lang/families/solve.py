"""The driver of questions: lowers a function once for each answer to each question that it asks of its callers.

Lowering is continued at the statement that the answer is about (see `lower/paths/checkpoints.py`). It begins anew only
where the function's own operators turn out to admit fewer element types than declared, since constants depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.looked_up import LookedUp
from opwright.lang.lower.function import Attempt, Lowered
from opwright.lang.lower.paths.checkpoints import Checkpoint
from opwright.lang.lower.state.lowering_parts import LoopPlans
from opwright.lang.lower.state.poison import Question
from opwright.lang.meaning.function_unit import Target, Unit
from opwright.opsets.signatures import mask_of

_mask_of = lru_cache(maxsize=1 << 10)(mask_of)  # few sets of element types stand in many declarations


class _Case:
    """A set of answers; `checkpoint` of `attempt` is where lowering goes on for them."""

    __slots__ = ("attempt", "checkpoint", "facts")

    def __init__(
        self, facts: dict[str, str], attempt: Attempt | None = None, checkpoint: Checkpoint | None = None
    ) -> None:
        self.facts = facts
        self.attempt = attempt
        self.checkpoint = checkpoint


class Solver:
    """The cases of a function at one opset that are still to be lowered, those that were split last first.

    A context manager: leaving it ends all attempts.
    """

    def __init__(self, unit: Unit, target: Target, looked_up: LookedUp) -> None:
        """`looked_up` gets every look-up of an operator, those of cases that end in a question included."""
        self._unit = unit
        self._opset = target.opset
        self._values = target.values
        self._looked_up = looked_up
        self._masks = {name: _mask_of(elements) for name, elements in unit.declaration.types.items()}
        self._pending = [_Case(dict(target.facts))]
        self._last = self._pending[0]
        self._attempts: list[Attempt] = []

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, *_: object) -> None:
        for attempt in self._attempts:
            attempt.close()

    @property
    def pending(self) -> int:
        """How many cases are still to be lowered."""
        return len(self._pending)

    @property
    def axes(self) -> tuple[str, ...]:
        """What the next case answers."""
        return tuple(self._pending[-1].facts)

    @property
    def facts(self) -> dict[str, str]:
        """The answers of the case that was lowered last."""
        return self._last.facts

    def next(self) -> Lowered | Question:
        """Lowers the next case: what it becomes, or what it asks."""
        case = self._last = self._pending.pop()
        masks = dict(self._masks)
        masks.update((name, 1 << BY_NAME[case.facts[name]].code) for name in masks if name in case.facts)
        if case.attempt is None or case.checkpoint is None:
            case.attempt = self._attempt(case, masks)
            found = case.attempt.run()
        else:
            shared = any(other.attempt is case.attempt for other in self._pending)
            found = case.attempt.resume(case.checkpoint, case.facts, shared)
        if not isinstance(found, Question):
            found = self._narrowed(case, masks, found)
        return found if isinstance(found, Question) else found.deferred or found

    def split(self, question: Question, values: Sequence[str]) -> None:
        """Goes on with the case that was lowered last once for each answer, in their order."""
        case = self._last
        checkpoint = None if case.attempt is None else case.attempt.first_mention(question.axis)
        for value in reversed(values):
            self._pending.append(_Case({**case.facts, question.axis: value}, case.attempt, checkpoint))

    def _attempt(
        self,
        case: _Case,
        masks: Mapping[str, int],
        plans: LoopPlans | None = None,
        narrowed_by: Mapping[str, list[tuple[int, str]]] | None = None,
    ) -> Attempt:
        target = Target(self._opset, case.facts, self._values)
        attempt = Attempt(self._unit, target, masks, self._looked_up, plans, narrowed_by)
        self._attempts.append(attempt)
        return attempt

    def _narrowed(self, case: _Case, masks: Mapping[str, int], found: Lowered) -> Lowered | Question:
        """The function, lowered until its type variables narrow no further."""
        attempt = case.attempt
        while True:
            assert attempt is not None
            variables = attempt.function.variables
            left = {name: ir.element_mask(element) for name, element in variables.items()}
            if all(left[name] == mask for name, mask in masks.items()) or attempt.is_final(masks, left):
                return found
            masks = {name: left[name] for name in masks}
            reasons = {name: item.narrowed_by for name, item in variables.items() if isinstance(item, ir.TypeVariable)}
            plans = LoopPlans()
            for plan, before in zip(plans.all, attempt.low.loops.plans.all, strict=True):
                plan.update(dict.fromkeys(before, -1))
            attempt = self._attempt(case, masks, plans, reasons)
            outcome = attempt.run()
            if isinstance(outcome, Question):
                case.attempt = None  # each answer begins with all element types again
                return outcome
            found = outcome


def lower_function(unit: Unit, target: Target) -> Lowered | Question:
    """The function for one set of facts, or a question that they leave open."""
    with Solver(unit, target, LookedUp()) as solver:
        return solver.next()
