"""Short names for the primitives that subscripts, shapes and numbers are made of."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.elements import BY_NAME, ElementType
from opwright.lang import ir
from opwright.lang.lower.nodes.emitted_calls import emit
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.operands import is_tensor
from opwright.lang.text.source import Span


class Writer:
    """Writes primitives at one place of the source; the types of their inputs are known to be right."""

    def __init__(self, low: Lowering, span: Span | None) -> None:
        self.low = low
        self.span = span

    def __call__(
        self, name: str, *inputs: ir.Value, **attributes: int | tuple[int, ...] | ir.AttributeReference
    ) -> ir.Value:
        bound: dict[str, ir.Attribute] = {
            key: value
            if isinstance(value, ir.AttributeReference)
            else ir.AttributeValue(ir.AttributeKind.INT if isinstance(value, int) else ir.AttributeKind.INTS, value)
            for key, value in attributes.items()
        }
        return emit(self.low, name, list(inputs), bound, self.span)

    def int64(self, value: int) -> ir.Value:
        """A constant of rank 0."""
        return self._constant((value,), ())

    def int64s(self, values: Sequence[int]) -> ir.Value:
        """A constant of rank 1."""
        return self._constant(values, (len(values),))

    def _constant(self, values: Sequence[int], dims: tuple[int, ...]) -> ir.Value:
        data = b"".join(value.to_bytes(8, "little", signed=True) for value in values)
        return self.low.constant(ir.TensorData(self.low.element_of("int64"), dims, data), self.span)

    def at(self, value: int | ir.Value) -> ir.Value:
        """An int, known or not, as a value of rank 0."""
        return self.int64(value) if isinstance(value, int) else value

    def single(self, value: int | ir.Value) -> ir.Value:
        """The same as a tensor of rank 1 with one element."""
        return self.int64s([value]) if isinstance(value, int) else self.reshape(value, self.int64s([1]))

    def integers(self, values: Sequence[int | ir.Value]) -> ir.Value:
        """An INT64 tensor of rank 1 of ints and of values of one element each."""
        known = [value for value in values if isinstance(value, int)]
        if len(known) == len(values):
            return self.int64s(known)
        pieces = [self.single(value) for value in values]
        joined = pieces[0] if len(pieces) == 1 else self.concat(*pieces, axis=0)
        return typed(joined, "int64", (len(values),))

    def tensor(self, number: ir.Value, element: ir.Element) -> ir.Value:
        """A number as the tensor that carries it: for forms that are written for tensors."""
        if is_tensor(number):
            return number
        return typed(self.identity(number), element, ())

    def unsqueeze(self, value: ir.Value, axes: Sequence[int]) -> ir.Value:
        if self.low.target.is_before(13):
            return self("Unsqueeze", value, axes=tuple(axes))
        return self("Unsqueeze", value, self.int64s(axes))

    # Primitives by name: other modules of the lowering write operators with these, and name none.

    def abs(self, value: ir.Value) -> ir.Value:
        return self("Abs", value)

    def add(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Add", left, right)

    def and_(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("And", left, right)

    def cast(self, value: ir.Value, element: ElementType | ir.AttributeReference) -> ir.Value:
        """The element type is one that is known, or an attribute of the function."""
        return self("Cast", value, to=element.code if isinstance(element, ElementType) else element)

    def cast_like(self, value: ir.Value, like: ir.Value) -> ir.Value:
        return self("CastLike", value, like)

    def ceil(self, value: ir.Value) -> ir.Value:
        return self("Ceil", value)

    def compress(self, value: ir.Value, condition: ir.Value, axis: int) -> ir.Value:
        return self("Compress", value, condition, axis=axis)

    def concat(self, *values: ir.Value, axis: int) -> ir.Value:
        return self("Concat", *values, axis=axis)

    def cos(self, value: ir.Value) -> ir.Value:
        return self("Cos", value)

    def div(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Div", left, right)

    def equal(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Equal", left, right)

    def exp(self, value: ir.Value) -> ir.Value:
        return self("Exp", value)

    def expand(self, value: ir.Value, shape: ir.Value) -> ir.Value:
        return self("Expand", value, shape)

    def floor(self, value: ir.Value) -> ir.Value:
        return self("Floor", value)

    def gather(self, value: ir.Value, indices: ir.Value, axis: int) -> ir.Value:
        return self("Gather", value, indices, axis=axis)

    def gather_nd(self, value: ir.Value, indices: ir.Value) -> ir.Value:
        return self("GatherND", value, indices)

    def greater(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Greater", left, right)

    def greater_or_equal(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("GreaterOrEqual", left, right)

    def identity(self, value: ir.Value) -> ir.Value:
        return self("Identity", value)

    def less(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Less", left, right)

    def less_or_equal(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("LessOrEqual", left, right)

    def log(self, value: ir.Value) -> ir.Value:
        return self("Log", value)

    def max(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Max", left, right)

    def min(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Min", left, right)

    def mod(self, left: ir.Value, right: ir.Value, fmod: int) -> ir.Value:
        return self("Mod", left, right, fmod=fmod)

    def mul(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Mul", left, right)

    def non_zero(self, value: ir.Value) -> ir.Value:
        return self("NonZero", value)

    def not_(self, value: ir.Value) -> ir.Value:
        return self("Not", value)

    def or_(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Or", left, right)

    def pow(self, base: ir.Value, exponent: ir.Value) -> ir.Value:
        return self("Pow", base, exponent)

    def range(self, start: ir.Value, limit: ir.Value, delta: ir.Value) -> ir.Value:
        return self("Range", start, limit, delta)

    def reciprocal(self, value: ir.Value) -> ir.Value:
        return self("Reciprocal", value)

    def reduce_max(self, value: ir.Value) -> ir.Value:
        return self("ReduceMax", value, keepdims=0)

    def reduce_min(self, value: ir.Value) -> ir.Value:
        return self("ReduceMin", value, keepdims=0)

    def reduce_sum(self, value: ir.Value) -> ir.Value:
        return self("ReduceSum", value, keepdims=0)

    def reshape(self, value: ir.Value, shape: ir.Value) -> ir.Value:
        return self("Reshape", value, shape)

    def round(self, value: ir.Value) -> ir.Value:
        return self("Round", value)

    def sequence_at(self, sequence: ir.Value, position: ir.Value) -> ir.Value:
        return self("SequenceAt", sequence, position)

    def sequence_construct(self, *values: ir.Value) -> ir.Value:
        return self("SequenceConstruct", *values)

    def sequence_empty(self, element: ElementType | ir.AttributeReference) -> ir.Value:
        return self("SequenceEmpty", dtype=element.code if isinstance(element, ElementType) else element)

    def sequence_erase(self, sequence: ir.Value, position: ir.Value) -> ir.Value:
        return self("SequenceErase", sequence, position)

    def sequence_insert(self, sequence: ir.Value, value: ir.Value, position: ir.Value | None = None) -> ir.Value:
        return self("SequenceInsert", sequence, value, *(() if position is None else (position,)))

    def sequence_length(self, value: ir.Value) -> ir.Value:
        return self("SequenceLength", value)

    def shape(self, value: ir.Value, **limits: int) -> ir.Value:
        return self("Shape", value, **limits)

    def sign(self, value: ir.Value) -> ir.Value:
        return self("Sign", value)

    def sin(self, value: ir.Value) -> ir.Value:
        return self("Sin", value)

    def size(self, value: ir.Value) -> ir.Value:
        return self("Size", value)

    def slice(self, *inputs: ir.Value) -> ir.Value:
        return self("Slice", *inputs)

    def sqrt(self, value: ir.Value) -> ir.Value:
        return self("Sqrt", value)

    def sub(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Sub", left, right)

    def tile(self, value: ir.Value, repeats: ir.Value) -> ir.Value:
        return self("Tile", value, repeats)

    def transpose(self, value: ir.Value, perm: tuple[int, ...] | None = None) -> ir.Value:
        """Without `perm` the axes are reversed."""
        return self("Transpose", value) if perm is None else self("Transpose", value, perm=perm)

    def where(self, condition: ir.Value, value: ir.Value, other: ir.Value) -> ir.Value:
        return self("Where", condition, value, other)

    def xor(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self("Xor", left, right)


def as_number(value: ir.Value, kind: ir.NumberKind = ir.NumberKind.INT) -> ir.Value:
    """A rank-0 tensor of the kind's carrier that was just written, as a Python number."""
    value.type = ir.NumberType(kind)
    return value


def typed(value: ir.Value, element: str | ir.Element, shape: tuple[ir.Dimension, ...] | None) -> ir.Value:
    """The value with what is known of its type, which inference does not always find."""
    value.type = ir.TensorType(BY_NAME[element] if isinstance(element, str) else element, shape)
    return value
