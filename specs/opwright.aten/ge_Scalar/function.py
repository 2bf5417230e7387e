from opwright import BOOL


def ge_Scalar(self, other):
    if self.dtype == BOOL:
        return self | ~other
    return self >= other
