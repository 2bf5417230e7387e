"""Eager tensors: the concrete values of a function that runs as Python."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from opwright import types
from opwright.eager.arrays import Data
from opwright.eager.settings import current
from opwright.elements import ElementType
from opwright.first_use import find
from opwright.graphs.ndarrays import Array, as_array, element_of, is_masked
from opwright.lang import ir


def _refuse(code: str, message: str, reason: str, help: str) -> Any:
    return find("refuse")(code, message, reason, help)


class Items(list[Any]):
    """A sequence: a list of tensors that knows their type even when it is empty."""

    __slots__ = ("item",)

    def __init__(self, items: Iterable[Any], item: ir.Type) -> None:
        super().__init__(items)
        self.item = item

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Items(found, self.item) if isinstance(index, slice) else found

    def __repr__(self) -> str:
        shown = [repr(item) for item in self[:_LEADING]]
        if len(self) > _LEADING:
            shown.append(f"... {len(self) - _LEADING} more")
        return f"[{', '.join(shown)}]"


class Tensor(types.Tensor):
    """One tensor (or one optional value): immutable, of an ONNX element type.

    Operators follow the same table as in compiled functions; numbers take the tensor's element type, and two tensors
    of different element types are refused (OW315). Its truth is that of its one element.
    """

    __slots__ = ("data", "other")
    __hash__ = object.__hash__
    __array_ufunc__ = None  # numpy's operators leave the work to ours

    data: Data
    other: ir.Type | None  # the type of what is no plain tensor; that of a tensor is made on demand

    def __new__(cls, value: object) -> Tensor:
        return tensor_of(value)

    # ------------------------------------------------------------------------------------------- questions

    @property
    def type(self) -> ir.Type:
        """The ONNX type, sizes included."""
        return ir.TensorType(_tensor_element(self), self.data.shape) if self.other is None else self.other

    @property
    def dtype(self) -> ElementType:  # type: ignore[override]
        """The element type; equal to `FLOAT`, and usable where an attribute wants one."""
        return _tensor_element(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes, as Python numbers."""
        found = _array(self)
        if (trace := current().trace) is not None:
            trace.size_of(found)
        return tuple(found.shape)

    @property
    def rank(self) -> int:
        return int(_array(self).ndim)

    @property
    def ndim(self) -> int:
        """The rank, by numpy's name."""
        return self.rank

    @property
    def size(self) -> int:
        """How many elements there are, as a Python number."""
        return math.prod(self.shape)

    @property
    def T(self) -> Tensor:
        """The axes in reverse, as numpy has them."""
        found: Tensor = find("transposed")(self)
        return found

    def numpy(self) -> Array:
        """The elements as a read-only array; types that numpy lacks as those of `ml_dtypes`."""
        view = _looked_at(self).view()
        view.flags.writeable = False
        return view

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return repr_of(self)

    def __len__(self) -> int:
        if not self.shape:
            _refuse("OW314", "a tensor of rank 0 has no length", "`len(x)` is the size of the first dimension", "")
        return self.shape[0]

    def __bool__(self) -> bool:
        array, kind = _looked_at(self), self.dtype.kind
        if array.size != 1 or kind == "string":
            _refuse(
                "OW320",
                f"a tensor {self.type!r} cannot be a condition",
                "a condition is one element of a numeric or boolean type",
                "reduce it: `op.ReduceMax(x)`",
            )
        return bool(array.reshape(())[()] != 0)

    def __index__(self) -> int:
        if not self.dtype.is_integer or _array(self).size != 1:
            _refuse("OW314", f"a tensor {self.type!r} is no integer", "Python wants one here", "cast it to INT64")
        return int(_looked_at(self).reshape(())[()])

    def __int__(self) -> int:
        return int(self._one("int"))

    def __float__(self) -> float:
        return float(self._one("float"))

    def _one(self, wanted: str) -> Any:
        if _array(self).size != 1:
            _refuse("OW314", f"{wanted}(...) takes one element, not {self.type!r}", "Python's numbers are single", "")
        return _looked_at(self).reshape(())[()]

    def __iter__(self) -> Iterator[Any]:
        """The parts along the first axis."""
        if not self.shape:
            _refuse("OW312", "Python says: iteration over a 0-d tensor", "a tensor of rank 0 has no rows", "")
        return (self[index] for index in range(self.shape[0]))

    def __contains__(self, item: object) -> bool:
        _refuse("OW304", "`in` needs static operands", "membership is a static question", "")
        raise AssertionError

    def __getitem__(self, key: object) -> Any:
        return find("subscript")(self, key)

    def __setitem__(self, key: object, value: object) -> None:
        _refuse(
            "OW303",
            "only names can be assigned",
            "tensors of a graph never change",
            "build a new tensor: `op.ScatterElements`, `op.Concat`, ...",
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (make_tensor, (self.data, self.type))

    # ------------------------------------------------------------------------------------------- operators

    def __add__(self, other: object) -> Any:
        return find("binary")("+", self, other)

    def __radd__(self, other: object) -> Any:
        return find("binary")("+", other, self)

    def __sub__(self, other: object) -> Any:
        return find("binary")("-", self, other)

    def __rsub__(self, other: object) -> Any:
        return find("binary")("-", other, self)

    def __mul__(self, other: object) -> Any:
        return find("binary")("*", self, other)

    def __rmul__(self, other: object) -> Any:
        return find("binary")("*", other, self)

    def __truediv__(self, other: object) -> Any:
        return find("binary")("/", self, other)

    def __rtruediv__(self, other: object) -> Any:
        return find("binary")("/", other, self)

    def __floordiv__(self, other: object) -> Any:
        return find("binary")("//", self, other)

    def __rfloordiv__(self, other: object) -> Any:
        return find("binary")("//", other, self)

    def __mod__(self, other: object) -> Any:
        return find("binary")("%", self, other)

    def __rmod__(self, other: object) -> Any:
        return find("binary")("%", other, self)

    def __pow__(self, other: object) -> Any:
        return find("binary")("**", self, other)

    def __rpow__(self, other: object) -> Any:
        return find("binary")("**", other, self)

    def __matmul__(self, other: object) -> Any:
        return find("binary")("@", self, other)

    def __rmatmul__(self, other: object) -> Any:
        return find("binary")("@", other, self)

    def __and__(self, other: object) -> Any:
        return find("binary")("&", self, other)

    def __rand__(self, other: object) -> Any:
        return find("binary")("&", other, self)

    def __or__(self, other: object) -> Any:
        return find("binary")("|", self, other)

    def __ror__(self, other: object) -> Any:
        return find("binary")("|", other, self)

    def __xor__(self, other: object) -> Any:
        return find("binary")("^", self, other)

    def __rxor__(self, other: object) -> Any:
        return find("binary")("^", other, self)

    def __lshift__(self, other: object) -> Any:
        return find("binary")("<<", self, other)

    def __rlshift__(self, other: object) -> Any:
        return find("binary")("<<", other, self)

    def __rshift__(self, other: object) -> Any:
        return find("binary")(">>", self, other)

    def __rrshift__(self, other: object) -> Any:
        return find("binary")(">>", other, self)

    def __eq__(self, other: object) -> Any:
        return find("binary")("==", self, other)

    def __ne__(self, other: object) -> Any:
        return find("binary")("!=", self, other)

    def __lt__(self, other: object) -> Any:
        return find("binary")("<", self, other)

    def __le__(self, other: object) -> Any:
        return find("binary")("<=", self, other)

    def __gt__(self, other: object) -> Any:
        return find("binary")(">", self, other)

    def __ge__(self, other: object) -> Any:
        return find("binary")(">=", self, other)

    def __neg__(self) -> Any:
        return find("unary")("-", self)

    def __pos__(self) -> Any:
        return find("unary")("+", self)

    def __invert__(self) -> Any:
        return find("unary")("~", self)

    def __abs__(self) -> Any:
        return find("unary")("abs", self)


def make_tensor(data: Data, type_: ir.Type | None = None) -> Tensor:
    """A tensor of an array that is never changed; `type_` is that of an optional."""
    made = _new(Tensor)
    made.data = data
    made.other = None if type(type_) is ir.TensorType else type_
    return made


_new: Callable[[type[Tensor]], Tensor] = object.__new__


def tensor_of(value: object) -> Tensor:
    """A tensor of a numpy array (copied), or of anything that numpy makes one of. TypeError where ONNX has no such."""
    if isinstance(value, Tensor):
        return value
    if is_masked(value):
        raise TypeError("ONNX has no masked tensors: give `x.filled(value)`")
    try:
        array = as_array(np.array(value, copy=True))
    except ValueError as error:  # lists of several lengths
        raise TypeError(f"no tensor can be made of it: {error}") from None
    element = element_of(array)
    if element is None:
        raise TypeError(f"ONNX has no tensors of {array.dtype}")
    return make_tensor(array)


def _array(tensor: Tensor) -> Array:
    if not isinstance(tensor.data, np.ndarray):
        _refuse(
            "OW314", f"a value of type {tensor.type!r} is not a tensor", "it is an optional", "op.OptionalGetElement"
        )
    array: Array = tensor.data
    return array


def _looked_at(tensor: Tensor) -> Array:
    """The array, of which Python looks at values."""
    if (trace := current().trace) is not None:
        trace.fail("Python looks at the values of a tensor")
    return _array(tensor)


def _tensor_element(tensor: Tensor) -> ElementType:
    found = element_of(_array(tensor))
    assert found is not None
    return found


_SHOWN = 32  # elements; of more only the first few
_LEADING = 6
_TEXT = reprlib.Repr()  # of strings: 30 characters


def repr_of(tensor: Tensor) -> str:
    """One line of bounded length, in a time that does not depend on the tensor's size.

    `Tensor(float[2, 2], [[1., 2.], [3., 4.]])`, `Tensor(float[1000, 1000], [0.5, 1., 1.5, 2., 2.5, 3., ...])`.
    """
    data = tensor.data
    if not isinstance(data, np.ndarray):
        return f"Tensor({tensor.type!r}, {_TEXT.repr(data)})"
    is_whole = data.size <= _SHOWN
    shown = data if is_whole else data.flat[:_LEADING]
    if data.dtype.kind == "O":
        text = _TEXT.repr(shown.tolist() if is_whole else list(shown))
    else:
        text = " ".join(np.array2string(shown, separator=", ", max_line_width=_ENDLESS).split())
        text = text.replace("[ ", "[")
    if not is_whole:
        text = text.removesuffix("]").removesuffix(", ...") + ", ...]"
    return f"Tensor({tensor.type!r}, {text})"


_ENDLESS = 1 << 20


def wrap(data: Data, type_: ir.Type) -> Any:
    """A tensor, or a list of tensors for a sequence."""
    if isinstance(type_, ir.SequenceType):
        if type(type_.item) is ir.TensorType and all(type(item) is np.ndarray for item in data):
            return Items([make_tensor(item) for item in data], type_.item)
        return Items((wrap(item, _item_type(item, type_.item)) for item in data), type_.item)
    return make_tensor(data, type_)


def _item_type(data: Data, known: ir.Type) -> ir.Type:
    if isinstance(known, ir.TensorType) and isinstance(data, np.ndarray):
        return ir.TensorType(known.element, data.shape)
    return known
