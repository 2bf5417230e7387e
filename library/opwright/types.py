"""Tensor types, as annotations and as values of dtype attributes: `FLOAT`, `INT64["N", 3]`, `DOUBLE[...]`.

`FLOAT` alone is a scalar (rank 0), `FLOAT[...]` a tensor of unknown rank, and a dimension is an int, a name, or None
where it is unknown. `FLOAT(0.5)` is a scalar of that type. There is one class per element type of ONNX, by its name in
capitals. `Sequence` and `Optional` are Python's own. What type checkers see stands in `types.pyi`.

On the public import path, so this module imports little.
"""

import copyreg
from types import GenericAlias

from opwright.elements import BY_NAME, ElementType, fits_size
from opwright.first_use import find

Dimension = int | str | None


class _TensorClass(type):
    """What tensor types are: those of one element type have its hash, since `x.dtype` equals each of them and may be
    looked for in a set."""

    def __hash__(cls) -> int:
        dtype: object = getattr(cls, "dtype", None)
        return hash(dtype) if isinstance(dtype, ElementType) else type.__hash__(cls)


class Tensor(metaclass=_TensorClass):
    """Any tensor. `dtype` is the element type of a typed subclass; `shape` None where the rank is unknown."""

    dtype: ElementType | None = None
    shape: tuple[Dimension, ...] | None = None

    def __new__(cls, value: object) -> object:
        """`FLOAT(0.5)`: a scalar of this element type. `Tensor(array)`: a tensor of what numpy makes an array of.

        DiagnosticError where the value does not fit, TypeError where ONNX has no such tensors.
        """
        return find("tensor_of")(value) if cls.dtype is None else find("make_scalar")(cls.dtype, value)

    def __class_getitem__(cls, dims: object) -> type["Tensor"]:
        """The same type with a shape: dimensions, or `...` for an unknown rank. TypeError for anything else."""
        shape = None if dims is ... else tuple(map(_dimension, dims if isinstance(dims, tuple) else (dims,)))
        found = _SHAPED.get((cls, shape))
        if found is None:
            name = cls.__name__.partition("[")[0]
            listed = "..." if shape is None else ", ".join(map(repr, shape))
            members = {"shape": shape, "__module__": cls.__module__, "__slots__": ()}
            found = _SHAPED[cls, shape] = type(f"{name}[{listed}]", (cls,), members)
        return found


def _dimension(dim: object) -> Dimension:
    if dim is None or isinstance(dim, str):
        return dim
    as_index = getattr(type(dim), "__index__", None)  # of numpy's integers, too
    if as_index is not None and not isinstance(dim, bool) and fits_size(size := int(as_index(dim))):
        return size
    raise TypeError(f"a dimension is a size from 0 to 2**63 - 1, a name or None, not {dim!r}")


_SHAPED: dict[tuple[type[Tensor], tuple[Dimension, ...] | None], type[Tensor]] = {}


def _reduced(cls: type[Tensor]) -> object:
    """How a type is pickled: by its name, or as its element type with its shape, which no module has a name for."""
    base = cls.__base__
    if _SHAPED.get((base, cls.shape)) is not cls:
        return cls.__qualname__
    return base.__class_getitem__, (... if cls.shape is None else cls.shape,)


copyreg.pickle(_TensorClass, _reduced)


class Graph:
    """The annotation of a parameter that is a graph attribute: a function that an operator runs, such as a loop's body.

    `@graph()` makes one of a nested function.
    """

    __slots__ = ()


class OptionalValue:
    """The annotation of ONNX's optional type, `OptionalValue[FLOAT[2]]`: a value that is there, and may hold nothing.

    An input that need not be given is another thing: that is `Optional`.
    """

    __slots__ = ()

    def __class_getitem__(cls, content: object) -> GenericAlias:
        return GenericAlias(cls, content)


class Map:
    """The annotation of ONNX's map type, `Map[INT64, FLOAT[...]]`: a dictionary of tensors by integers or texts."""

    __slots__ = ()

    def __class_getitem__(cls, types: tuple[object, object]) -> GenericAlias:
        return GenericAlias(cls, types)


def _typed(element: ElementType) -> type[Tensor]:
    name, doc = element.name.upper(), f"A tensor of {element.name}."
    return type(name, (Tensor,), {"__doc__": doc, "__module__": __name__, "dtype": element, "shape": ()})


globals().update((item.name.upper(), _typed(item)) for item in BY_NAME.values())


def __getattr__(name: str) -> object:
    if name == "Sequence":
        from collections.abc import Sequence as found
    elif name == "Optional":
        from typing import Optional as found
    else:
        raise AttributeError(f"module 'opwright.types' has no attribute {name!r}")
    globals()[name] = found
    return found
