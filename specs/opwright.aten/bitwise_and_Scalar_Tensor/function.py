def bitwise_and_Scalar_Tensor(self, other):
    """Of truth values it is the logical and."""
    return self & other
