def true_divide_Tensor(self, other):
    return self / other
