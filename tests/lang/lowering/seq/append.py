"""seq.append: In a loop of unknown length a list is an ONNX sequence."""

from opwright import FLOAT, INT64, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"], n: INT64) -> FLOAT["K"]:
    parts = []
    for i in range(n):
        parts.append(x * i)
    return op.ConcatFromSequence(parts, axis=0)
