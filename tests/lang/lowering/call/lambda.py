"""call.lambda: It is inlined like any other helper."""

from opwright import FLOAT, script


def twice(f, x):
    return f(f(x))


@script()
def F(x: FLOAT["N"]):
    scale = lambda v, by=2: v * by  # noqa: E731
    return scale(x) + twice(lambda v: v + 1, x)
