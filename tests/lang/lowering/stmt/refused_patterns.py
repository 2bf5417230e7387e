"""stmt.refused, OW303: Patterns of classes and dictionaries."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    match {"a": 1}:
        case {"a": 1}:
            return x
    return -x
