def or_Scalar(self, other):
    """Of truth values it is the logical or."""
    return self | other
