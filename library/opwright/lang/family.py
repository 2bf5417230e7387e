"""The variants of a function at one opset: lowered again for each answer to each static question that it asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from opwright.diagnostics.model import Diagnostic, has_errors
from opwright.lang import ir
from opwright.lang.lower import LookedUp, Lowered, NeedsFact, Target, Unit, lower_function
from opwright.opsets.signatures import elements_of

VARIANT_LIMIT = 64

# What says that an operator refuses an element type: such a variant does not exist, and that is no error by itself.
_TYPE_REFUSED = frozenset({"OW208"})


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant: the facts that choose it, in the order of its axes, and its function."""

    key: tuple[tuple[str, str], ...]
    lowered: Lowered


@dataclass(frozen=True, slots=True)
class Family:
    """All variants at one opset. `refused` are the variants whose element type some operator does not take.

    `looked_up` maps each operator that was looked up to the schema version found (None: there was none): two opsets
    at which it is the same give the same family.
    """

    opset: int
    variants: tuple[Variant, ...]
    refused: tuple[Variant, ...]
    looked_up: Mapping[tuple[str, str], int | None]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def calls(self) -> bool:
        return any(variant.lowered.calls for variant in self.variants)


def build_family(unit: Unit, opset: int) -> Family:
    """Every variant of the function at that opset, in the order of the declared values of each axis."""
    order = _axis_order(unit)
    pending: list[dict[str, str]] = [{}]
    variants: list[Variant] = []
    looked_up: LookedUp = {}
    while pending:
        facts = pending.pop()
        if len(variants) + len(pending) >= VARIANT_LIMIT:
            return Family(opset, (), (), looked_up, (_too_many(unit),))
        try:
            lowered = lower_function(unit, Target(opset, facts), looked_up)
        except NeedsFact as question:
            pending.extend({**facts, question.axis: value} for value in reversed(question.values))
            continue
        key = tuple(sorted(facts.items(), key=lambda item: order.get(item[0], len(order))))
        variants.append(Variant(key, lowered))
    good = tuple(variant for variant in variants if variant.lowered.function is not None)
    refused = tuple(
        variant for variant in variants if variant not in good and good and _only_types_refused(variant.lowered)
    )
    found: dict[Diagnostic, None] = {}
    for variant in variants:
        if variant not in refused:
            found.update(dict.fromkeys(variant.lowered.diagnostics))
    return Family(opset, () if has_errors(found) else good, refused, looked_up, tuple(found))


def _only_types_refused(lowered: Lowered) -> bool:
    return all(item.code in _TYPE_REFUSED for item in lowered.diagnostics)


def _axis_order(unit: Unit) -> dict[str, int]:
    """Type variables first, then inputs, then attributes, each as declared."""
    names = [
        *unit.declaration.types,
        *(item.name for item in unit.interface.inputs),
        *(item.name for item in unit.interface.attributes),
    ]
    return {name: position for position, name in enumerate(names)}


def _too_many(unit: Unit) -> Diagnostic:
    from opwright.lang.source import span_of

    return Diagnostic(
        "OW219",
        f"`{unit.node.name}` has more than {VARIANT_LIMIT} variants",
        unit.module.source.place(span_of(unit.node)),
        reason="each static question that it asks multiplies them",
        help="ask fewer questions, or rule combinations out",
    )


def admitted(function: ir.Function) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The element types that the function's operators accept, per declared type variable."""
    return tuple(
        (name, tuple(element.name for element in elements_of(ir.element_mask(variable))))
        for name, variable in function.variables.items()
    )
