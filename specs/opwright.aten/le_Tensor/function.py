from opwright import BOOL


def le_Tensor(self, other):
    if self.dtype == BOOL:
        return ~self | other
    return self <= other
