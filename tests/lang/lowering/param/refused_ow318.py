"""param.refused, OW318: defaults of inputs."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"] = 1.0):
    return x
