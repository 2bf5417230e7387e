from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def linalg_multi_dot(*tensors):
    if tensors[0].dtype == BFLOAT16:
        return op.Cast(_product([op.Cast(item, to=FLOAT) for item in tensors]), to=BFLOAT16)
    if tensors[0].dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        return op.CastLike(_product([op.Cast(item, to=INT32) for item in tensors]), tensors[0])
    return _product(tensors)


def _product(items):
    y = items[0]
    is_row = y.rank == 1
    for item in items[1:]:
        if item.rank == 1 and not is_row:
            # Not MatMul, of which onnxruntime leaves the results as they lie in memory where a vector has no elements.
            y = op.Einsum(y, item, equation="ij,j->i")
        else:
            y = op.MatMul(y, item)
    return y
