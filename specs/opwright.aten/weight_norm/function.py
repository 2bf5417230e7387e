from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def weight_norm(v, g, axes: Sequence[int]):
    x = _wide(v)
    length = op.ReduceL2(x, op.Constant(value_ints=axes)) if len(axes) > 0 else op.Abs(x)
    result = x * (_wide(g) / length)
    return op.Cast(result, to=v.dtype) if v.dtype in (FLOAT16, BFLOAT16) else result


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x
