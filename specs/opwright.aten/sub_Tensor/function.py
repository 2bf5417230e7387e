def sub_Tensor(self, other, alpha=None):
    if alpha is not None:
        other = other * alpha
    return self - other
