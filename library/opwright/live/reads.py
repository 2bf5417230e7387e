"""What a compilation has captured (globals, cells, attributes of modules), and whether it is unchanged."""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import is_
from types import CodeType, FunctionType
from typing import Any

from opwright.functions import OnnxFunction
from opwright.lang.meaning.objects import FunctionObject
from opwright.live.tensor_objects import is_tensor_object, tensor_content
from opwright.opsets.opset import Opset

ARRAY_BYTES = 1 << 20  # of an array that may become a constant
NESTING = 32  # of lists, tuples and dicts that are captured


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


_UNCOPIED = object()  # in place of a copy: what it is of is never said to be unchanged
_PARTS = 1 << 18  # of lists within one captured value, which are copied


def _content(value: Any) -> Any:
    """A copy of what may change in place; None of what cannot."""
    return _UNCOPIED if isinstance(value, _HOLDS) and _is_boundless(value) else _copy(value)


_HOLDS = (list, tuple, dict)


def _is_boundless(value: Any) -> bool:
    """Whether it nests deeper than what may be captured, or has more parts than are worth a copy. A list may hold
    itself, and the same list many times."""
    level, seen = [value], 0
    for _ in range(NESTING):
        level = [item for held in level for item in _parts_of(held) if isinstance(item, _HOLDS)]
        if not level:
            return False
        seen += sum(map(len, level))
        if seen > _PARTS:
            return True
    return True


def _parts_of(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value


def _copy(value: Any) -> Any:
    if type(value) in _UNCHANGED or isinstance(value, Opset):
        return None
    if _is_array(value):
        return (value.dtype, value.shape, value.tobytes() if value.nbytes <= ARRAY_BYTES else None)
    if is_tensor_object(value):
        return (tensor_content(value),)
    if isinstance(value, dict):
        return tuple((key, item, _copy(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)) and not all(isinstance(item, (int, float, str)) for item in value):
        return tuple((item, _copy(item)) for item in value)
    return tuple(value) if isinstance(value, list) else None


_UNCHANGED = frozenset({OnnxFunction, FunctionType, CodeType, type(None), bool, int, float, str})  # in place


def _equal(now: Any, value: Any, content: Any) -> bool:
    """Whether an object of the same type is what was read. Its parts are compared one by one: most are the same
    objects, and a copy of them all would cost more than the call that asks."""
    if content is _UNCOPIED:
        return False
    if content is None:
        return isinstance(value, (bool, int, float, str, tuple)) and bool(_static_key(now) == _static_key(value))
    if _is_array(now):
        dtype, shape, elements = content
        return (now.dtype, now.shape) == (dtype, shape) and (elements is None or now.tobytes() == elements)
    if is_tensor_object(now):
        return bool(tensor_content(now) == content[0])
    if isinstance(now, dict):
        return len(now) == len(content) and all(
            (key is known or _static_key(key) == _static_key(known)) and _is_part(item, found, inner)
            for (key, item), (known, found, inner) in zip(now.items(), content, strict=True)
        )
    if len(now) != len(content):
        return False
    if content and isinstance(content[0], tuple):
        return all(_is_part(item, found, inner) for item, (found, inner) in zip(now, content, strict=True))
    return all(map(is_, now, content)) or bool(_static_key(tuple(now)) == _static_key(content))


def _is_part(now: Any, value: Any, content: Any) -> bool:
    """The same of an item: an object that cannot change is the very one, or an equal number or text."""
    if now is value and content is None:
        return True
    return type(now) is type(value) and _equal(now, value, content)


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
