from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def bernoulli(self):
    """Of uniform numbers those that are below it: runtimes do not agree on what Bernoulli makes of a probability."""
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self
    return op.CastLike(op.RandomUniformLike(x) < x, self)
