"""What a version cannot be built for, opset by opset: as a whole, in a variant, or for an element type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.families.family import Family, Variant
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.text.source import span_of
from opwright.opsets.signatures import ALL_ELEMENTS, mask_of
from opwright.variants import Key

from opwright_build.compile.compiled_version import Unreachable


def unreachable(unit: Unit, families: Sequence[Family]) -> tuple[Unreachable, ...]:
    """`families` are those of consecutive opsets. Neighbours that one thing prevents are one item."""
    gaps: dict[tuple[Key, str, Place], list[Unreachable]] = {}
    found: list[Unreachable] = []
    previous: Family | None = None
    for opset, family in enumerate(families, families[0].opset if families else 0):
        if family is not previous:
            found = list(_of_family(unit, family))
            previous = family
        for gap in found:
            spans = gaps.setdefault((gap.variant, gap.operator, gap.place), [])
            if spans and spans[-1].last == opset - 1:
                last = spans.pop()
                spans.append(Unreachable(last.first, opset, gap.operator, gap.reason, gap.place, gap.variant))
            else:
                spans.append(Unreachable(opset, opset, gap.operator, gap.reason, gap.place, gap.variant))
    return tuple(sorted((gap for spans in gaps.values() for gap in spans), key=lambda gap: gap.first))


def _of_family(unit: Unit, family: Family) -> Iterator[Unreachable]:
    """What is missing at the family's opset."""
    if not family.variants:
        if family.diagnostics and not family.open_axes:
            yield _gap(family.opset, family.diagnostics[0], ())
        return
    for variant in family.refused:
        if variant.lowered.diagnostics:
            yield _gap(family.opset, variant.lowered.diagnostics[0], variant.key)
    yield from _types(unit, family)


def _gap(opset: int, reason: Diagnostic, variant: Key) -> Unreachable:
    assert reason.place is not None
    return Unreachable(opset, opset, reason.subject, reason.message, reason.place, variant)


def _types(unit: Unit, family: Family) -> Iterator[Unreachable]:
    """The declared element types of inputs that no body admits, or that those of some variants do not."""
    taken = {value.type for value in unit.declaration.inputs.values()}
    for name, declared in unit.declaration.types.items():
        asking = [variant for variant in family.variants if name not in dict(variant.key)]
        admitted = ALL_ELEMENTS
        for variant in asking:
            admitted &= _admitted(variant, name)
        for element in declared if name in taken and mask_of(declared) & ~admitted else ():
            without = [variant for variant in asking if not _admitted(variant, name) >> element.code & 1]
            if without and len(without) == len(asking):
                yield _type_gap(unit, family.opset, without[0], name, element, ())
            else:
                yield from (_type_gap(unit, family.opset, item, name, element, item.key) for item in without)


def _admitted(variant: Variant, name: str) -> int:
    assert variant.lowered.function is not None
    return ir.element_mask(variant.lowered.function.variables[name])


def _type_gap(unit: Unit, opset: int, variant: Variant, name: str, element: ElementType, shared: Key) -> Unreachable:
    function = variant.lowered.function
    assert function is not None
    operator = _refused_by(function.variables[name], element)
    short = operator.rpartition("::")[2].partition("@")[0].strip("`")
    taker = f"{operator}, the version at opset {opset}," if operator else f"the body at opset {opset}"
    reason = f"{taker} does not take {element.name}"
    return Unreachable(opset, opset, short, reason, _place(unit, function, operator), ((name, element.name), *shared))


def _refused_by(variable: ir.Element, element: ElementType) -> str:
    taken = variable.narrowed_by if isinstance(variable, ir.TypeVariable) else []
    return next((operator for mask, operator in taken if mask >> element.code & 1), "")


def _place(unit: Unit, function: ir.Function, operator: str) -> Place:
    """Where the body has that operator first; the function where it has none."""
    calls = [node for _, node in ir.walk(function.body) if isinstance(node, ir.Call)]
    spans = (
        node.span
        for node in calls
        if isinstance(node.callee, ir.Operator) and node.callee.signature.identity == operator and node.span is not None
    )
    return unit.module.source.place(next(spans, span_of(unit.node)))
