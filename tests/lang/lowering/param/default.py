"""param.default: Defaults of attributes are kept in the proto."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], alpha: float = 0.5):
    return x * alpha
