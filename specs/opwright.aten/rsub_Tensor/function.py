def rsub_Tensor(self, other, alpha=None):
    if alpha is not None:
        self = self * alpha
    return other - self
