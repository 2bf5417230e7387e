from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op

from ..sum.function import sum_of_integers


def einsum(*tensors, equation: str):
    if tensors[0].dtype == BFLOAT16:
        return op.Cast(op.Einsum(*[op.Cast(item, to=FLOAT) for item in tensors], equation=equation), to=BFLOAT16)
    if len(tensors) == 1 and tensors[0].dtype in (UINT8, INT8, INT16, INT32, INT64):
        return sum_of_integers(tensors[0], lambda x: op.Einsum(x, equation=equation))
    if tensors[0].dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        y = op.Einsum(*[op.Cast(item, to=INT32) for item in tensors], equation=equation)
        return op.CastLike(y, tensors[0])
    return op.Einsum(*tensors, equation=equation)
