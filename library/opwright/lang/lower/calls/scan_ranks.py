"""What onnxruntime must derive to run a Scan: the rank of everything that its body gives.

Ranks that we know are written down. Of the others those can be derived, once a model gives types to its inputs, that
follow from inputs by operators alone. The rank of a loop-carried value is not derived.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.lower.numbers.ranks import Sources
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import Makers, makers_of, need_copies
from opwright.lang.text.source import Span
from opwright.opsets.record import LengthRule, RankRule

# Of values whose ranks are those of others: which; None where none is derived.
Origins = Mapping[ir.Value, Sequence[ir.Value] | None]


def yielded_ranks(low: Lowering, region: ir.Region, entering: Sequence[ir.Value], span: Span) -> list[list[ir.Value]]:
    """The inputs from whose ranks those of what the body of a Scan gives are derived, or a finding where none can be.

    A loop over a static range that hides a rank is unrolled. `entering`: where the parameters of the body come from.
    """
    if all(value.type.carried_shape is not None for value in region.yields):
        return [[] for _ in region.yields]
    makers = makers_of(low)
    makers.update(_makers(region))
    came = {parameter: (value,) for parameter, value in zip(region.parameters, entering, strict=True)}
    origins = ChainMap[ir.Value, Sequence[ir.Value] | None]({**came}, low.rank_origins)
    inputs = frozenset(map(id, low.function.inputs))
    found = []
    for value in region.yields:
        ends, hidden = _trace(value, makers, inputs, origins)
        if hidden is not None:
            need_copies(low, hidden)
            name = f" of `{hidden.name}`" if hidden.name else ""
            raise low.error(
                "OW360",
                f"the rank{name} is not known when the function is built, and Scan needs it",
                span,
                reason="runtimes need the ranks of all values that the body returns, and infer none behind a loop",
                help="annotate the parameters with their dimensions, or give the rank with `op.Reshape` to a list of "
                "known length",
                depends_on=Choice.LOOP_FORM,
            )
        found.append(ends)
    return found


def rank_sources(function: ir.Function, values: Sequence[ir.Value]) -> tuple[tuple[int, ...] | None, ...]:
    """The positions of the inputs from whose ranks that of each value is derived; None where it cannot be."""
    if all(value.type.carried_shape is not None for value in values):
        return ((),) * len(values)
    positions = {id(item): index for index, item in enumerate(function.inputs)}
    inputs, makers = frozenset(positions), _makers(function.body)
    found: list[tuple[int, ...] | None] = []
    for value in values:
        ends, hidden = _trace(value, makers, inputs, {})
        found.append(None if hidden is not None else tuple(sorted(positions[id(item)] for item in ends)))
    return tuple(found)


def _makers(region: ir.Region) -> dict[int, ir.Node]:
    makers: dict[int, ir.Node] = {}
    for node in region.nodes:
        if type(node) is ir.Call and len(node.results) == 1:
            makers[id(node.results[0])] = node
        else:
            makers.update((id(result), node) for result in node.made())
    return makers


def _trace(
    value: ir.Value, makers: Makers, inputs: frozenset[int], origins: Origins
) -> tuple[list[ir.Value], ir.Value | None]:
    """The inputs that decide the rank of a value, and what hides it, if anything does."""
    ends: list[ir.Value] = []
    seen: set[int] = set()
    pending = [value]
    while pending:
        item = pending.pop()
        if id(item) in seen or item.type.carried_shape is not None:
            continue
        seen.add(id(item))
        if id(item) in inputs:
            ends.append(item)
            continue
        before = origins[item] if item in origins else _before(makers, inputs, item)
        if before is None:
            return ends, item
        pending.extend(before)
    return ends, None


def _before(makers: Makers, inputs: frozenset[int], value: ir.Value) -> Sequence[ir.Value] | None:
    """The values whose ranks say which one the value has; None where they do not."""
    node = makers.get(id(value))
    if isinstance(node, ir.If):
        source = Sources(inputs, ChainMap({}, makers)).of(value, None)
        return None if source is None else (source,)
    if not isinstance(node, ir.Call) or type(node.callee) is not ir.Operator or node.callee.signature.domain:
        return None
    record, given = node.callee.signature.record, node.read()
    if record.keeps_rank:
        return given[:1]
    if record.rank is RankRule.BROADCAST:
        return given
    if record.rank is RankRule.UNKNOWN:
        return None
    if not record.ranked_by_length:
        return given
    shape = makers.get(id(given[1])) if len(given) > 1 else None
    if isinstance(shape, ir.Call) and shape.callee.record.length is LengthRule.SHAPE:
        return [given[0], *(item for item in shape.inputs if item is not None)]
    return given[:1] if _has_length(given[1:]) else None


def _has_length(given: Sequence[ir.Value]) -> bool:
    """Whether the list that says the rank has a known length, or is an attribute."""
    return not given or ir.size_of((given[0].type.shape or (None,))[0]) is not None
