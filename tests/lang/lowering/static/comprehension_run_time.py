"""static.comprehension: A loop appends, as in the function that Python makes of a comprehension."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    return [x * i for i in range(n)]
