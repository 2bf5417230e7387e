from opwright import BOOL


def add_Tensor(self, other, alpha=None):
    """For bool, addition is the logical or, and a factor of 0 drops the second tensor."""
    if self.dtype == BOOL:
        if alpha is not None:
            other = other & alpha
        return self | other
    if alpha is not None:
        other = other * alpha
    return self + other
