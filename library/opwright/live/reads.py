"""What a compilation has captured (globals, cells, attributes of modules), and whether it is unchanged."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from opwright.functions import OnnxFunction
from opwright.lang.objects import FunctionObject
from opwright.live.tensor_objects import is_tensor_object, tensor_content
from opwright.opsets.opset import Opset

ARRAY_BYTES = 1 << 20  # of an array that may become a constant


class Reads:
    """Everything that a compilation captured, so that a later one can check whether it is unchanged."""

    def __init__(self) -> None:
        self.helpers: dict[FunctionType, FunctionObject] = {}  # each is one object, however often it is named
        self._found: list[tuple[Callable[..., Any], tuple[Any, ...], Any, Any]] = []

    def __len__(self) -> int:
        return len(self._found)

    def note(self, value: Any, read: Callable[..., Any], *of: Any) -> None:
        """Remembers a value, and that `read(*of)` gives it again; of a mutable object, also a copy of its contents."""
        self._found.append((read, of, value, _content(value)))

    def still_hold(self) -> bool:
        """Whether all of it would be read again."""
        for read, of, value, content in self._found:
            now = read(*of)
            if now is value and content is None:
                continue
            if type(now) is not type(value) or not _equal(now, value, content):
                return False
        return True


def _content(value: Any) -> Any:
    """A copy of what may change in place; None of what cannot."""
    if type(value) in _UNCHANGED or isinstance(value, Opset):
        return None
    if _is_array(value):
        return (value.dtype.str, value.shape, value.tobytes() if value.nbytes <= ARRAY_BYTES else None)
    if is_tensor_object(value):
        return (tensor_content(value),)
    if isinstance(value, dict):
        return tuple((key, item, _content(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)) and not all(isinstance(item, (int, float, str)) for item in value):
        return tuple((item, _content(item)) for item in value)
    return tuple(value) if isinstance(value, list) else None


_UNCHANGED = frozenset({OnnxFunction, FunctionType, CodeType, type(None), bool, int, float, str})  # in place


def _equal(now: Any, value: Any, content: Any) -> bool:
    if content is not None:
        found = _content(now)
        return type(found) is type(content) and bool(_static_key(found) == _static_key(content))
    return isinstance(value, (bool, int, float, str)) and _static_key(now) == _static_key(value)


def _static_key(value: Any) -> Any:
    """Tells apart what `==` does not: 0 and 0.0 and False, 0.0 and -0.0; nan equals itself."""
    if isinstance(value, tuple):
        return tuple(_static_key(item) for item in value)
    if isinstance(value, float):
        return (float, value.hex())
    if isinstance(value, (int, str, bytes)):
        return (type(value), value)
    return (object, id(value))


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)
