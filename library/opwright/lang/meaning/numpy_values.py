"""Functions of numpy, of onnx.helper and of onnx_ir on values that are known when a function is built.

A written list: no user code is run, and nothing depends on how numpy was compiled. A scalar result is a number, as
numpy's float64, int64 and bool are Python's; an array is the data of a constant. What numpy would give and this list
does not is a StaticError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add
from struct import unpack
from typing import TYPE_CHECKING, TypeAlias

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import BY_CODE, BY_NAME, ElementType
from opwright.lang import ir
from opwright.lang.meaning import static
from opwright.lang.meaning.rounding import DoesNotFitError, pack
from opwright.lang.meaning.static import Number, StaticError
from opwright.opsets.signatures import similar

if TYPE_CHECKING:
    from opwright.lang.meaning.operands import Operand

Found: TypeAlias = "Number | ir.TensorData"
_EXACT_SUMS = 7  # numbers with a fraction: numpy adds more of them in its own order
_INT64 = 1 << 63


def call_numpy(name: str, arguments: Sequence[object], keywords: Mapping[str, object]) -> Found:
    """`numpy.<name>(...)` of numbers, nested lists of them, arrays (`TensorData`) and element types."""
    if name in _SCALAR:
        return _of_numbers(name, arguments, keywords)
    if name in _REDUCTIONS:
        return _reduced(name, arguments, keywords)
    return _ARRAYS[name](_bound(name, _PARAMETERS[name], arguments, keywords))


def make_tensor(arguments: Sequence[object], keywords: Mapping[str, object]) -> ir.TensorData:
    """`onnx.helper.make_tensor(name, data_type, dims, vals)`."""
    given = _bound("make_tensor", ("name", "data_type", "dims", "vals", "raw"), arguments, keywords)
    if given.get("raw") not in (None, False):
        raise StaticError("OW304", "raw bytes are not part of the language")
    code, dims, values = given.get("data_type"), _dims(given.get("dims")), given.get("vals")
    element = code if isinstance(code, ElementType) else BY_CODE.get(code) if isinstance(code, int) else None
    if element is None:
        raise StaticError("OW312", f"{code!r} is no element type")
    if isinstance(values, ir.TensorData):
        if math.prod(values.dims) != math.prod(dims) or values.element is not element:
            raise StaticError("OW304", f"the array is of {values.element.name}{list(values.dims)}")
        return ir.TensorData(element, dims, values.data)
    items = values if isinstance(values, tuple) else (values,)
    if len(items) != math.prod(dims):
        raise StaticError("OW312", f"{len(items)} values for a tensor of shape {list(dims)}")
    if element.kind == "string" and all(isinstance(item, str) for item in items):
        return ir.TensorData(element, dims, tuple(str(item).encode() for item in items))
    if element.kind == "bool":
        items = tuple(item == 1 if item in (0, 1) else item for item in items)  # which onnx takes for False and True
    return _data(items, dims, element)


def from_array(arguments: Sequence[object], keywords: Mapping[str, object]) -> ir.TensorData:
    """`onnx.numpy_helper.from_array(array)`."""
    given = _bound("from_array", ("array", "name"), arguments, keywords)
    array = given.get("array")
    if not isinstance(array, ir.TensorData):
        raise StaticError("OW304", "it takes an array")
    return array


def tensor_of_onnx_ir(arguments: Sequence[object], keywords: Mapping[str, object]) -> ir.TensorData:
    """`onnx_ir.tensor(value, dtype)`: its floats are float32 where no type is said, numpy's where they are nested."""
    given = _bound("tensor", ("value", "dtype", "name", "doc_string"), arguments, keywords)
    value, element = given.get("value"), _element_of_code(given.get("dtype"))
    if isinstance(value, ir.TensorData):
        if element not in (None, value.element):
            raise StaticError("OW304", f"the array is of {value.element.name}, and `dtype` does not convert it")
        return value
    items = value if isinstance(value, tuple) else (value,)
    if items and all(isinstance(item, str) for item in items):
        if element not in (None, BY_NAME["string"]):
            raise StaticError("OW304", "texts are of type STRING")
        dims = (len(items),) if isinstance(value, tuple) else ()
        return ir.TensorData(BY_NAME["string"], dims, tuple(str(item).encode() for item in items))
    if element is None and not items:
        raise StaticError("OW312", "an empty list needs its `dtype`")
    if element is None and all(isinstance(item, float) for item in items):
        element = BY_NAME["float"]
    return _array({"object": value, "dtype": element})


