"""Short names for the primitives that subscripts, shapes and numbers are made of."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.lang import ir
from opwright.lang.lower.context import Lowering
from opwright.lang.source import Span


class Writer:
    """Writes primitives at one place of the source; the types of their inputs are known to be right."""

    def __init__(self, low: Lowering, span: Span | None) -> None:
        self.low = low
        self.span = span

    def __call__(self, name: str, *inputs: ir.Value, **attributes: int | tuple[int, ...]) -> ir.Value:
        from opwright.lang.lower.calls import emit

        bound: dict[str, ir.Attribute] = {
            key: ir.AttributeValue(ir.AttributeKind.INT if isinstance(value, int) else ir.AttributeKind.INTS, value)
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

    def integers(self, values: Sequence[int | ir.Value]) -> ir.Value:
        """An INT64 tensor of rank 1 of ints and of values of one element each."""
        if all(isinstance(value, int) for value in values):
            return self.int64s([value for value in values if isinstance(value, int)])
        pieces = [
            self.int64s([value]) if isinstance(value, int) else self("Reshape", value, self.int64s([1]))
            for value in values
        ]
        joined = pieces[0] if len(pieces) == 1 else self("Concat", *pieces, axis=0)
        return typed(joined, "int64", (len(values),))

    def tensor(self, number: ir.Value, element: ir.Element) -> ir.Value:
        """A number as the tensor that carries it: for forms that are written for tensors."""
        if isinstance(number.type, ir.TensorType):
            return number
        return typed(self("Identity", number), element, ())

    def unsqueeze(self, value: ir.Value, axes: Sequence[int]) -> ir.Value:
        if self.low.opset >= 13:
            return self("Unsqueeze", value, self.int64s(axes))
        return self("Unsqueeze", value, axes=tuple(axes))


def typed(value: ir.Value, element: str | ir.Element, shape: tuple[ir.Dimension, ...] | None) -> ir.Value:
    """The value with what is known of its type, which inference does not always find."""
    from opwright.elements import BY_NAME

    value.type = ir.TensorType(BY_NAME[element] if isinstance(element, str) else element, shape)
    return value
