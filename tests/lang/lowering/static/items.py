"""static.items: A loop over a static list or tuple, `zip` or `enumerate` unrolls."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    for i, (scale, bias) in enumerate(zip((1.0, 2.0), (0.5, 0.0))):
        x = x * scale + bias + i
    return x
