from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, INT64
from opwright import opset18 as op


def upsample_bicubic2d(
    self, output_size=None, *, align_corners: Literal[False, True], scales: Sequence[float] | None = None
):
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    factors = None if output_size is not None else op.Constant(value_floats=scales)
    if align_corners and factors is not None:
        # Between corners it is the sizes that count.
        lengths = op.Cast(op.Shape(x, start=2), to=DOUBLE) * op.Cast(factors, to=DOUBLE)
        output_size, factors = op.Cast(op.Floor(lengths), to=INT64), None
    x = op.Resize(
        x,
        None,
        factors,
        None if output_size is None else op.Reshape(output_size, [2]),  # so that it is known how many they are
        axes=[2, 3],
        mode="cubic",
        coordinate_transformation_mode="align_corners" if align_corners else "half_pixel",
    )
    return op.Cast(x, to=BFLOAT16) if self.dtype == BFLOAT16 else x
