"""static.dict, OW304: A key is known when the function is built."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x * {"a": 2}[[1]]
