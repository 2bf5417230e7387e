from opwright import opset13 as op


def CastLike(input, target_type, saturate: int = 1, round_mode: str = "up"):
    """Cast to the element type of `target_type`: a variant for each type, since Cast takes it as an attribute."""
    if op.version < 19:
        return op.Cast(input, to=target_type.dtype)
    if op.version < 24:
        return op.Cast(input, to=target_type.dtype, saturate=saturate)
    return op.Cast(input, to=target_type.dtype, saturate=saturate, round_mode=round_mode)


def CastLike19(input, target_type, saturate: int = 1):
    """Without a target of powers of two, which is what `round_mode` is for."""
    if op.version < 19:
        return op.Cast(input, to=target_type.dtype)
    if op.version < 24:
        return op.Cast(input, to=target_type.dtype, saturate=saturate)
    # Of infinities Cast makes NaN before 24 where it saturates to FNUZ types, and the greatest number since.
    return op.Cast(input, to=target_type.dtype, saturate=saturate)


def CastLike15(input, target_type):
    """Without targets of 8 bits and less, which is what `saturate` is for."""
    return op.Cast(input, to=target_type.dtype)
