from collections.abc import Sequence

from opwright import opset18 as op


def stack(*tensors, dim: int = 0, axes: Sequence[int] = (0,)):
    return op.Concat(*[op.Unsqueeze(tensor, axes) for tensor in tensors], axis=dim)
