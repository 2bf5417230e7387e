from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def adaptive_max_pool1d(
    self,
    output_size: Sequence[int],
    *,
    kernel_size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
):
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    elements = op.ReduceProd(op.Shape(x, start=-1))
    if kernel_size is not None:
        if self.rank == 2:
            x = op.Unsqueeze(x, 0)
        y, indices = op.MaxPool(x, kernel_shape=kernel_size, strides=stride)
        indices = indices % elements
        if self.rank == 2:
            y, indices = op.Squeeze(y, 0), op.Squeeze(indices, 0)
    else:
        flat = _windows(x, output_size)
        lines = op.Reshape(x, op.Concat(op.Shape(x, end=-1), elements, axis=0))
        found = op.Gather(lines, flat, axis=-1)
        last = 2 if self.rank == 2 else 3
        y = op.ReduceMax(found, [last], keepdims=0)
        where = op.ArgMax(found, axis=last)
        indices = op.Squeeze(op.GatherElements(op.Expand(flat, op.Shape(found)), where, axis=last), [last])
    return op.Cast(y, to=BFLOAT16) if self.dtype == BFLOAT16 else y, indices


def _windows(x, output_size: Sequence[int]):
    """For each output the places of its window among the elements of all pooled dimensions. Windows differ in length:
    the last place of a shorter one is repeated."""
    sizes, outputs = op.Shape(x, start=-1), op.Constant(value_ints=output_size)
    flat = None
    for axis in range(1):
        size, output = sizes[axis], outputs[axis]
        number = op.Range(0, output, 1)
        begin = number * size / output
        end = (number * size + (size + output - 1)) / output
        step = op.Range(0, op.ReduceMax(end - begin, keepdims=0), 1)
        end = op.Unsqueeze(end, [1])
        places = op.Unsqueeze(begin, [1]) + step
        places = op.Where(places < end, places, end - 1)
        others = [other for other in range(2) if other not in (axis, 1 + axis)]
        places = op.Unsqueeze(places, others)
        flat = places if flat is None else flat * size + places
    return flat
