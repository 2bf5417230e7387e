"""call.domain, OW201: nothing says what the operator takes."""

from opwright import FLOAT, Opset, script

acme = Opset("com.acme", 1)


@script()
def F(x: FLOAT["N"]):
    return acme.Gelu(x)
