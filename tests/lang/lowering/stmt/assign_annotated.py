"""stmt.assign.annotated: The annotation declares the type of the value; a name may be declared before it is bound."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    y: FLOAT["N"]
    y = -x
    z: FLOAT["N"] = y + 1
    return z