def _element_of_code(code: object) -> ElementType | None:
    found = BY_CODE.get(code) if isinstance(code, int) else None
    if code is not None and found is None:
        raise StaticError("OW312", f"{code!r} is no element type of onnx_ir: `dtype=ir.DataType.FLOAT`")
    return found


def call_method(
    data: ir.TensorData, name: str, arguments: Sequence[object], keywords: Mapping[str, object]
) -> ir.TensorData:
    """`array.reshape(...)` and `array.astype(...)`."""
    if name == "astype":
        return _converted(data, _bound(name, ("dtype",), arguments, keywords).get("dtype"))
    given = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], tuple) else tuple(arguments)
    if keywords or not isinstance(given, tuple):
        raise StaticError("OW304", "`reshape` takes sizes, or one list of them")
    sizes = [size for size in given if isinstance(size, int) and not isinstance(size, bool)]
    known = math.prod(size for size in sizes if size != -1)
    count = math.prod(data.dims)
    if sizes.count(-1) == 1 and known and not count % known:
        sizes[sizes.index(-1)] = count // known
    if len(sizes) != len(given) or any(size < 0 for size in sizes) or math.prod(sizes) != count:
        raise StaticError("OW312", f"an array of shape {list(data.dims)} has no shape {list(given)}")
    return ir.TensorData(data.element, tuple(sizes), data.data)


ARRAY_METHODS = ("astype", "reshape")


def _converted(data: ir.TensorData, element: object) -> ir.TensorData:
    """numpy's `astype`, where it loses nothing but digits of a fraction."""
    if not isinstance(element, ElementType):
        raise StaticError("OW304", "`astype` takes a type of numpy: `np.float32`")
    items = numbers_of(data)
    if items is None:
        raise StaticError("OW304", f"an array of {data.element.name} is cast where it is used: `op.Cast(x, to=...)`")
    if element.kind == "bool":
        return _data([bool(item) for item in items], data.dims, element)
    return _data([int(item) if isinstance(item, bool) else item for item in items], data.dims, element)


def numbers_of(data: ir.TensorData) -> list[Number] | None:
    """The elements of a constant, as numpy's `tolist()` gives them; None where they are no numbers of Python."""
    if not isinstance(data.data, bytes) or data.element.bits < 8:
        return None
    width = data.element.bits // 8
    parts = [data.data[start : start + width] for start in range(0, len(data.data), width)]
    items = [number_of(ir.TensorData(data.element, (), part)) for part in parts]
    found = [item for item in items if item is not None]
    return found if len(found) == len(items) else None


def listed(data: ir.TensorData) -> Number | str | tuple[Number | str, ...] | None:
    """What an attribute takes for a constant: its one item, or the items along its one axis. None where it has more
    axes or other items, and for a list of bools, which is none of ints."""
    items: Sequence[Number | str] | None
    items = numbers_of(data) if data.texts is None else [text.decode() for text in data.texts]
    if items is None or len(data.dims) > 1 or (data.dims and data.element.kind == "bool"):
        return None
    return tuple(items) if data.dims else items[0]


PYTHON_NUMBERS = ("double", "int64")  # numpy's scalars of these types are Python's numbers


def number_of(data: ir.TensorData) -> Number | None:
    """The one number of a constant of rank 0, as numpy's `item()` gives it; None where it is none."""
    if data.dims or not isinstance(data.data, bytes):
        return None
    if data.element.kind == "bool":
        return bool(data.data[0])
    if data.element.is_integer and data.element.bits >= 8:
        return int.from_bytes(data.data, "little", signed=data.element.kind == "int")
    code = {"double": "<d", "float": "<f", "float16": "<e"}.get(data.element.name)
    if code is None:
        return None
    return float(unpack(code, data.data)[0])


# ---------------------------------------------------------------------------------------------------- arguments


