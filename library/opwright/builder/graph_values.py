"""Values of a graph that is being built: what `op.X(...)` gives while it is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from opwright import types
from opwright.eager.outcome import Captured
from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.lower.values.shapes import known_length
from opwright.lang.meaning.operands import IntTuple

if TYPE_CHECKING:
    from opwright.builder.graph_builder import GraphBuilder

_HELP = "use `op.Where` or `op.If`, ask for what is known (`x.dtype`, `x.rank`), or look at it with `b.run(x)`"


class Value(types.Tensor, Captured):
    """A value of a graph: a tensor, a sequence, an optional, or a number that is known at run time only.

    Operators and subscripts are those of the language, and become nodes. Two values are the same only where they are
    one object: `==` makes a node.
    """

    __slots__ = ("builder", "inner")
    __hash__ = object.__hash__
    __array_ufunc__ = None  # numpy's operators leave the work to ours

    builder: GraphBuilder
    inner: ir.Value

    def __new__(cls, builder: GraphBuilder, inner: ir.Value) -> Value:
        made: Value = object.__new__(cls)
        made.builder = builder
        made.inner = inner
        return made

    @property
    def capturing(self) -> GraphBuilder:
        return self.builder

    # ------------------------------------------------------------------------------------------- questions

    @property
    def name(self) -> str:
        """The name that the value has in the model."""
        return self.inner.name

    @property
    def type(self) -> ir.Type:
        """The ONNX type as far as it is known, symbolic sizes included."""
        return self.inner.type

    @property
    def dtype(self) -> ElementType:  # type: ignore[override]
        """The element type; equal to `FLOAT`, and usable where an attribute wants one. DiagnosticError (OW382) where it
        is not known, or where this is not a tensor."""
        return self.builder.ask_dtype(self)

    @property
    def rank(self) -> int:
        """DiagnosticError (OW382) where it is not known."""
        return self.builder.ask_rank(self)

    @property
    def ndim(self) -> int:
        """The rank, by numpy's name."""
        return self.rank

    @property
    def size(self) -> Any:
        """How many elements there are: an int where that is known, else a number."""
        return self.builder.size_of(self)

    @property
    def T(self) -> Any:
        """The axes in reverse, as numpy has them."""
        return self.builder.transposed(self)

    @property
    def shape(self) -> Any:
        """The sizes: a tuple of ints where all are known, else a `Shape`, whose items are ints and numbers."""
        return self.builder.ask_shape(self)

    def numpy(self) -> Any:
        return self._unknown("`.numpy()`")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._unknown("numpy")

    def __repr__(self) -> str:
        return f"Value({self.name}: {self.type!r})"

    def __len__(self) -> int:
        return self.builder.ask_length(self)

    def __bool__(self) -> bool:
        return bool(self._unknown("a condition of Python"))

    def __index__(self) -> int:
        return int(self._unknown("an int of Python"))

    def __int__(self) -> int:
        return int(self._unknown("`int(...)`"))

    def __float__(self) -> float:
        return float(self._unknown("`float(...)`"))

    def _unknown(self, wanted: str) -> Any:
        what = f"the value of `{self.name}`, {self.type!r}" if self.name else "a number that the graph computes"
        return self.builder.refuse(
            "OW381",
            f"{wanted} needs {what}",
            "the graph is being built: its values are computed when the model runs",
            _HELP,
        )

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(self.builder.ask_items(self)))

    def __contains__(self, item: object) -> bool:
        return bool(self._unknown("`in`"))

    def __getitem__(self, key: object) -> Any:
        return self.builder.subscript(self, key)

    def __setitem__(self, key: object, value: object) -> None:
        self.builder.refuse(
            "OW303",
            "only names can be assigned",
            "tensors of a graph never change",
            "build a new tensor: `op.ScatterElements`, `op.Concat`, ...",
        )

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(f"`{self.name}` is part of a graph that is being built: copy or pickle the model")

    # ------------------------------------------------------------------------------------------- operators

    def __pos__(self) -> Any:
        return self.builder.unary("+", self)

    def __neg__(self) -> Any:
        return self.builder.unary("-", self)

    def __invert__(self) -> Any:
        return self.builder.unary("~", self)

    def __abs__(self) -> Any:
        return self.builder.unary("abs", self)


class Shape(Captured):
    """The sizes of a tensor, some of which are known at run time only: subscripts give ints, or numbers of the graph.

    Operators are those of the language: `+` joins tuples, `==` is a bool where the known sizes decide it, else a number
    of the graph. Where a tensor is wanted it is `op.Shape(x)`.
    """

    __slots__ = ("builder", "inner")
    __hash__ = None  # type: ignore[assignment]  # whether two are equal may be known at run time only
    __array_ufunc__ = None  # as for `Value`

    def __init__(self, builder: GraphBuilder, inner: IntTuple) -> None:
        self.builder = builder
        self.inner = inner

    @property
    def capturing(self) -> GraphBuilder:
        return self.builder

    def __len__(self) -> int:
        found = known_length(self.inner)
        if found is None:
            owner = self.inner.owner
            return self.builder.ask_rank(Value(self.builder, owner or ir.Value(ir.UnknownType())))
        return found

    def __getitem__(self, key: object) -> Any:
        return self.builder.subscript(self, key)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[index] for index in range(len(self))])

    def index(self, size: object, *limits: int) -> int:
        """As of tuples. DiagnosticError (OW381) where that is known at run time only."""
        return tuple(self).index(size, *limits)

    def count(self, size: object) -> int:
        """As of tuples. DiagnosticError (OW381) where that is known at run time only."""
        return tuple(self).count(size)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(f"{self!r} is part of a graph that is being built: copy or pickle the model")

    def __repr__(self) -> str:
        owner = self.inner.owner
        return f"Shape({owner.type!r})" if owner is not None else "Shape(...)"


def _add_operator(method: str, symbol: str) -> None:
    def operate(self: Value, other: object) -> Any:
        return self.builder.binary(symbol, self, other)

    def reflected(self: Value, other: object) -> Any:
        return self.builder.binary(symbol, other, self)

    def operate_on_sizes(self: Shape, other: object) -> Any:
        if symbol in ("==", "!=") and not _may_equal_sizes(other):
            return NotImplemented  # Python then says that they differ
        return self.builder.binary(symbol, self, _with_ints(other))

    def reflected_on_sizes(self: Shape, other: object) -> Any:
        return self.builder.binary(symbol, _with_ints(other), self)

    pairs: tuple[tuple[type[Captured], Any, Any], ...] = (
        (Value, operate, reflected),
        (Shape, operate_on_sizes, reflected_on_sizes),
    )
    for owner, plain, turned in pairs:
        for name, function in ((f"__{method}__", plain), (f"__r{method}__", turned)):
            function.__name__ = name
            setattr(owner, name, function)


def _may_equal_sizes(other: object) -> bool:
    """Whether a tuple is compared with it by its entries: with a tuple, or with a tensor."""
    return isinstance(other, (tuple, Captured)) or hasattr(other, "__array__")


def _with_ints(other: object) -> object:
    """Integers of numpy in a tuple are sizes, as Python's are."""
    if type(other) is not tuple:
        return other
    return tuple(int(item) if isinstance(item, np.integer) else item for item in other)


_OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
for _method, _symbol in (_OPERATORS | _COMPARISONS).items():
    _add_operator(_method, _symbol)
