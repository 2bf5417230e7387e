def div_Scalar(self, other):
    return self / other
