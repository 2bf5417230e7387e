"""param.tensor: Anything that is not annotated as an attribute is an input; `FLOAT["N"]` says its element type and
shape."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N", 2], y: FLOAT[...], z):
    return x + y + z
