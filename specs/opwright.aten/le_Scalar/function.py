from opwright import BOOL


def le_Scalar(self, other):
    if self.dtype == BOOL:
        return ~self | other
    return self <= other
