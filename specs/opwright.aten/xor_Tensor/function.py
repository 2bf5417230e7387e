def xor_Tensor(self, other):
    """Of truth values it is the logical exclusive or."""
    return self ^ other
