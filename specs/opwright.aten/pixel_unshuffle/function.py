from opwright import BFLOAT16, BOOL, FLOAT, UINT8
from opwright import opset18 as op


def pixel_unshuffle(self, downscale_factor: int):
    if self.dtype == BFLOAT16:
        x = op.Cast(self, to=FLOAT)
    elif self.dtype == BOOL:
        x = op.Cast(self, to=UINT8)
    else:
        x = self
    if self.rank == 4 and op.version >= 28:
        y = op.SpaceToDepth(x, blocksize=downscale_factor, mode="CRD")
    else:
        # A channel at a time, since SpaceToDepth puts channels last within a block.
        sizes = op.Shape(x)
        planes = op.Concat(op.ReduceProd(sizes[:-2]), [1], sizes[-2:], axis=0)
        y = op.SpaceToDepth(op.Reshape(x, planes, allowzero=1), blocksize=downscale_factor)
        channels = sizes[-3:-2] * downscale_factor * downscale_factor
        y = op.Reshape(y, op.Concat(sizes[:-3], channels, op.Shape(y, start=2), axis=0), allowzero=1)
    return op.CastLike(y, self) if self.dtype in (BFLOAT16, BOOL) else y
