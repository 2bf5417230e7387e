"""stmt.docstring: Text alone is documentation; that of the function becomes its doc string."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    """The opposite of x."""
    return -x
