"""The garbage collector while something is compiled."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def uncollected(compiling: Callable[P, R]) -> Callable[P, R]:
    """The same, without garbage collections while it runs.

    What a compilation makes lives as long as it does and is then freed by reference counts: walking it meanwhile finds
    nothing, and takes a sixth of the time. A collector that is off stays off.
    """

    @wraps(compiling)
    def paused(*args: P.args, **kwargs: P.kwargs) -> R:
        if not gc.isenabled():
            return compiling(*args, **kwargs)
        gc.disable()
        try:
            return compiling(*args, **kwargs)
        finally:
            gc.enable()

    return paused
