"""Numbers and element types: numbers as values of an element type, and types that need not be given."""

from __future__ import annotations

import math
import struct
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.promotion import greatest_not_above, is_normal
from opwright.elements import ElementType


def wrapped(value: Any, call: CallShape) -> Any:
    """An integer as a value of the input's integer type, into whose range it wraps around: 300 gives 44 for uint8.
    Unchanged for other numbers and types, and where `rounding_mode` is None: quotients of integers are floats then."""
    element = call.element
    if call.values.get("rounding_mode", "") is None:
        return value
    if not isinstance(value, int) or isinstance(value, bool) or element is None or not element.is_integer:
        return value
    return _wrapped(value, element)


def normal_factor(value: Any, call: CallShape) -> Any:
    """As `wrapped`. For float16 and bfloat16 a finite number is refused that rounds to no normal value of the type,
    such as 1e-6 for float16: PyTorch multiplies by it in float."""
    element = call.element
    if element is None or not element.is_float or element.bits != 16 or not _is_finite(value):
        return wrapped(value, call)
    if not is_normal(value, element):
        raise NoForm(f"it is {value!r}, and no normal value of {element}")
    return value


def factor(value: Any, call: CallShape) -> Any:
    """A finite number as a value of the element type of `self`: for integers truncated and wrapped around, 1 or 0 for
    bool. -2.5 gives -2 for int8; -1 gives 255 for uint8. Unchanged for other types and numbers."""
    element = call.element_of(call.values["self"])
    if element is not None and element.kind == "bool":
        return int(value != 0)
    if element is None or not element.is_integer or not _is_finite(value):
        return value
    return _wrapped(int(value), element)


def compared_in_float(value: Any, call: CallShape) -> Any:
    """For float16 and bfloat16 the greatest value of the type that is not above a finite number: tensors of the type
    are at most that value where they are at most the number, which PyTorch compares in float. Else unchanged."""
    element = call.element
    if element is None or not element.is_float or element.bits != 16 or not _is_finite(value):
        return value
    return greatest_not_above(nearest_float(value), element)


def _wrapped(value: int, element: ElementType) -> int:
    low = int(element.minimum)
    return (value - low) % (1 << element.bits) + low


def number_of_dtype(value: Any, call: CallShape) -> Any:
    """A finite number, truncated where the element type `dtype` is an integer type: 2 for 2.9. Else unchanged."""
    dtype = call.values["dtype"]
    return int(value) if dtype is not None and dtype.is_integer and _is_finite(value) else value


def end_of_dtype(value: Any, call: CallShape) -> Any:
    """The end of a range from `start` by `step`, as `number_of_dtype`. For integer types other than int64 it is the end
    that gives as many elements as PyTorch, which counts them before it truncates: 4 for -0.5 to 3 by 1 in int32. A step
    that is truncated to 0 is refused."""
    dtype, start, step = call.values["dtype"], call.values.get("start", 0), call.values.get("step", 1)
    is_counted = dtype is not None and dtype.is_integer and dtype.name != "int64" and step != 0
    if not is_counted or not all(map(_is_finite, (start, value, step))):
        return number_of_dtype(value, call)
    if not int(step):
        raise NoForm(f"`step` is {step}, which is 0 in {dtype}")
    return int(start) + math.ceil((value - start) / step) * int(step)


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def single(value: Any, call: CallShape) -> Any:
    """A number for an attribute, which is of type float; None where the first tensor is of type double. `of_double`
    gives it there."""
    return None if call.is_double else value


def of_double(value: Any, call: CallShape) -> Any:
    """A number for an input where the first tensor is of type double, else None: it stands beside an attribute with the
    form `single`."""
    return in_double(value, call)


def in_double(value: Any, call: CallShape) -> Any:
    """A number for an input where the first tensor is of type double, else None: it stands beside an attribute, which
    rounds it to float."""
    return value if call.is_double else None


def quantized_limit(value: Any, call: CallShape) -> Any:
    """A limit of quantized values; None where `quant_min` and `quant_max` are the limits of `dtype`, a type of 8 bits:
    ONNX saturates to them."""
    dtype, values = call.values["dtype"], call.values
    is_whole = (values["quant_min"], values["quant_max"]) == (dtype.minimum, dtype.maximum)
    return None if is_whole and dtype.bits == 8 else value


def group_of_last(value: Any, call: CallShape) -> int:
    """The size of groups along the last dimension, at most the size of that dimension where it is known."""
    size = call.size_along(-1)
    return int(value) if size is None else min(int(value), size)


def dtype_unless_float(value: Any, call: CallShape) -> ElementType | None:
    """An element type, for None that of the tensor `self` if there is one; None for float, the default of PyTorch and
    ONNX."""
    found = value or call.element_of(call.values.get("self"))
    return None if found is None or found.name == "float" else found


def dtype_expands(value: Any, call: CallShape) -> bool:
    """Whether `dtype_unless_float` gives an element type of which runtimes have ONNX's Expand: any but bfloat16."""
    found = dtype_unless_float(value, call)
    return found is not None and found.name != "bfloat16"


def other_dtype(value: Any, call: CallShape) -> ElementType | None:
    """An element type; None where it is that of the tensor `self`."""
    return None if value is call.element_of(call.values["self"]) else value


def nearest_float(value: float) -> float:
    """The nearest value of type float, infinite beyond its range."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def next_float(value: float, by: int) -> float:
    """The value of type float so many after a positive one, or before it where `by` is negative."""
    bits = struct.unpack("<i", struct.pack("<f", value))[0]
    return float(struct.unpack("<f", struct.pack("<i", bits + by))[0])
