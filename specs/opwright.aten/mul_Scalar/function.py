from opwright import BOOL


def mul_Scalar(self, other):
    """Of truth values it is the logical and."""
    return self & other if self.dtype == BOOL else self * other
