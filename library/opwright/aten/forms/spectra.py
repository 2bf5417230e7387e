"""Spectra: frames of signals, sizes of Fourier transforms, and complex tensors. Lengths are in elements."""

from __future__ import annotations

from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.forms.dimensions import axes
from opwright.aten.forms.list_items import item_at, paired


def hop_of_frames(value: Any, call: CallShape) -> int:
    """The distance of frames; for None a quarter of their length `n_fft`, rounded down."""
    return int(call.values["n_fft"] // 4 if value is None else value)


def length_of_window(value: Any, call: CallShape) -> int:
    """The length of a window; for None that of a frame, `n_fft`."""
    return int(call.values["n_fft"] if value is None else value)


def margin_of_window(value: Any, call: CallShape) -> int | None:
    """The padding before a window of the given length which centers it in a frame of the length `n_fft`: 1 for 7 in 10.
    None if it has that length."""
    missing = int(call.values["n_fft"]) - length_of_window(value, call)
    return missing // 2 if missing else None


def signal_sizes(value: Any, call: CallShape) -> list[Any] | None:
    """The sizes to which the dimensions `dim` are cropped or padded, where -1 stands for the size of the dimension;
    None for None. -1 is refused where that size is not known."""
    if value is None:
        return None
    found: list[Any] = []
    for item, axis in paired(value, axes(call.values["dim"], call)):
        size = call.size_along(axis) if isinstance(item, int) and item == -1 else item
        if size is None:
            raise NoForm("it is -1 for a dimension of unknown size")
        found.append(size)
    return found


def half_spectrum(value: Any, call: CallShape) -> Any:
    """The length of a real signal, of whose spectrum the last of the dimensions `dim` has one half. Refused where that
    is known not to have `length // 2 + 1` frequencies."""
    dims = call.values["dim"]
    size = call.size_along(item_at(dims, max(len(dims) - 1, 0)))
    if size is not None and isinstance(value, int) and size != value // 2 + 1:
        raise NoForm(f"a real signal of length {value} has {value // 2 + 1} frequencies, and {size} are given")
    return value


def pairs(value: Any, call: CallShape) -> Any:
    """A tensor, which may be complex: the function gets pairs of real numbers then, in a last dimension of size 2.
    Without this form complex tensors are refused."""
    return value


def is_complex(value: Any, call: CallShape) -> bool:
    """Whether a tensor is complex, and the function gets pairs of real numbers."""
    facts = call.facts_of(value)
    return facts is not None and facts.is_complex
