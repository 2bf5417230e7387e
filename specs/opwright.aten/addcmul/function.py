from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def addcmul(self, tensor1, tensor2, value=None):
    if self.dtype not in (FLOAT16, BFLOAT16):
        return _addcmul(self, tensor1, tensor2, value)
    factor = None if value is None else op.Cast(value, to=FLOAT)
    total = _addcmul(op.Cast(self, to=FLOAT), op.Cast(tensor1, to=FLOAT), op.Cast(tensor2, to=FLOAT), factor)
    return op.CastLike(total, self)


def _addcmul(x, tensor1, tensor2, value):
    if value is not None:
        tensor1 = tensor1 * value
    return x + tensor1 * tensor2
