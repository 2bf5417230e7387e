from typing import Literal

from opwright import opset18 as op


def real(self, is_complex: Literal[False, True] = False):
    return self[..., 0] if is_complex else op.Identity(self)
