"""Rejects calls that ONNX's inference proves invalid: axes outside a rank, shapes that differ, division by zero.

Runtimes refuse such a call when they load a model, whether it is ever reached or not. What decides is ONNX's own
inference of types and shapes, asked once for each kind of call, of what is certain when the function is built: ranks,
sizes, attributes and constants. What a loop hands on is not certain, nor what a branch gives in another shape. Where
sizes or ranks are unknown, a refusal counts only if it stands whatever they are (see `completions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import BY_CODE
from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.emit import emit_nodes, write_tensor
from opwright.lang.lower.nodes.node_inference import InputType, Sizes, proof
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import makers_of
from opwright.lang.lower.state.lowering_parts import operator_of
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.operands import is_tensor
from opwright.lang.schema_reads import SchemaReads
from opwright.lang.text.source import Span
from opwright.opsets.record import VALUE_FORMS, RankRule, Role
from opwright.opsets.signatures import Signature, signature

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

Shape = tuple[ir.Dimension, ...] | None
Attributes = Mapping[str, ir.Attribute]
Given = tuple[str, ir.AttributeKind, ir.AttributeLiteral | None, ir.TensorKey | None]  # an attribute, as a key has it

_LARGEST_DATA = 4096  # bytes of a constant that may say a shape, axes or counts
_MOST_OUTPUTS = 1 << 16


def refuse_invalid(
    low: Lowering,
    found: Signature,
    inputs: Sequence[ir.Value | None],
    attributes: Attributes,
    count: int,
    span: Span | None,
) -> None:
    """Refuses a call with `count` results that no runtime takes."""
    wrong = _malformed(found, attributes)
    if wrong is not None:
        raise _refuse(low, found, inputs, span, wrong)
    if not low.checks_statically:
        wrong = _one_number_for_list(found, inputs)
        if wrong is None:
            return
        raise _refuse(low, found, inputs, span, wrong)
    if found.record.divides and _divides_by_zero(low, inputs):
        raise low.error(
            "OW312",
            f"{found.name} has no value here",
            span,
            reason="integers are divided by zero, and runtimes refuse that before they run it",
            help="divide by another number, or cast to a float type first",
            subject=found.name,
            depends_on=Choice.INFERRED_TYPE,
        )
    data = [None if value is None else low.contents.get(value) for value in inputs]
    reason = why_invalid(found, inputs, attributes, count, data, low.trail.reads)
    if reason is None:
        return
    certain = _CertainShapes(low)
    sure = [None if value is None else certain.narrowed(value) for value in inputs]
    if any(one is not other for one, other in zip(sure, inputs, strict=True)):
        reason = why_invalid(found, sure, attributes, count, data, low.trail.reads)
        if reason is None:
            return
    said = _one_number_for_list(found, sure) or f"ONNX says of {found.identity} with these: {reason}"
    raise _refuse(low, found, inputs, span, said)


def _refuse(
    low: Lowering, found: Signature, inputs: Sequence[ir.Value | None], span: Span | None, reason: str
) -> Poisoned:
    types = ", ".join(repr(value.type) for value in inputs if value is not None)
    return low.error(
        "OW314",
        f"{found.name} is not defined {f'for {types}' if types else 'with these attributes'}",
        span,
        reason=reason,
        help="fix its attributes, axes, sizes or ranks: runtimes refuse a model with such a call, "
        "even where it is never reached",
        subject=found.name,
        depends_on=Choice.RANK | Choice.INFERRED_TYPE,
    )


def note_contents(low: Lowering, result: ir.Value, attributes: Attributes) -> None:
    """Has later calls know what `op.Constant` gives."""
    for name, attribute in attributes.items():
        form = VALUE_FORMS.get(name)
        if attribute.tensor is not None:
            low.trail.put(low.contents, result, attribute.tensor)
        elif attribute.is_literal and form is not None and form.element == "int64":
            numbers = attribute.items if attribute.items is not None else (attribute.integer or 0,)
            packed = b"".join(int(number).to_bytes(8, "little", signed=True) for number in numbers)
            dims = (len(numbers),) * form.rank
            low.trail.put(low.contents, result, ir.TensorData(low.element_of("int64"), dims, packed))


def _divides_by_zero(low: Lowering, inputs: Sequence[ir.Value | None]) -> bool:
    divisor = inputs[1] if len(inputs) > 1 else None
    data = None if divisor is None else low.contents.get(divisor)
    if data is None or not data.element.is_integer or data.element.bits < 8 or data.packed is None:
        return False
    size = data.element.bits // 8
    packed = data.packed
    return any(not any(packed[start : start + size]) for start in range(0, len(packed), size))


def _one_number_for_list(found: Signature, inputs: Sequence[ir.Value | None]) -> str | None:
    """What is wrong where a tensor of rank 0 is given for a list of numbers, which runtimes refuse."""
    if not found.has_lists:
        return None
    for formal, value in zip(found.inputs, inputs, strict=False):
        if value is not None and found.refuses_rank_0(formal.name) and value.type.carried_shape == ():
            return f"its input `{formal.name}` is a list of numbers, and this is one of rank 0: put it in brackets"
    return None


def why_invalid(
    found: Signature,
    inputs: Sequence[ir.Value | None],
    attributes: Attributes,
    count: int,
    data: Sequence[ir.TensorData | None],
    reads: SchemaReads,
) -> str | None:
    """What ONNX's inference has against a call; None where it has nothing, or is not asked: too little is known.
    That it was asked goes to `reads`."""
    wrong = _malformed(found, attributes)
    if wrong is not None or counts_too_much(found, attributes):
        return wrong
    if found.takes_graphs or (found.record.is_elementwise and not _may_clash(inputs)):
        return None
    wrong = _one_number_for_list(found, inputs) or _permutes_others(found, inputs, attributes)
    if wrong is not None:
        return wrong
    types: list[InputType | None] = []
    for value in inputs:
        if value is None:
            types.append(None)
            continue
        type_ = value.type.carried
        if type_.element is None:
            return None
        types.append((_code(type_.element), _sizes(type_.shape)))
    if types and all(type_ is None or type_[1] is None for type_ in types) and not any(data):
        return None
    given: list[Given] = []
    for name, attribute in attributes.items():
        if attribute.refers_to is not None:
            return None
        tensor = None if attribute.tensor is None else attribute.tensor.key
        given.append((name, attribute.kind, attribute.literal, tensor))
    known = [item.key if item is not None and _is_small(item) else None for item in data]
    call = (tuple(given), tuple(types), tuple(known), count)
    if not found.domain:
        reads.verdicts[found.name, call] = partial(_verdict, "", found.name, call)
    return _verdict(found.domain, found.name, call, found.since_version)


def _permutes_others(found: Signature, inputs: Sequence[ir.Value | None], attributes: Attributes) -> str | None:
    """A permutation of too few axes: ONNX's inference does not count them."""
    if not found.record.permutation:
        return None
    given, value = attributes.get(found.record.permutation), inputs[0] if inputs else None
    order = None if given is None else given.items
    shape = None if value is None else _shape(value)
    if order is None or shape is None or len(order) == len(shape):
        return None
    return f"`perm` says of {len(order)} axes where they go, and there are {len(shape)}"


