from typing import Literal

from opwright import BFLOAT16, FLOAT, INT16, INT32
from opwright import opset18 as op

MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad(self, pad, value=None, mode: Literal["constant", "reflect", "replicate", "circular"] = "constant"):
    if self.rank == 0:
        return op.Identity(self)
    if mode != "constant":
        assert value is None  # PyTorch refuses it
    if mode == "circular" and op.version < 19:
        sizes = op.Shape(self)
        begins, ends = op.Split(pad, num_outputs=2)
        return op.Slice(op.Tile(self, op.Expand(3, op.Shape(sizes))), sizes - begins, 2 * sizes + ends)
    if self.dtype not in (BFLOAT16, INT16):
        value = None if value is None else value  # static: onnxruntime fuses no Pad whose value is an empty name
        return op.Pad(self, pad, value, mode=MODES[mode])
    wide = FLOAT if self.dtype == BFLOAT16 else INT32
    constant = None if value is None else op.Cast(value, to=wide)
    return op.CastLike(op.Pad(op.Cast(self, to=wide), pad, constant, mode=MODES[mode]), self)
