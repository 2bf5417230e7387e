from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def pixel_shuffle(self, upscale_factor: int):
    if self.rank == 4 and self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
        y = op.DepthToSpace(x, blocksize=upscale_factor, mode="CRD")
        return op.CastLike(y, self) if self.dtype == BFLOAT16 else y
    # Blocks of each channel of the result. DepthToSpace has no kernels for most integers.
    side = op.Constant(value_ints=[upscale_factor])
    sizes = op.Shape(self)
    channels, plane = sizes[-3:-2] / (side * side), sizes[-2:]
    blocks = op.Concat(op.ReduceProd(sizes[:-3]) * channels, side, side, plane, axis=0)
    y = op.Transpose(op.Reshape(self, blocks, allowzero=1), perm=[0, 3, 1, 4, 2])
    return op.Reshape(y, op.Concat(sizes[:-3], channels, plane * side, axis=0), allowzero=1)