def _bound(
    name: str, parameters: Sequence[str], arguments: Sequence[object], keywords: Mapping[str, object]
) -> dict[str, object]:
    if len(arguments) > len(parameters):
        raise StaticError("OW304", f"`{name}` takes {', '.join(parameters)} here")
    found = dict(zip(parameters, arguments, strict=False))
    for keyword, value in keywords.items():
        if keyword not in parameters or keyword in found:
            raise StaticError("OW304", f"`{name}` takes {', '.join(parameters)} here, each once")
        found[keyword] = value
    return found


def _numbers(value: object, dims: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[Number, ...]]:
    """The shape and the items of nested lists of numbers."""
    if isinstance(value, (bool, int, float)):
        return (), (value,)
    if not isinstance(value, tuple):
        raise StaticError("OW304", "it takes numbers and lists of them")
    parts = [_numbers(item, dims) for item in value]
    if not parts:
        return (0,), ()
    if any(part[0] != parts[0][0] for part in parts):
        raise StaticError("OW312", "the lists differ in length")
    return (len(parts), *parts[0][0]), tuple(item for part in parts for item in part[1])


def _dims(value: object) -> tuple[int, ...]:
    sizes = value if isinstance(value, tuple) else (value,)
    dims = tuple(size for size in sizes if isinstance(size, int) and not isinstance(size, bool))
    if len(dims) != len(sizes) or any(size < 0 for size in dims):
        raise StaticError("OW304", "a shape is an int or a list of ints")
    if math.prod(dims) > static.SEQUENCE_ITEMS:
        raise StaticError("OW311", f"more than the {static.SEQUENCE_ITEMS:,} items allowed")
    return dims


def _element(given: Mapping[str, object], items: Sequence[Number], empty: str = "double") -> ElementType:
    """That of `dtype=`, else what numpy makes of such numbers."""
    wanted = given.get("dtype")
    if isinstance(wanted, ElementType):
        return wanted
    if wanted is not None:
        raise StaticError("OW304", "`dtype` is a type of numpy: `dtype=np.float32`")
    if not items:
        return BY_NAME[empty]
    if any(isinstance(item, float) for item in items):
        return BY_NAME["double"]
    return BY_NAME["bool" if all(isinstance(item, bool) for item in items) else "int64"]


def _data(items: Sequence[object], dims: tuple[int, ...], element: ElementType) -> ir.TensorData:
    if element.bits < 8 or element.kind == "string":
        raise StaticError("OW304", f"arrays of {element.name} are not made here")
    if len(items) > static.SEQUENCE_ITEMS:
        raise StaticError("OW311", f"more than the {static.SEQUENCE_ITEMS:,} items allowed")
    parts = []
    try:
        for item in items:
            if not isinstance(item, (bool, int, float)):
                raise StaticError("OW304", "it takes numbers and lists of them")
            parts.append(pack(item, element))
    except DoesNotFitError as error:
        raise StaticError("OW313", str(error), Choice.INFERRED_TYPE) from None
    return ir.TensorData(element, dims, b"".join(parts))


# ------------------------------------------------------------------------------------------------------- arrays


def _array(given: Mapping[str, object]) -> ir.TensorData:
    value = given.get("object")
    if isinstance(value, ir.TensorData):
        if given.get("dtype") not in (None, value.element):
            raise StaticError("OW304", "an array is cast where it is used: `op.Cast(x, to=...)`")
        return value
    dims, items = _numbers(value, ())
    element = _element(given, items)
    if any(isinstance(item, float) for item in items) and (element.is_integer or element.kind == "bool"):
        raise StaticError("OW313", f"a number with a fraction is no {element.name}", Choice.INFERRED_TYPE)
    if any(not isinstance(item, bool) for item in items) and element.kind == "bool":
        raise StaticError("OW313", "a number is no bool", Choice.INFERRED_TYPE)
    return _data(
        [int(item) if isinstance(item, bool) and element.is_integer else item for item in items], dims, element
    )


def _filled(value: Number) -> Callable[[Mapping[str, object]], ir.TensorData]:
    def make(given: Mapping[str, object]) -> ir.TensorData:
        dims, element = _dims(given.get("shape")), _element(given, ())
        one: Number = bool(value) if element.kind == "bool" else value
        return _data([one] * math.prod(dims), dims, element)

    return make


