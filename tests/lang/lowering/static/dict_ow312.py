"""static.dict, OW312: Python would raise an error."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x * {"a": 2}["b"]
