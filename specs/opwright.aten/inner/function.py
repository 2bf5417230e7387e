from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def inner(self, other, *, equation: str):
    if self.dtype == BFLOAT16:
        return op.Cast(_product(op.Cast(self, to=FLOAT), op.Cast(other, to=FLOAT), equation), to=BFLOAT16)
    if self.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        return op.CastLike(_product(op.Cast(self, to=INT32), op.Cast(other, to=INT32), equation), self)
    return _product(self, other, equation)


def _product(first, second, equation: str):
    if second.rank == 2 and first.rank != 0:
        # Not Einsum, with which onnxruntime ends the process where it has to turn a tensor without elements around.
        return op.MatMul(first, op.Transpose(second, perm=[1, 0]))
    return op.Einsum(first, second, equation=equation)
