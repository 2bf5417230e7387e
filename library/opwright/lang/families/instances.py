"""A template for one call: its questions are answered by what the call says, one by one, as they are asked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from onnx import GraphProto

from opwright.lang import facts
from opwright.lang.families.family import key_order
from opwright.lang.families.solve import Solver
from opwright.lang.looked_up import LookedUp
from opwright.lang.lower.function import Lowered, variadic_names
from opwright.lang.lower.state.poison import Question
from opwright.lang.meaning.function_unit import Target, Unit
from opwright.lang.meaning.interface import Arity
from opwright.lang.meaning.objects import GraphObject
from opwright.lang.meaning.operands import Operand
from opwright.variants import Key

# The answer to a question, by its axis and the values among which it must choose (none: any); None: not known.
Answer = Callable[[str, tuple[str, ...]], str | None]

_MOST_QUESTIONS = 256
_GRAPH_DIGITS = 16


class MissingFact(Exception):
    """A template asks for a fact that its call does not tell."""

    def __init__(self, axis: str) -> None:
        self.axis = axis
        super().__init__(axis)


@dataclass(frozen=True, slots=True)
class TemplateInstance:
    """A template for one call: the facts that it asked for, and what it became; `outputs` are their names."""

    key: Key
    lowered: Lowered
    looked_up: LookedUp

    @property
    def outputs(self) -> tuple[str, ...]:
        return () if self.lowered.function is None else tuple(self.lowered.function.outputs)


def specialise(
    unit: Unit,
    opset: int,
    answer: Answer,
    graphs: Mapping[str, GraphObject | None],
    said: Mapping[str, str] | None = None,
) -> TemplateInstance:
    """The template at that opset. `graphs` are the values of its graph attributes, all of them; `said` are facts of the
    call that the unit itself holds, by axis.

    Raises MissingFact where `answer` knows none; what is wrong otherwise stands in the result's diagnostics.
    """
    looked_up = LookedUp()
    with Solver(unit, Target(opset, {}, graphs), looked_up) as solver:
        for _ in range(_MOST_QUESTIONS):
            lowered = solver.next()
            known = solver.facts
            if isinstance(lowered, Question):
                found = answer(lowered.axis, lowered.values)
                if found is None or known.get(lowered.axis) == found:
                    raise MissingFact(lowered.axis)
                solver.split(lowered, (found,))
                continue
            named = {**known, **(said or {}), **{name: graph_fact(graph) for name, graph in graphs.items()}}
            order: dict[str, float] = {**key_order(unit)}
            several = next((item.name for item in unit.interface.inputs if item.arity is Arity.VARIADIC), "")
            items = variadic_names(unit, several, int(named[several])) if several in named else ()
            order.update((item, order[several] + 0.5) for item in items if item not in order)
            key = sorted(named.items(), key=lambda item: order.get(item[0], len(order)))
            return TemplateInstance(tuple((axis, facts.shown(fact)) for axis, fact in key), lowered, looked_up)
    raise MissingFact(next(reversed(solver.facts)))


def choose_rank(rank: int, values: tuple[str, ...]) -> str | None:
    """The answer to a question for a rank: the very one, or the one value that does not rule it out."""
    if not values or str(rank) in values:
        return str(rank)
    return next((value for value in values if rank not in (facts.excluded_ranks(value) or (rank,))), None)


def choose_attribute(value: Operand, values: tuple[str, ...]) -> str | None:
    """The answer to a question for an attribute: its value, or whether it has one."""
    fact = facts.fact_of(value)
    if values == (facts.ABSENT, facts.PRESENT):
        return facts.ABSENT if value is None else facts.PRESENT
    return fact if not values or fact in values else None


def graph_fact(graph: GraphObject | None) -> str:
    """What a variant's key says of a graph: `absent`, or the beginning of its sha256."""
    if graph is None:
        return facts.ABSENT
    return graph_digest(graph.proto)


def graph_digest(proto: GraphProto) -> str:
    """The beginning of the sha256 of a GraphProto's deterministic bytes."""
    return hashlib.sha256(proto.SerializeToString(deterministic=True)).hexdigest()[:_GRAPH_DIGITS]
