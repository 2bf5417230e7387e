from opwright import BOOL


def add_Scalar(self, other, alpha=None):
    """Of truth values it is the logical or, where the factor is not 0."""
    if self.dtype == BOOL:
        if alpha is not None:
            other = other & alpha
        return self | other
    if alpha is not None:
        other = other * alpha
    return self + other
