"""stmt.for.range: The parts of a tuple are carried each by itself."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    state = (x, 0)
    for i in range(n):
        state = (state[0] * 2, state[1] + i)
    return state[0] * state[1]
