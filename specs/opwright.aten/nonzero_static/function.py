from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT16, INT8, INT16
from opwright import opset18 as op


def nonzero_static(self, size, fill_value: int = -1):
    """So many rows of the fill value are put behind that none is missing, and what is too much is cut off."""
    x = op.Cast(self, to=BOOL) if self.dtype in (FLOAT16, BFLOAT16, DOUBLE, INT8, INT16) else self
    found = op.Transpose(op.NonZero(op.Reshape(x, [1]) if self.rank == 0 else x))
    if self.rank == 0:
        found = op.Slice(found, [0], [0], [1])
    fill = op.Expand(op.Constant(value_int=fill_value), op.Concat(size, op.Shape(op.Shape(self)), axis=0))
    return op.Slice(op.Concat(found, fill, axis=0), [0], size, [0])
