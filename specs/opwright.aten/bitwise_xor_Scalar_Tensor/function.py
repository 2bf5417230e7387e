def bitwise_xor_Scalar_Tensor(self, other):
    """Of truth values it is the logical exclusive or."""
    return self ^ other
