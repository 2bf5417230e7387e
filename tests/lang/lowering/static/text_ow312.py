"""static.text, OW312: Python refuses the format."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    return op.Pad(x, [0, 1, 0, 0], mode=f"{'edge':d}")
