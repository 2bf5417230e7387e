from collections.abc import Sequence

from opwright import BOOL
from opwright import opset18 as op


def kron(self, other, *, self_axes: Sequence[int] | None = None, other_axes: Sequence[int] | None = None):
    """Each dimension of the result is one of `self` and one of `other`, side by side."""
    if self_axes is None or other_axes is None:
        return self & other if self.dtype == BOOL else self * other
    first, second = op.Unsqueeze(self, self_axes), op.Unsqueeze(other, other_axes)
    product = first & second if self.dtype == BOOL else first * second
    sizes = op.ReduceProd(op.Reshape(op.Shape(product), [-1, 2]), [1], keepdims=0)
    return op.Reshape(product, sizes, allowzero=1)
