def sub_Scalar(self, other, alpha=None):
    if alpha is not None:
        other = other * alpha
    return self - other
