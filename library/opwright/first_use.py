"""What objects on the public import path do when they are used, imported then: calls run eagerly, protos are compiled.

Such an object stands below what it calls up, and knows that by name alone. The face (`opwright/__init__`) says where
each name is defined, as it does for what users import.
"""

import gc

TYPE_CHECKING = False  # importing `typing` costs more than everything here
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any

_HOMES: "dict[str, str]" = {}
_FOUND: "dict[str, Callable[..., Any]]" = {}


def settle(homes: "Mapping[str, str]") -> None:
    """Says in which module each function stands."""
    _HOMES.update(homes)


def find(name: str) -> "Callable[..., Any]":
    """The function of that name. KeyError for one that no home was said of."""
    found = _FOUND.get(name)
    if found is None:
        found = _FOUND[name] = getattr(load_module(_HOMES[name]), name)
    return found


def load_module(module: str) -> "ModuleType":
    """Imports a module, and all that it imports, without garbage collections: what is made meanwhile stays, and to
    walk it again and again, with all that onnx has made before, takes a seventh of the time."""
    from importlib import import_module

    collects = gc.isenabled()
    gc.disable()
    try:
        return import_module(module)
    finally:
        if collects:
            gc.enable()
