"""Values that a function, or a graph in it, gives without making them, or gives twice.

Emission copies them with an operator that stands nowhere in the source. The function depends on it as on any other: on
its version at the target opset, and on the types that it takes there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from opwright.lang import ir
from opwright.lang.emit import COPIES_SEQUENCES_SINCE
from opwright.lang.infer.result_types import Mismatch, bind
from opwright.lang.lower.nodes.emitted_calls import report_mismatch
from opwright.lang.lower.numbers.number_operands import needs_element
from opwright.lang.lower.state.context import Lowering
from opwright.lang.text.source import Span
from opwright.opsets.records import CONSTANT, IDENTITY, SEQUENCE_ERASE, SEQUENCE_INSERT


def bind_copied_values(low: Lowering, span: Span) -> None:
    """Looks up the operators that copy values of the function, and narrows the function's types to those they take.

    Raises Poisoned where they take none, or where they need an element type that only the caller knows; `span` stands
    for values without a place.
    """
    for value in _copied_values(low.function):
        item = value.type.sequence_item
        if item is not None and low.target.is_before(COPIES_SEQUENCES_SINCE):
            variable = ir.open_element(item.element)
            if variable is not None:  # an empty item of its element type is inserted, and erased again
                raise needs_element(low, variable, span)
            for record in (CONSTANT, SEQUENCE_INSERT, SEQUENCE_ERASE):
                low.operator(record.name, span)
            continue
        signature = low.operator(IDENTITY.name, span).signature
        try:
            bind(signature, [value], low.trail)
        except Mismatch as mismatch:
            raise report_mismatch(low, signature, [value], mismatch, [value.span or span]) from None


def _copied_values(function: ir.Function) -> Iterator[ir.Value]:
    body = function.body
    yield from _given_again(body.yields, function.inputs)
    for node in ir.with_regions(body):
        for region in node.regions():
            made = {value for inner in region.nodes for value in inner.made()}
            yield from (value for value in region.yields if value not in made)
            yield from _given_again(region.yields, ())


def _given_again(values: Collection[ir.Value], before: Collection[ir.Value]) -> Iterator[ir.Value]:
    given = set(before)
    for value in values:
        if value in given:
            yield value
        given.add(value)
