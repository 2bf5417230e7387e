from typing import Literal

from opwright import opset18 as op


def combinations(self, r: Literal[1, 2, 3, 4] = 2, with_replacement: Literal[False, True] = False):
    if r == 1:
        return op.Unsqueeze(self, [1])
    places = op.Range(0, op.Gather(op.Shape(self), 0), 1)
    grids = [op.Unsqueeze(places, [axis for axis in range(r) if axis != place]) for place in range(r)]
    ordered = None
    for place in range(r - 1):
        former, later = grids[place], grids[place + 1]
        pair = former <= later if with_replacement else former < later
        ordered = pair if ordered is None else ordered & pair
    return op.Transpose(op.Gather(self, op.NonZero(ordered)), perm=[1, 0])
