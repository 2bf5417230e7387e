def eq_Scalar(self, other):
    return self == other
