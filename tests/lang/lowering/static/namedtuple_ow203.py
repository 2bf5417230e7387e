"""static.namedtuple, OW203: A field without a value."""

from collections import namedtuple

from opwright import FLOAT, script

Affine = namedtuple("Affine", "scale shift")


@script()
def F(x: FLOAT["N"]):
    return x * Affine(2.0).scale
