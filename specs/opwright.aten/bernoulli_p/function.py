from opwright import opset18 as op


def bernoulli_p(self, p):
    """Of uniform numbers those that are below it: runtimes do not agree on what Bernoulli makes of a probability."""
    return op.CastLike(op.RandomUniformLike(op.ConstantOfShape(op.Shape(self)), dtype=1) < p, self)
