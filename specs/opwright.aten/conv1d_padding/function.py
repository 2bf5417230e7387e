from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def conv1d_padding(
    input,
    weight,
    bias=None,
    *,
    stride: Sequence[int] = (1,),
    padding: Sequence[int] = (0, 0),
    groups: int = 1,
    dilation: Sequence[int] = (1,),
):
    x = op.Unsqueeze(input, 0) if input.rank == 2 else input
    if input.dtype == BFLOAT16 and op.version < 22:
        x, w, b = op.Cast(x, to=FLOAT), op.Cast(weight, to=FLOAT), None if bias is None else op.Cast(bias, to=FLOAT)
    else:
        w, b = weight, None if bias is None else bias  # static: onnxruntime fuses no Conv whose bias is an empty name
    y = op.Conv(x, w, b, strides=stride, pads=padding, dilations=dilation, group=groups)
    if input.dtype == BFLOAT16 and op.version < 22:
        y = op.Cast(y, to=BFLOAT16)
    return op.Squeeze(y, 0) if input.rank == 2 else y
