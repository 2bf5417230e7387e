"""seq.append: What is popped is read, and erased."""

from opwright import FLOAT, Sequence, script


@script()
def F(x: Sequence[FLOAT["N"]]):
    parts = x + []
    last = parts.pop()
    return last, parts