def _code(element: ir.Element) -> int:
    """An element type; of several that are admitted any, since shapes do not hang on it."""
    mask = ir.element_mask(element)
    return (mask & -mask).bit_length() - 1


def _sizes(shape: Shape) -> Sizes:
    """The shape without names: two of one name are the same for a caller who keeps to it, and only for that one."""
    return None if shape is None else tuple(map(ir.size_of, shape))


def _is_small(data: ir.TensorData) -> bool:
    return data.packed is not None and len(data.packed) <= _LARGEST_DATA


def _may_clash(inputs: Sequence[ir.Value | None]) -> bool:
    """Whether two inputs have known sizes above 1, so that they might not broadcast."""
    sized = 0
    for value in inputs:
        if value is not None and value.type.shape:
            sized += any(size is not None and size != 1 for size in map(ir.size_of, value.type.shape))
    return sized > 1


# Attributes, types of inputs and what they hold, as far as they are known, and the number of results.
_Call = tuple[tuple[Given, ...], tuple[InputType | None, ...], tuple[ir.TensorKey | None, ...], int]


@lru_cache(maxsize=1 << 14)
def _verdict(domain: str, name: str, call: _Call, version: int) -> str | None:
    """What ONNX's inference has against a call however it is completed."""
    attributes, types, data, count = call
    found = signature(domain, name, version)
    if found is None or found.since_version != version:
        return None  # of a schema that is not the installed onnx's
    node, contents = _as_node(found, attributes, types, data, count)
    return proof(node, domain, version, types, contents)


def _as_node(
    found: Signature,
    attributes: tuple[Given, ...],
    types: Sequence[InputType | None],
    data: tuple[ir.TensorKey | None, ...],
    count: int,
) -> tuple[NodeProto, list[TensorProto | None]]:
    """A call as onnx takes it, and the elements of its inputs, as far as they are known."""
    from onnx import GraphProto, TensorProto

    values = [None if type_ is None else ir.Value(ir.UnknownType()) for type_ in types]
    results: list[ir.Value | None] = [ir.Value(ir.UnknownType()) for _ in range(count)]
    names = {value: "" if value is None else f"input_{index}" for index, value in enumerate([*values, None])}
    call = ir.Call(operator_of(found), values, dict(map(_attribute, attributes)), results, None)
    graph = GraphProto()
    emit_nodes([call], found.since_version, names, graph)
    contents: list[TensorProto | None] = []
    for content in data:
        tensor = None if content is None else TensorProto()
        if tensor is not None and content is not None:
            write_tensor(tensor, _tensor(content))
        contents.append(tensor)
    return graph.node[0], contents


def _attribute(given: Given) -> tuple[str, ir.Attribute]:
    name, kind, literal, tensor = given
    return name, ir.AttributeValue(kind, literal if tensor is None else _tensor(tensor))


