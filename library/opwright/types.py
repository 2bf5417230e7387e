"""Tensor types, as annotations and as values of dtype attributes: `FLOAT`, `INT64["N", 3]`, `DOUBLE[...]`.

`FLOAT` alone is a scalar (rank 0), `FLOAT[...]` a tensor of unknown rank, and a dimension is an int, a name, or None
where it is unknown. On the public import path, so this module imports little.
"""

from opwright.elements import BY_NAME, ElementType

Dimension = int | str | None


class Tensor:
    """Any tensor. `dtype` is the element type of a typed subclass; `shape` None where the rank is unknown."""

    dtype: ElementType | None = None
    shape: tuple[Dimension, ...] | None = None

    def __class_getitem__(cls, dims: object) -> type["Tensor"]:
        """The same type with a shape: dimensions, or `...` for an unknown rank. TypeError for anything else."""
        if dims is ...:
            shape = None
        else:
            shape = dims if isinstance(dims, tuple) else (dims,)
            for dim in shape:
                if isinstance(dim, bool) or not (dim is None or isinstance(dim, (int, str))):
                    raise TypeError(f"a dimension is an int, a name or None, not {dim!r}")
        name = cls.__name__.partition("[")[0]
        listed = "..." if shape is None else ", ".join(map(repr, shape))
        return type(f"{name}[{listed}]", (cls,), {"shape": shape, "__module__": cls.__module__})


class FLOAT(Tensor):
    dtype = BY_NAME["float"]
    shape = ()


class DOUBLE(Tensor):
    dtype = BY_NAME["double"]
    shape = ()


class FLOAT16(Tensor):
    dtype = BY_NAME["float16"]
    shape = ()


class BFLOAT16(Tensor):
    dtype = BY_NAME["bfloat16"]
    shape = ()


class FLOAT8E4M3FN(Tensor):
    dtype = BY_NAME["float8e4m3fn"]
    shape = ()


class FLOAT8E4M3FNUZ(Tensor):
    dtype = BY_NAME["float8e4m3fnuz"]
    shape = ()


class FLOAT8E5M2(Tensor):
    dtype = BY_NAME["float8e5m2"]
    shape = ()


class FLOAT8E5M2FNUZ(Tensor):
    dtype = BY_NAME["float8e5m2fnuz"]
    shape = ()


class FLOAT8E8M0(Tensor):
    dtype = BY_NAME["float8e8m0"]
    shape = ()


class FLOAT4E2M1(Tensor):
    dtype = BY_NAME["float4e2m1"]
    shape = ()


class INT2(Tensor):
    dtype = BY_NAME["int2"]
    shape = ()


class INT4(Tensor):
    dtype = BY_NAME["int4"]
    shape = ()


class INT8(Tensor):
    dtype = BY_NAME["int8"]
    shape = ()


class INT16(Tensor):
    dtype = BY_NAME["int16"]
    shape = ()


class INT32(Tensor):
    dtype = BY_NAME["int32"]
    shape = ()


class INT64(Tensor):
    dtype = BY_NAME["int64"]
    shape = ()


class UINT2(Tensor):
    dtype = BY_NAME["uint2"]
    shape = ()


class UINT4(Tensor):
    dtype = BY_NAME["uint4"]
    shape = ()


class UINT8(Tensor):
    dtype = BY_NAME["uint8"]
    shape = ()


class UINT16(Tensor):
    dtype = BY_NAME["uint16"]
    shape = ()


class UINT32(Tensor):
    dtype = BY_NAME["uint32"]
    shape = ()


class UINT64(Tensor):
    dtype = BY_NAME["uint64"]
    shape = ()


class BOOL(Tensor):
    dtype = BY_NAME["bool"]
    shape = ()


class STRING(Tensor):
    dtype = BY_NAME["string"]
    shape = ()


class COMPLEX64(Tensor):
    dtype = BY_NAME["complex64"]
    shape = ()


class COMPLEX128(Tensor):
    dtype = BY_NAME["complex128"]
    shape = ()