def _full(given: Mapping[str, object]) -> ir.TensorData:
    dims, value = _dims(given.get("shape")), given.get("fill_value")
    if not isinstance(value, (bool, int, float)):
        raise StaticError("OW304", "`full` takes a number")
    return _data([value] * math.prod(dims), dims, _element(given, (value,)))


def _arange(given: Mapping[str, object]) -> ir.TensorData:
    bounds = [given[name] for name in ("start", "stop", "step") if name in given]
    numbers = [bound for bound in bounds if isinstance(bound, int) and not isinstance(bound, bool)]
    if len(numbers) != len(bounds) or not bounds or numbers[2:] == [0]:
        raise StaticError("OW304", "`arange` takes ints")
    items = range(*numbers)
    if len(items) > static.SEQUENCE_ITEMS:
        raise StaticError("OW311", f"more than the {static.SEQUENCE_ITEMS:,} items allowed")
    return _data(items, (len(items),), _element(given, items, "int64"))


def _eye(given: Mapping[str, object]) -> ir.TensorData:
    (size,) = _dims(given.get("N"))
    dims, element = _dims((size, size)), _element(given, ())
    one, zero = (True, False) if element.kind == "bool" else (1, 0)
    return _data([one if row == column else zero for row in range(size) for column in range(size)], dims, element)


_ARRAYS: dict[str, Callable[[Mapping[str, object]], ir.TensorData]] = {
    "arange": _arange,
    "array": _array,
    "asarray": _array,
    "eye": _eye,
    "full": _full,
    "ones": _filled(1),
    "zeros": _filled(0),
}
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "arange": ("start", "stop", "step", "dtype"),
    "array": ("object", "dtype"),
    "asarray": ("object", "dtype"),
    "eye": ("N", "dtype"),
    "full": ("shape", "fill_value", "dtype"),
    "ones": ("shape", "dtype"),
    "zeros": ("shape", "dtype"),
}


# ------------------------------------------------------------------------------------------------------ numbers

