"""call.helper: An undecorated function is inlined, with Python's binding of arguments; it may take static ones."""

from opwright import FLOAT, script


def halves(x, parts=2, *, scale=1):
    return x / parts * scale


@script()
def F(x: FLOAT["N"]):
    return halves(x) + halves(x, parts=4, scale=2)
