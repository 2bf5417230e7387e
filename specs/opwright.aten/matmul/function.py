from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def matmul(self, other):
    if self.dtype == BFLOAT16:
        return op.Cast(_product(op.Cast(self, to=FLOAT), op.Cast(other, to=FLOAT)), to=BFLOAT16)
    if self.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        return op.CastLike(_product(op.Cast(self, to=INT32), op.Cast(other, to=INT32)), self)
    return _product(self, other)


def _product(first, second):
    # Not MatMul, of which onnxruntime leaves the results as they lie in memory where a vector has no elements.
    if second.rank == 1 and first.rank != 1:
        return op.Einsum(first, second, equation="...j,j->...")
    if first.rank == 1 and second.rank != 1 and second.rank != 2:
        return op.Einsum(first, second, equation="j,...jk->...k")
    return op.MatMul(first, second)
