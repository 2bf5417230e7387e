"""What torch dispatches while something runs: calls of `aten::` overloads, the composite ones too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.schema_check_mode import SchemaCheckMode

Listener = Callable[[str, tuple[Any, ...], dict[str, Any]], None]


class _Listening(SchemaCheckMode):
    """Tells of a call before what it is composed of.

    The key PreDispatch stands above those of autograd: `linear` arrives there as `linear`. A composite operator is then
    decomposed with the mode on, so that its parts arrive too. torch takes modes of three classes alone for this key;
    of the base class nothing else is used.
    """

    def __init__(self, listener: Listener) -> None:
        super().__init__()
        self._dispatch_key = torch._C.DispatchKey.PreDispatch
        self.listener = listener

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = kwargs or {}
        self.listener(func.name(), args, named)
        if func._can_decompose():
            with self:
                result = func.decompose(*args, **named)
            if result is not NotImplemented:
                return result
        return func(*args, **named)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Calls the listener with each call that is dispatched in the block."""
    with torch.no_grad(), enable_python_dispatcher(), _Listening(listener):
        yield
