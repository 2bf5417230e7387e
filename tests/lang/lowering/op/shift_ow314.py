"""op.shift, OW314: ONNX shifts unsigned integers only."""

from opwright import INT64, script


@script()
def F(x: INT64["N"]):
    return x << 1
