from opwright import BOOL
from opwright import opset18 as op


def outer(self, vec2):
    column = op.Unsqueeze(self, [1])
    return column & vec2 if self.dtype == BOOL else column * vec2
