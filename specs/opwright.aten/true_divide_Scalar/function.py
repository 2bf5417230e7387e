def true_divide_Scalar(self, other):
    return self / other
