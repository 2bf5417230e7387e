from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def adaptive_avg_pool1d(
    self,
    output_size: Sequence[int],
    *,
    to_one: Literal[False, True] = False,
    kernel_size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
    axes: Sequence[int],
):
    # onnxruntime has no kernels of average pools for double.
    if to_one and self.dtype == DOUBLE:
        return op.ReduceMean(self, op.Constant(value_ints=axes))
    if self.dtype != DOUBLE and (to_one or kernel_size is not None):
        x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
        if self.rank == 2:
            x = op.Unsqueeze(x, 0)
        if to_one:
            y = op.GlobalAveragePool(x)
        else:
            y = op.AveragePool(x, kernel_shape=kernel_size, strides=stride)
        if self.rank == 2:
            y = op.Squeeze(y, 0)
        return op.Cast(y, to=BFLOAT16) if self.dtype == BFLOAT16 else y
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self
    flat, inside = _windows(x, output_size)
    lines = op.Reshape(x, op.Concat(op.Shape(x, end=-1), op.ReduceProd(op.Shape(x, start=-1)), axis=0))
    kept = op.Where(inside, op.Gather(lines, flat, axis=-1), 0)
    counts = op.ReduceSum(op.Cast(inside, to=x.dtype), [1], keepdims=0)
    # Those of the elements of windows stand behind the outputs.
    y = op.ReduceSum(kept, op.Constant(value_ints=axes) + 1, keepdims=0) / counts
    return op.Cast(y, to=self.dtype) if self.dtype in (FLOAT16, BFLOAT16) else y


def _windows(x, output_size: Sequence[int]):
    """For each output the places of its window among the elements of all pooled dimensions, and which of them count:
    windows differ in length, so the last place of a shorter one is repeated."""
    sizes, outputs = op.Shape(x, start=-1), op.Constant(value_ints=output_size)
    flat, inside = None, None
    for axis in range(1):
        size, output = sizes[axis], outputs[axis]
        number = op.Range(0, output, 1)
        begin = number * size / output
        end = (number * size + (size + output - 1)) / output
        step = op.Range(0, op.ReduceMax(end - begin, keepdims=0), 1)
        others = [other for other in range(2) if other not in (axis, 1 + axis)]
        end = op.Unsqueeze(end, [1])
        places = op.Unsqueeze(begin, [1]) + step
        counts = op.Unsqueeze(places < end, others)
        places = op.Unsqueeze(op.Where(places < end, places, end - 1), others)
        flat = places if flat is None else flat * size + places
        inside = counts if inside is None else inside & counts
    return flat, inside
