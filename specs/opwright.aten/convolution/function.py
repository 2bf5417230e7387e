from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def convolution(
    input,
    weight,
    bias=None,
    *,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: Literal[False, True],
    output_padding: Sequence[int],
    groups: int,
):
    if input.dtype == BFLOAT16 and op.version < 22:
        x, w, b = op.Cast(input, to=FLOAT), op.Cast(weight, to=FLOAT), None if bias is None else op.Cast(bias, to=FLOAT)
    else:  # static: onnxruntime fuses no Conv whose bias is an empty name
        x, w, b = input, weight, None if bias is None else bias
    if transposed:
        y = op.ConvTranspose(
            x,
            w,
            b,
            strides=stride,
            pads=padding,
            dilations=dilation,
            output_padding=output_padding,
            group=groups,
        )
    else:
        y = op.Conv(x, w, b, strides=stride, pads=padding, dilations=dilation, group=groups)
    return op.Cast(y, to=BFLOAT16) if input.dtype == BFLOAT16 and op.version < 22 else y