_MATH = {
    **{name: name for name in ("sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "cbrt")},
    **{name: name for name in ("sinh", "cosh", "tanh", "fabs", "copysign", "fmod")},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")},
}


def _rounded(name: str) -> Callable[[Number], Number]:
    def make(value: Number) -> Number:
        return value if isinstance(value, int) else math.copysign(_of_math(name, value), value)

    return make


def _nearest(value: Number) -> Number:
    return value if isinstance(value, int) else math.copysign(float(round(value)), value)


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int) and exponent < 0:
        raise StaticError("OW312", "numpy says: Integers to negative integer powers are not allowed.")
    return _as_number(static.binary("**", base, exponent))


def _of_math(name: str, *values: Number) -> Number:
    return _as_number(static.call_math(name, values))


def _as_number(found: Operand) -> Number:
    """What is made of numbers: one."""
    assert isinstance(found, (int, float))
    return found


def _sign(value: Number) -> Number:
    if value != value or not value:
        return value
    return type(value)(math.copysign(1, value))


_OF_ONE: dict[str, Callable[[Number], Number]] = {
    "abs": lambda value: abs(value),
    "absolute": lambda value: abs(value),
    "around": _nearest,
    "ceil": _rounded("ceil"),
    "floor": _rounded("floor"),
    "rint": lambda value: _nearest(float(value)),
    "round": _nearest,
    "sign": _sign,
    "square": lambda value: value * value,
    "trunc": _rounded("trunc"),
}
_SCALAR = frozenset((*_MATH, *_OF_ONE, "power"))


def _scalar(name: str, values: Sequence[Number]) -> Number:
    if name in _MATH:
        return _of_math(_MATH[name], *values)
    return _power(*values) if name == "power" else _OF_ONE[name](*values)


_REDUCTIONS: dict[str, Callable[[Sequence[Number]], Number]] = {
    "amax": max,
    "amin": min,
    "max": max,
    "min": min,
    "prod": math.prod,
    "sum": lambda items: reduce(add, items),
}


def _of_numbers(name: str, arguments: Sequence[object], keywords: Mapping[str, object]) -> Number:
    values = [value for value in arguments if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if keywords or len(values) != len(arguments):
        raise StaticError("OW304", "it takes numbers here, without keywords")
    if any(static.is_int(value) and not -_INT64 <= value < 2 * _INT64 for value in values):
        raise StaticError("OW312", "numpy takes no ints beyond 64 bits")
    return _within(static.evaluated(lambda: _scalar(name, values)))


def _reduced(name: str, arguments: Sequence[object], keywords: Mapping[str, object]) -> Number:
    if keywords or len(arguments) != 1:
        raise StaticError("OW304", "it takes one list of numbers here, without keywords")
    _, items = _numbers(arguments[0], ())
    if any(isinstance(item, float) for item in items):
        items = tuple(map(float, items))
        if name in ("prod", "sum") and len(items) > _EXACT_SUMS:
            raise StaticError("OW304", f"more than {_EXACT_SUMS} numbers with a fraction: numpy's order is its own")
        if any(item != item for item in items):
            raise StaticError("OW312", "the result is not a number")
    if not items:
        if name not in ("prod", "sum"):
            raise StaticError("OW312", "numpy says: zero-size array to reduction operation which has no identity")
        return 1.0 if name == "prod" else 0.0
    return _within(static.evaluated(lambda: _REDUCTIONS[name](items)))


def _within(value: Number) -> Number:
    """numpy's ints are of 64 bits, and wrap around."""
    if static.is_int(value) and not -_INT64 <= value < _INT64:
        raise StaticError("OW312", "the result is beyond int64, where numpy's ints wrap around")
    return static.of_numpy(value)


FUNCTIONS = frozenset([*_SCALAR, *_REDUCTIONS, *_ARRAYS])


# What people know from numpy and PyTorch, as functions or methods, and what to write on tensors instead.
_ON_TENSORS: dict[str, str] = {
    **dict.fromkeys(("amax", "max"), "use `op.ReduceMax(x, keepdims=0)`"),
    **dict.fromkeys(("amin", "min"), "use `op.ReduceMin(x, keepdims=0)`"),
    **dict.fromkeys(("cat", "concat", "concatenate"), "use `op.Concat(a, b, axis=0)`"),
    **dict.fromkeys(("dot", "matmul", "mm"), "write `a @ b`"),
    **dict.fromkeys(("expand_dims", "unsqueeze"), "use `op.Unsqueeze(x, [0])`"),
    **dict.fromkeys(("permute", "transpose"), "use `op.Transpose(x, perm=[...])`"),
    **dict.fromkeys(("reshape", "view"), "use `op.Reshape(x, [...])`"),
    "add": "write `a + b`",
    "astype": "use `op.Cast(x, to=...)`",
    "broadcast_to": "use `op.Expand(x, [...])`",
    "clip": "use `op.Clip(x, low, high)`",
    "cumsum": "use `op.CumSum(x, 0)`",
    "divide": "write `a / b`",
    "logical_and": "use `op.And(a, b)`",
    "logical_not": "use `op.Not(x)`",
    "logical_or": "use `op.Or(a, b)`",
    "maximum": "use `op.Max(a, b)`",
    "mean": "use `op.ReduceMean(x, keepdims=0)`",
    "minimum": "use `op.Min(a, b)`",
    "multiply": "write `a * b`",
    "power": "write `a ** b`",
    "prod": "use `op.ReduceProd(x, keepdims=0)`",
    "stack": "use `op.Concat(op.Unsqueeze(a, [0]), op.Unsqueeze(b, [0]), axis=0)`",
    "subtract": "write `a - b`",
    "sum": "use `op.ReduceSum(x, keepdims=0)`",
    "take": "use `op.Gather(x, indices, axis=0)`",
    "where": "use `op.Where(c, a, b)`",
    "zeros_like": "use `op.CastLike(op.ConstantOfShape(op.Shape(x)), x)`",
}


def on_tensors(name: str) -> str:
    """How to write on tensors what numpy and PyTorch have under that name; empty where no operator does it."""
    known = _ON_TENSORS.get(name)
    if known is not None:
        return known
    wanted = name.replace("_", "").lower()
    found = next((operator for operator in similar("", wanted) if operator.lower() == wanted), "")
    return f"use `op.{found}(x)`" if found else ""
