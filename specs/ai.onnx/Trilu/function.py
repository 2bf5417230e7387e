from opwright import BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT, INT16, INT32, INT64, STRING, UINT16, UINT64
from opwright import opset13 as op


def Trilu(input, k=None, upper: int = 1):
    """A mask of the last two dimensions, which broadcasts to the others.

    Types that onnxruntime does not select from go through a wider one, which keeps their values.
    """
    to_the_right = op.Range(0, length(input, -1), 1) - op.Unsqueeze(op.Range(0, length(input, -2), 1), [1])
    limit = INT64(0) if k is None else k
    kept = (to_the_right == limit) | ((to_the_right > limit) == (upper != 0))
    if input.dtype == BOOL:
        return input & kept
    if input.dtype == BFLOAT16:
        return op.Cast(op.Where(kept, op.Cast(input, to=FLOAT), 0), to=BFLOAT16)
    if input.dtype in (INT16, UINT16):
        return op.Cast(op.Where(kept, op.Cast(input, to=INT32), 0), to=input.dtype)
    if input.dtype == UINT64:
        return op.Cast(op.Where(kept, op.Cast(input, to=INT64), 0), to=UINT64)
    if input.dtype == STRING:
        return op.Where(kept, input, "")
    if input.dtype in (COMPLEX64, COMPLEX128):
        none = op.Reshape(input, [-1])[:0]
        return op.Where(kept, input, op.Pad(none, [0, 1]))  # there is no other way to a complex zero
    return op.Where(kept, input, 0)


def length(x, axis):
    return op.Gather(op.Shape(x), axis)
