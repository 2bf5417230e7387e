from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def linear(input, weight, bias=None):
    """A weight that is a vector has one output, to which PyTorch adds no bias."""
    assert weight.rank == 2 or bias is None
    if input.dtype == BFLOAT16:
        x, w, b = op.Cast(input, to=FLOAT), op.Cast(weight, to=FLOAT), None if bias is None else op.Cast(bias, to=FLOAT)
        return op.Cast(_transformed(x, w, b), to=BFLOAT16)
    if input.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        x, w, b = op.Cast(input, to=INT32), op.Cast(weight, to=INT32), None if bias is None else op.Cast(bias, to=INT32)
        return op.CastLike(_transformed(x, w, b), input)
    if input.dtype in (INT32, INT64) or input.rank != 2 or weight.rank != 2:
        return _transformed(input, weight, bias)
    if bias is None:  # asked, since runtimes fuse no Gemm whose bias is an empty name
        return op.Gemm(input, weight, transB=1)
    return op.Gemm(input, weight, bias, transB=1)


def _transformed(x, weight, bias):
    if weight.rank == 1:
        # Not MatMul, of which onnxruntime leaves the results as they lie in memory where a vector has no elements.
        return op.Einsum(x, weight, equation="...j,j->...")
    y = op.MatMul(x, op.Transpose(weight, perm=[1, 0]))
    return y if bias is None else y + bias
