from opwright import opset18 as op


def quantized_decomposed_convert_element_type_no_fuse(input, dtype: int):
    return op.Cast(input, to=dtype)
