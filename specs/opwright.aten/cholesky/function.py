from typing import Literal

from ..linalg_cholesky.function import cholesky_factor


def cholesky(self, upper: Literal[False, True] = False):
    return cholesky_factor(self, upper)
