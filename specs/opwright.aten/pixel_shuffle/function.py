from opwright import BFLOAT16, BOOL, FLOAT, UINT8
from opwright import opset18 as op


def pixel_shuffle(self, upscale_factor: int):
    if self.dtype == BFLOAT16:
        x = op.Cast(self, to=FLOAT)
    elif self.dtype == BOOL:
        x = op.Cast(self, to=UINT8)
    else:
        x = self
    if self.rank == 4:
        y = op.DepthToSpace(x, blocksize=upscale_factor, mode="CRD")
    else:
        area = op.Constant(value_ints=[upscale_factor]) * upscale_factor
        sizes = op.Shape(x)
        channels = sizes[-3:-2] / area
        planes = op.Concat(op.ReduceProd(sizes[:-3]) * channels, area, sizes[-2:], axis=0)
        y = op.DepthToSpace(op.Reshape(x, planes, allowzero=1), blocksize=upscale_factor, mode="CRD")
        y = op.Reshape(y, op.Concat(sizes[:-3], channels, op.Shape(y, start=2), axis=0), allowzero=1)
    return op.CastLike(y, self) if self.dtype in (BFLOAT16, BOOL) else y
