"""The operators that generated programs call, in numpy, each with what the standard says of its inputs' types.

A formal is `name:type`; a type of one letter is a type variable, others are element types; `?` marks an optional
input, `*` a variadic one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.differential.arithmetic import on_tensors
from tests.differential.noise import Noise
from tests.differential.structures import STRUCTURES, call_structure
from tests.differential.values import (
    CODES,
    DTYPES,
    EXACT_INTEGER,
    ElementTypeObject,
    Fixed,
    OutOfScope,
    Refused,
    Tensor,
    default_of,
    is_number,
    to_tensor,
)

Array = Any
KERNELS: dict[str, Kernel] = {}
ORDER_OF_INT64 = "the order of int64 beyond int32"


class Kernel:
    def __init__(self, formals: Sequence[str], run: Callable[..., Any]) -> None:
        self.names = [formal.partition(":")[0] for formal in formals]
        self.types = [formal.partition(":")[2].rstrip("?*") for formal in formals]
        self.optional = [formal.endswith("?") for formal in formals]
        self.variadic = bool(formals) and formals[-1].endswith("*")
        self.run = run


class Context:
    """What a kernel may ask: the opset, the noise of inexact results, and how a function is called."""

    def __init__(self, opset: int, noise: Noise, call: Callable[..., Any]) -> None:
        self.opset = opset
        self.noise = noise
        self.call = call


def kernel(*formals: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        KERNELS[run.__name__] = Kernel(formals, run)
        return run

    return register


def call(name: str, positional: Sequence[Any], keywords: Mapping[str, Any], context: Context) -> Any:
    """`op.name(...)`: inputs by position or name, numbers converted as the type variables say, attributes by name."""
    try:
        return _call(name, positional, keywords, context)
    except np.exceptions.AxisError:
        raise OutOfScope("an axis out of range is an error at run time") from None


def _call(name: str, positional: Sequence[Any], keywords: Mapping[str, Any], context: Context) -> Any:
    if name in STRUCTURES:
        return call_structure(name, context, positional, dict(keywords))
    found = KERNELS.get(name)
    if found is None:
        raise Refused(f"no operator {name}")
    inputs = list(positional)
    attributes = dict(keywords)
    for index, formal in enumerate(found.names):
        if formal in attributes:
            if index < len(inputs):
                raise Refused(f"`{formal}` is given twice")
            value = attributes.pop(formal)
            inputs.extend([None] * (index - len(inputs)))
            inputs.append(value)
    if len(inputs) > len(found.names) and not found.variadic:
        raise Refused(f"too many inputs for {name}")
    with np.errstate(all="ignore"):
        given = {key: attribute(value) for key, value in attributes.items() if value is not None}
        try:
            result = found.run(context, *_converted(found, inputs), **given)
        except MemoryError:
            raise OutOfScope("a tensor that memory does not hold") from None
    if isinstance(result, tuple):
        return tuple(Tensor(item) for item in result)
    return result if isinstance(result, Tensor) else Tensor(result)


def _converted(found: Kernel, inputs: list[Any]) -> list[Array | None]:
    """Numbers take the element type of the first tensor that shares their type variable; where there is none, the one
    that holds them all."""
    types = [found.types[min(index, len(found.types) - 1)] for index in range(len(inputs))]
    met: dict[str, np.dtype[Any]] = {}
    numbers: dict[str, list[Any]] = {}
    for type_, value in zip(types, inputs, strict=True):
        if isinstance(value, Tensor):
            met.setdefault(type_, value.dtype)
        elif is_number(value):
            numbers.setdefault(type_, []).append(value)
    met = {type_: default_of(items) for type_, items in numbers.items()} | met
    arrays: list[Array | None] = []
    for index, (type_, value) in enumerate(zip(types, inputs, strict=True)):
        if value is None:
            if not found.optional[min(index, len(found.optional) - 1)]:
                raise Refused(f"the input {found.names[index]} is missing")
            arrays.append(None)
            continue
        tensor = to_tensor(value, DTYPES.get(type_, met.get(type_)))
        wanted = DTYPES.get(type_, met.setdefault(type_, tensor.dtype))
        if tensor.dtype != wanted:
            raise Refused(f"an input of {tensor.dtype} where {wanted} is wanted")
        arrays.append(tensor.array)
    return arrays


# ------------------------------------------------------------------------------------------------- elementwise


def _elementwise(
    name: str, function: Callable[[Array], Array], kinds: str, exact: bool = True, bounded: bool = False
) -> None:
    """`bounded`: runtimes come near the value by an absolute error, as for Tanh and Sigmoid."""

    def run(context: Context, x: Array) -> Array:
        if x.dtype.kind not in kinds:
            raise Refused(f"{name} of {x.dtype}")
        if name == "Sign":
            _note_order(context, x)
        result = np.asarray(function(x)).astype(x.dtype)
        if exact:
            return result
        return context.noise.sum(result, np.ones_like(result)) if bounded else context.noise(result)

    KERNELS[name] = Kernel(["X:T"], run)


_elementwise("Abs", np.abs, "fiu")
_elementwise("Neg", np.negative, "fi")
_elementwise("Sign", np.sign, "fiu")
_elementwise("Floor", np.floor, "f")
_elementwise("Ceil", np.ceil, "f")
_elementwise("Sqrt", np.sqrt, "f")
_elementwise("Identity", lambda x: x, "fiub")
_elementwise("Not", np.logical_not, "b")
_elementwise("Exp", np.exp, "f", exact=False)
_elementwise("Tanh", np.tanh, "f", exact=False, bounded=True)
_elementwise("Sigmoid", lambda x: 1 / (1 + np.exp(-x)), "f", exact=False, bounded=True)


def _operator(name: str, symbol: str) -> None:
    def run(context: Context, a: Array, b: Array) -> Tensor:
        return on_tensors(symbol, a, b, context.noise)

    KERNELS[name] = Kernel(["A:T", "B:T"], run)


for _name, _symbol in {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "Div": "/",
    "Equal": "==",
    "Less": "<",
    "GreaterOrEqual": ">=",
    "And": "&",
    "Or": "|",
    "Xor": "^",
    "MatMul": "@",
}.items():
    _operator(_name, _symbol)


@kernel("X:T")
def Relu(context: Context, x: Array) -> Array:
    if x.dtype.kind != "f" and context.opset < 14:
        raise Refused("Relu of integers")
    _no_signed_zeros(x)
    _note_order(context, x)
    return np.maximum(x, np.zeros((), x.dtype))


@kernel("X:T")
def LeakyRelu(context: Context, x: Array, alpha: float = 0.01) -> Array:
    if x.dtype.kind != "f":
        raise Refused("LeakyRelu of integers")
    return np.where(x < 0, x * x.dtype.type(np.float32(alpha)), x)


def _fold(name: str, function: Callable[[Array, Array], Array]) -> None:
    def run(context: Context, *items: Array) -> Array:
        result = items[0]
        for item in items[1:]:
            result = _extreme(context, function, result, item)
        return result

    KERNELS[name] = Kernel(["data:T*"], run)


def _extreme(context: Context, function: Callable[[Array, Array], Array], left: Array, right: Array) -> Array:
    _broadcastable(left, right)
    if left.dtype.kind == "f":
        if np.any(np.isnan(left)) or np.any(np.isnan(right)):
            raise OutOfScope("runtimes disagree on Max and Min of nan")
        _no_signed_zeros(left, right)
    _note_order(context, left, right)
    return function(left, right)


def _note_order(context: Context, *arrays: Array) -> None:
    """Values of int64 beyond int32 are put in order: onnxruntime 1.31 may take the lesser for the greater there."""
    limits = np.iinfo(np.int32)
    if any(item.dtype == np.int64 and np.any((item < limits.min) | (item > limits.max)) for item in arrays):
        context.noise.note(ORDER_OF_INT64)


def _no_signed_zeros(*arrays: Array) -> None:
    for array in arrays:
        if array.dtype.kind == "f" and np.any((array == 0) & np.signbit(array)):
            raise OutOfScope("which zero wins is not defined")


def _broadcastable(*arrays: Array) -> None:
    try:
        np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        raise OutOfScope("shapes that do not broadcast are an error at run time") from None


_fold("Max", np.maximum)
_fold("Min", np.minimum)


@kernel("data:T*")
def Sum(context: Context, *items: Array) -> Array:
    if items[0].dtype.kind != "f":
        raise Refused("Sum of integers")
    _broadcastable(*items)
    result = items[0]
    for item in items[1:]:
        result = result + item
    return result


@kernel("input:T", "min:T?", "max:T?")
def Clip(context: Context, x: Array, low: Array | None = None, high: Array | None = None) -> Array:
    for bound in (low, high):
        if bound is not None and bound.ndim:
            raise OutOfScope("a bound of Clip has rank 0")
    given = [item for item in (x, low, high) if item is not None]
    if len(given) < 3 and x.dtype.kind == "f" and any(np.any(np.isinf(item)) for item in given):
        raise OutOfScope("onnxruntime's Clip takes a missing bound for the largest finite number")
    if low is not None:
        x = _extreme(context, np.maximum, x, low)
    return x if high is None else _extreme(context, np.minimum, x, high)


@kernel("condition:bool", "X:T", "Y:T")
def Where(context: Context, condition: Array, x: Array, y: Array) -> Array:
    _broadcastable(condition, x, y)
    result = np.where(condition, x, y)
    _no_signed_zeros(result)  # onnxruntime's Where gives 0.0 for -0.0
    return result


# ------------------------------------------------------------------------------------------------------- types


def _element(to: Any) -> np.dtype[Any]:
    name = to.name if isinstance(to, ElementTypeObject) else {code: name for name, code in CODES.items()}.get(to)
    if name is None:
        raise OutOfScope("an element type that the interpreter does not know")
    return DTYPES[name]


@kernel("input:T")
def Cast(context: Context, x: Array, to: Any = None) -> Array:
    return cast(x, _element(to))


@kernel("input:T", "target_type:U")
def CastLike(context: Context, x: Array, like: Array) -> Array:
    if context.opset < 15:
        raise Refused("CastLike before opset 15")
    return cast(x, like.dtype)


def cast(x: Array, dtype: np.dtype[Any]) -> Array:
    if x.dtype.kind == "f" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not np.all(np.isfinite(x)) or np.any(x < float(limits.min)) or np.any(x >= float(limits.max)):
            raise OutOfScope("a float out of range is cast to an integer type")
    if x.dtype.kind in "iu" and dtype.kind in "iu" and np.any(x.astype(dtype).astype(x.dtype) != x):
        raise OutOfScope("an integer out of range is cast")
    if x.dtype.kind == "f" and np.any(np.isnan(x)) and dtype.kind == "b":
        raise OutOfScope("nan is cast to bool")
    return x.astype(dtype)


# -------------------------------------------------------------------------------------------------- reductions


def _axes(x: Array, axes: Any) -> tuple[int, ...] | None:
    """The axes: an input of some opsets, an attribute of others, written `axes=[0]` either way."""
    if axes is None:
        return None
    if np.ndim(axes) != 1:
        raise OutOfScope("axes are a list")
    values = tuple(int(axis) for axis in axes)
    if any(not -x.ndim <= axis < x.ndim for axis in values):
        raise OutOfScope("an axis out of range is an error at run time")
    return values or None


def _reduction(name: str, function: Callable[..., Array], summing: bool, empty: bool) -> None:
    def run(context: Context, x: Array, axes: Any = None, keepdims: int = 1) -> Array:
        takes_bool = not summing and context.opset >= 20
        if (x.dtype.kind == "b" and not takes_bool) or (name == "ReduceMean" and x.dtype.kind != "f"):
            raise Refused(f"{name} of {x.dtype}")
        chosen = _axes(x, axes)
        if keepdims not in (0, 1):
            raise OutOfScope("keepdims is 0 or 1")
        if not x.size and not empty:
            raise OutOfScope(f"{name} of nothing is not defined alike")
        if not summing and x.dtype.kind == "f":
            _no_signed_zeros(x)
            if np.any(np.isnan(x)):
                raise OutOfScope("runtimes disagree on the maximum of nan")
        if not summing:
            _note_order(context, x)
        whole = np.asarray(function(x, axis=chosen, keepdims=bool(keepdims)))
        result = whole.astype(x.dtype)
        beyond = x.dtype.kind in "iu" and summing and np.any(np.abs(x.astype(np.float64)).sum() > EXACT_INTEGER)
        if x.dtype.kind in "iu" and (beyond or np.any(whole != result)):
            raise OutOfScope("what an integer sum out of range gives is the runtime's own matter")
        if summing and x.dtype.kind == "f":
            magnitude = np.asarray(function(np.abs(x), axis=chosen, keepdims=bool(keepdims)))
            return context.noise.sum(result, magnitude, *(() if name == "ReduceMean" else (x,)))
        return result

    KERNELS[name] = Kernel(["data:T", "axes:int64?"], run)


_reduction("ReduceSum", np.sum, True, True)
_reduction("ReduceMax", np.max, False, False)
_reduction("ReduceMin", np.min, False, False)
_reduction("ReduceMean", np.mean, True, False)


# ------------------------------------------------------------------------------------------------------ shapes


@kernel("data:T")
def Shape(context: Context, x: Array) -> Array:
    return np.array(x.shape, np.int64)


@kernel("data:T")
def Size(context: Context, x: Array) -> Array:
    return np.array(x.size, np.int64)


@kernel("data:T", "shape:int64")
def Reshape(context: Context, x: Array, shape: Array) -> Array:
    dims = [int(dim) for dim in shape.reshape(-1)]
    if 0 in dims or (-1 in dims and not x.size):
        raise OutOfScope("zeros in a wanted shape copy a dimension")
    try:
        return x.reshape(dims)
    except ValueError:
        raise OutOfScope("a shape of another size is an error at run time") from None


@kernel("input:T", "shape:int64")
def Expand(context: Context, x: Array, shape: Array) -> Array:
    try:
        return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(int(dim) for dim in shape)))
    except ValueError:
        raise OutOfScope("shapes that do not broadcast are an error at run time") from None


@kernel("data:T", "axes:int64")
def Unsqueeze(context: Context, x: Array, axes: Array) -> Array:
    return np.expand_dims(x, tuple(int(axis) for axis in axes))


@kernel("data:T")
def Transpose(context: Context, x: Array, perm: Any = None) -> Array:
    if perm is not None and len(perm) != x.ndim:
        raise OutOfScope("a permutation of another rank is an error at run time")
    return np.transpose(x, perm)


@kernel("inputs:T*")
def Concat(context: Context, *items: Array, axis: int) -> Array:
    try:
        return np.concatenate(items, axis)
    except ValueError:
        raise OutOfScope("shapes that do not fit are an error at run time") from None


@kernel("data:T", "indices:I")
def Gather(context: Context, x: Array, indices: Array, axis: int = 0) -> Array:
    if not -x.ndim <= axis < x.ndim:
        raise OutOfScope("an axis out of range is an error at run time")
    if np.any((indices < -x.shape[axis]) | (indices >= x.shape[axis])):
        raise OutOfScope("an index out of range is an error at run time")
    return np.take(x, indices, axis)


@kernel("X:T", "K:int64")
def TopK(context: Context, x: Array, count: Array, axis: int = -1, largest: int = 1, sorted: int = 1) -> Any:
    if not x.ndim or count.shape != (1,) or not 0 <= int(count[0]) <= x.shape[axis]:
        raise OutOfScope("more items than there are is an error at run time")
    if x.dtype.kind == "f" and np.any(np.isnan(x)):
        raise OutOfScope("nan has no order")
    _no_signed_zeros(x)
    falling = -x if x.dtype.kind == "f" else ~x  # the least integer has no negative
    order = np.argsort(falling if largest else x, axis, kind="stable")  # of equal items the first ones
    taken = np.take(order, range(int(count[0])), axis)
    return np.take_along_axis(x, taken, axis), taken.astype(np.int64)


@kernel("input:T", "split:int64?")
def Split(context: Context, x: Array, split: Array | None = None, axis: int = 0, num_outputs: int | None = None) -> Any:
    if split is not None or not x.ndim or x.shape[axis] != 2 or num_outputs != (2 if context.opset >= 18 else None):
        raise OutOfScope("we split what has two items into two")
    return tuple(np.split(x, 2, axis))


@kernel()
def Constant(context: Context, **attributes: Any) -> Array:
    ((name, value),) = attributes.items()
    if name in ("value_int", "value_ints"):
        return np.array(value, np.int64)
    if name in ("value_float", "value_floats"):
        return np.array(value, np.float32)
    return to_tensor(value).array


@kernel("start:T", "limit:T", "delta:T")
def Range(context: Context, start: Array, limit: Array, delta: Array) -> Array:
    if start.dtype.kind == "f":
        raise OutOfScope("only ranges of integers are compared")
    if delta == 0:
        raise OutOfScope("a range without a step")
    count = math.ceil((int(limit) - int(start)) / int(delta))
    if count > 1000:
        raise OutOfScope("a long range")
    return np.arange(max(count, 0), dtype=start.dtype) * delta + start


def attribute(value: Any) -> Any:
    """An attribute as a call hands it over: floats as float32 holds them."""
    if isinstance(value, float):
        with np.errstate(over="ignore"):
            return float(np.float32(value))
    if isinstance(value, Fixed):
        return value
    if isinstance(value, Tensor) or (value is not None and not is_number(value) and not _is_static(value)):
        raise Refused(f"{value!r} is computed, and attributes are static")
    return value


def _is_static(value: Any) -> bool:
    return isinstance(value, (str, tuple, list, ElementTypeObject))
