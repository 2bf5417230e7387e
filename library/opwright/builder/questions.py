"""What Python may ask about a value while a graph is built: its element type, its rank, its sizes."""

from __future__ import annotations

from typing import Any

from opwright.builder.graph_values import Shape, Value
from opwright.builder.open_types import infer_value
from opwright.builder.python_operands import operand_of, result_of
from opwright.builder.recorder import Recorder
from opwright.eager.eager_lowering import NOWHERE
from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.lower.values import shapes
from opwright.lang.meaning.operands import Operand


def dtype_of(recorder: Recorder, value: Value) -> ElementType:
    type_ = _type_of(recorder, value)
    if isinstance(type_, ir.NumberType):
        return type_.kind.carrier
    element = ir.settle(type_.element) if isinstance(type_, ir.TensorType) else None
    if not isinstance(element, ElementType):
        _unknown(recorder, value, "element type")
    assert isinstance(element, ElementType)
    return element


def rank_of(recorder: Recorder, value: Value) -> int:
    type_ = _type_of(recorder, value)
    if isinstance(type_, ir.NumberType):
        return 0
    rank = type_.rank if isinstance(type_, ir.TensorType) else None
    if rank is None:
        _unknown(recorder, value, "rank")
    assert rank is not None
    return rank


def shape_of(recorder: Recorder, value: Value) -> tuple[int, ...] | Shape:
    type_ = _type_of(recorder, value)
    if isinstance(type_, ir.NumberType):
        return ()
    operand = operand_of(recorder, value)
    assert isinstance(operand, ir.Value)
    made: tuple[int, ...] | Shape = result_of(recorder, shapes.shape_of(recorder.low, operand, NOWHERE))
    return made


def size_of(recorder: Recorder, value: Value) -> Operand:
    if isinstance(_type_of(recorder, value), ir.NumberType):
        return 1
    operand = operand_of(recorder, value)
    assert isinstance(operand, ir.Value)
    return shapes.size_of(recorder.low, operand, NOWHERE)


def transposed(recorder: Recorder, value: Value) -> Operand:
    operand = operand_of(recorder, value)
    assert isinstance(operand, ir.Value)
    return operand if isinstance(operand.type, ir.NumberType) else shapes.transposed(recorder.low, operand, NOWHERE)


def length_of(recorder: Recorder, value: Value) -> int:
    type_ = _type_of(recorder, value)
    if isinstance(type_, ir.SequenceType):
        recorder.low.error(
            "OW381",
            f"`len` needs the value of `{value.name}`, {type_!r}",
            None,
            reason="how long a sequence is is known when the model runs",
            help="use `op.SequenceLength(x)`",
        )
    sizes = type_.shape if isinstance(type_, ir.TensorType) else None
    if sizes is None:
        _unknown(recorder, value, "rank")
    if not sizes:
        recorder.low.error(
            "OW314", "a tensor of rank 0 has no length", None, "`len(x)` is the size of the first dimension", ""
        )
    assert sizes
    size = sizes[0]
    if not isinstance(size, int):
        recorder.low.error(
            "OW381",
            f"`len` needs the size of `{value.name}`, {type_!r}",
            None,
            reason="it is known when the model runs, and Python's `len` is an int that is known now",
            help="use `x.shape[0]`, a number of the graph",
        )
    assert isinstance(size, int)
    return size


def items_of(recorder: Recorder, value: Value) -> int:
    type_ = _type_of(recorder, value)
    size = type_.shape[0] if isinstance(type_, ir.TensorType) and type_.shape else None
    if not isinstance(size, int):
        recorder.low.error(
            "OW304",
            f"`for` cannot run over `{value.name}`, {type_!r}",
            None,
            reason="how many items it has is known when the model runs",
            help="write `for i in range(x.shape[0])` where the size is known, else `op.Loop` or `op.Scan`",
        )
    assert isinstance(size, int)
    return size


def _type_of(recorder: Recorder, value: Value) -> ir.Type:
    """The type; where the compiler's rules leave something open, with what ONNX's inference finds."""
    inner = value.inner
    infer_value(recorder, inner)
    return inner.type


def _unknown(recorder: Recorder, value: Value, what: str) -> Any:
    return recorder.low.error(
        "OW382",
        f"the {what} of `{value.name}` is not known",
        None,
        reason=f"its type is {value.inner.type!r}, as far as the compiler's rules and ONNX's inference follow it",
        help="declare the input with its type, cast it, or give the rank with `op.Reshape` to a list of known length",
    )
