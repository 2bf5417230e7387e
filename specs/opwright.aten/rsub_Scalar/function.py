def rsub_Scalar(self, other, alpha=None):
    if alpha is not None:
        self = self * alpha
    return other - self
