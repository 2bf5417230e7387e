from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def mv(self, vec):
    if self.dtype == BFLOAT16:
        return op.Cast(_product(op.Cast(self, to=FLOAT), op.Cast(vec, to=FLOAT)), to=BFLOAT16)
    if self.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        return op.CastLike(_product(op.Cast(self, to=INT32), op.Cast(vec, to=INT32)), self)
    return _product(self, vec)


def _product(matrix, vector):
    # Not MatMul, of which onnxruntime leaves the results as they lie in memory where a vector has no elements.
    return op.Einsum(matrix, vector, equation="ij,j->i")
