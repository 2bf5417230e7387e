from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def pixel_unshuffle(self, downscale_factor: int):
    if self.rank == 4 and op.version >= 28 and self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
        y = op.SpaceToDepth(x, blocksize=downscale_factor, mode="CRD")
        return op.CastLike(y, self) if self.dtype == BFLOAT16 else y
    # A plane for each channel. SpaceToDepth has no kernels for most integers, and before opset 28 puts channels last.
    plane = op.Shape(self, start=-2) / downscale_factor
    height, width = op.Split(plane, num_outputs=2)
    side = op.Constant(value_ints=[downscale_factor])
    channels = op.Shape(self, end=-2)
    blocks = op.Concat(op.ReduceProd(channels), height, side, width, side, axis=0)
    y = op.Transpose(op.Reshape(self, blocks, allowzero=1), perm=[0, 2, 4, 1, 3])
    sizes = op.Concat(channels[:-1], channels[-1:] * (side * side), plane, axis=0)
    return op.Reshape(y, sizes, allowzero=1)