def _tensor(key: ir.TensorKey) -> ir.TensorData:
    code, dims, data = key
    return ir.TensorData(BY_CODE[code], dims, data)


class _CertainShapes:
    """The shapes that values have on every path; a loop hides them from runtimes, as ONNX's inference has it."""

    def __init__(self, low: Lowering) -> None:
        self.makers = makers_of(low)
        self.found: dict[ir.Value, Shape] = {value: _shape(value) for value in low.function.inputs}

    def narrowed(self, value: ir.Value) -> ir.Value:
        """The value, or one of its type with what is certain of the shape alone."""
        shape = self.of(value)
        if shape == _shape(value) or not is_tensor(value):
            return value
        return ir.Value(ir.TensorType(value.type.element, shape))

    def of(self, value: ir.Value) -> Shape:
        pending = [value]
        while pending:
            item = pending[-1]
            before = [] if item in self.found else [other for other in self._before(item) if other not in self.found]
            if before:
                pending.extend(before)
                continue
            pending.pop()
            if item not in self.found:
                self.found[item] = self._derived(item)
        return self.found[value]

    def _before(self, value: ir.Value) -> list[ir.Value]:
        """The values that say which shape one has."""
        node = self.makers.get(id(value))
        return [] if node is None else _deciding.of(node)(node, self, value)

    def branches(self, node: ir.If, value: ir.Value) -> list[ir.Value]:
        """What both branches give for a result."""
        for region in (node.then, node.orelse):
            self.makers.update({id(result): inner for inner in region.nodes for result in inner.made()})
        index = next(index for index, result in enumerate(node.results) if result is value)
        return [node.then.yields[index], node.orelse.yields[index]]

    def _derived(self, value: ir.Value) -> Shape:
        node, shape = self.makers.get(id(value)), _shape(value)
        if node is None or shape is None:
            return None
        return _derivation.of(node)(node, self, shape, self._before(value))


_deciding: Operation[ir.Node, [_CertainShapes, ir.Value], list[ir.Value]] = Operation(lambda node, shapes, value: [])
_deciding.on(ir.Call)(lambda node, shapes, value: [item for item in node.inputs if item is not None])
_deciding.on(ir.If)(lambda node, shapes, value: shapes.branches(node, value))

Known = tuple[ir.Dimension, ...]
_derivation: Operation[ir.Node, [_CertainShapes, Known, list[ir.Value]], Shape] = Operation(
    lambda node, shapes, shape, before: None  # what a loop hands on is not certain
)
_derivation.on(ir.Const)(lambda node, shapes, shape, before: shape)


@_derivation.on(ir.If)
def _of_branches(node: ir.If, shapes: _CertainShapes, shape: Known, before: list[ir.Value]) -> Shape:
    found = [shapes.found[item] for item in before]
    if any(item is None or len(item) != len(shape) for item in found):
        return None
    return tuple(size if all(item[axis] == size for item in found if item) else None for axis, size in enumerate(shape))


@_derivation.on(ir.Call)
def _of_call(node: ir.Call, shapes: _CertainShapes, shape: Known, before: list[ir.Value]) -> Shape:
    found = [shapes.found[item] for item in before]
    if all(one == _shape(item) for one, item in zip(found, before, strict=True)):
        return shape
    if node.callee.record.ranked_by_length or any(item is None for item in found):
        return None
    return (None,) * len(shape)


def _shape(value: ir.Value) -> Shape:
    return value.type.carried_shape


# --------------------------------------------------------------------------- attributes, whatever the inputs are


def _malformed(found: Signature, attributes: Attributes) -> str | None:
    """What is wrong with attributes as such. ONNX's inference does not look at some of them; over others it does not
    end, or dies."""
    record = found.record
    for name, choices in record.choices.items():
        value = ir.known_integer(attributes, name)
        if value is not None and value not in choices:
            return f"`{name}` is {' or '.join(map(str, choices))}, not {value}"
    if record.rank is RankRule.EQUATION:
        equation = attributes["equation"].text if "equation" in attributes else None
        if equation is not None and any("." in term.replace("...", "", 1) for term in _terms(equation)):
            return "the dots of its equation are no ellipsis (`...`), of which each operand has one at most"
    elif record.role is Role.CONSTANT and len(attributes) != 1:
        given = ", ".join(f"`{name}`" for name in attributes) or "none"
        return f"a constant has one value, in one attribute, and here is {given}"
    for name in record.counts:
        count = ir.known_integer(attributes, name)
        if count is not None and count < 0:
            return f"`{name}` is a number of dimensions, which is not negative"
    return None


def _terms(equation: str) -> list[str]:
    return equation.replace(" ", "").replace("->", ",").split(",")


def counts_too_much(found: Signature, attributes: Attributes) -> bool:
    """Whether ONNX's inference would take as much memory as an attribute says."""
    count = ir.known_integer(attributes, found.record.results) if found.record.results else None
    return count is not None and count > _MOST_OUTPUTS
