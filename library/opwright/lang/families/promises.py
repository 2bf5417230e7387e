"""What a function's body owes to the sizes that its annotations promise."""

from __future__ import annotations

from dataclasses import replace

from opwright.lang import ir
from opwright.lang.emit import emit_function
from opwright.lang.facts import RANK
from opwright.lang.families.solve import lower_function
from opwright.lang.lower.state.poison import Question
from opwright.lang.meaning.function_unit import Target, Unit
from opwright.lang.meaning.interface import DeclaredValue
from opwright.variants import Key


def without_sizes(unit: Unit, opset: int, variant: Key) -> tuple[ir.Type, ...] | None:
    """The types of the variant's outputs when only the ranks of its inputs are known; None where its body is then
    another one, or no longer compiles."""
    if any(axis.endswith(RANK) for axis, _ in variant):
        return None  # its facts are not in the form in which they were asked for
    inputs = {name: _forget(value) for name, value in unit.declaration.inputs.items()}
    relaxed = replace(unit, declaration=replace(unit.declaration, inputs=inputs))
    target = Target(opset, dict(variant))
    full, less = lower_function(unit, target), lower_function(relaxed, target)
    if isinstance(full, Question) or isinstance(less, Question):
        return None
    if full.function is None or less.function is None or _bytes(full.function) != _bytes(less.function):
        return None
    return less.outputs


def _forget(value: DeclaredValue) -> DeclaredValue:
    shape = value.shape and tuple(None if isinstance(size, int) else size for size in value.shape)
    return replace(value, shape=shape)


def _bytes(function: ir.Function) -> bytes:
    return emit_function(function, "").SerializeToString(deterministic=True)
