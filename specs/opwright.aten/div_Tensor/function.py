def div_Tensor(self, other):
    return self / other
