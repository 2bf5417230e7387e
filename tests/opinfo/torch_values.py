"""Values of torch in the form that archives have, and what tells one call from another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from tests.opinfo.archive import Named, Random, Tensor, Value

TYPES = {
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
    torch.float32: "float",
    torch.float64: "double",
    torch.bool: "bool",
    torch.uint8: "uint8",
    torch.int8: "int8",
    torch.int16: "int16",
    torch.int32: "int32",
    torch.int64: "int64",
}
COMPLEX = {torch.complex64: "float", torch.complex128: "double"}
_DTYPES = {**TYPES, torch.complex32: "complex32", torch.complex64: "complex64", torch.complex128: "complex128"}
MOST_ELEMENTS = 1 << 16  # of a tensor


class Unstorable(Exception):
    """A value that archives have no form for."""


def owned(value: Any) -> Any:
    """The value with dense tensors of its own in place of views, conjugates and what may be written to."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized or value.device.type != "cpu":
            raise Unstorable(f"{value.layout}, {value.device}")
        if value.dtype not in TYPES and value.dtype not in COMPLEX:
            raise Unstorable(str(value.dtype))
        if value.numel() > MOST_ELEMENTS:
            raise Unstorable(f"{value.numel():,} elements")
        plain = value.detach().resolve_conj().resolve_neg()
        return torch.empty(plain.shape, dtype=plain.dtype).copy_(plain)
    if isinstance(value, tuple | list):
        return [owned(item) for item in value]
    if isinstance(value, dict):
        return {key: owned(item) for key, item in value.items()}
    stored(value)
    return value


def stored(value: Any) -> Value:
    """The value as archives have it. Unstorable for what has no form there."""
    if isinstance(value, torch.Tensor):
        if value.dtype in COMPLEX:
            return Tensor(torch.view_as_real(value.resolve_conj()).contiguous().numpy(), COMPLEX[value.dtype], True)
        if value.dtype not in TYPES or value.layout != torch.strided:
            raise Unstorable(f"{value.dtype}, {value.layout}")
        dense = value.detach().resolve_neg().contiguous()
        if dense.dtype == torch.bfloat16:
            return Tensor(dense.view(torch.uint16).numpy(), "bfloat16")
        return Tensor(dense.numpy(), TYPES[value.dtype])
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return Named("float", repr(value))
    if isinstance(value, tuple | list):
        return [stored(item) for item in value]
    if isinstance(value, torch.dtype) and value in _DTYPES:
        return Named("dtype", _DTYPES[value])
    if isinstance(value, torch.layout | torch.memory_format):
        kind = "layout" if isinstance(value, torch.layout) else "memory_format"
        return Named(kind, str(value).removeprefix("torch."))
    if isinstance(value, torch.device) and value.type == "cpu":
        return Named("device", "cpu")
    raise Unstorable(type(value).__name__)


def without_values(value: Any) -> Value:
    """Of a random output: type and shape."""
    if isinstance(value, torch.Tensor):
        if value.dtype not in TYPES:
            raise Unstorable(str(value.dtype))
        return Random(TYPES[value.dtype], tuple(value.shape))
    return [without_values(item) for item in value] if isinstance(value, tuple | list) else stored(value)


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of a value, in their order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors(item)


def type_name(value: torch.Tensor) -> str:
    return TYPES.get(value.dtype) or f"complex_{COMPLEX.get(value.dtype, 'half')}"


def described(value: Any) -> str:
    """A text that two calls share whose types, shapes and other arguments are equal."""
    if isinstance(value, torch.Tensor):
        return f"{value.dtype}{[*value.shape]}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(described, value))})"
    if isinstance(value, dict):
        return f"({', '.join(f'{key}={described(item)}' for key, item in sorted(value.items()))})"
    return repr(value)


def kinds(value: Any) -> str:
    """A text that two calls share whose ranks, bools and texts are equal, and which have the same arguments."""
    if isinstance(value, torch.Tensor):
        return f"{value.dtype}{value.ndim}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(kinds, value))})"
    if isinstance(value, dict):
        return f"({', '.join(f'{key}={kinds(item)}' for key, item in sorted(value.items()))})"
    return type(value).__name__ if isinstance(value, int | float) and not isinstance(value, bool) else repr(value)
