"""sub.slice.object: What `start:stop:step` is between brackets."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"]):
    rows = slice(1, None)
    where = (rows, slice(2))
    return x[rows, 0] + x[*where][:, 1]
