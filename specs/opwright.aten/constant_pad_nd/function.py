from opwright import BFLOAT16, FLOAT, INT16, INT32
from opwright import opset18 as op


def constant_pad_nd(self, pad, value=None):
    if self.rank == 0:
        return op.Identity(self)
    if self.dtype not in (BFLOAT16, INT16):
        value = None if value is None else value  # static: onnxruntime fuses no Pad whose value is an empty name
        return op.Pad(self, pad, value)
    wide = FLOAT if self.dtype == BFLOAT16 else INT32
    constant = None if value is None else op.Cast(value, to=wide)
    return op.CastLike(op.Pad(op.Cast(self, to=wide), pad, constant), self)
