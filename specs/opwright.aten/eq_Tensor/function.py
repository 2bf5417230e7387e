def eq_Tensor(self, other):
    return self == other
