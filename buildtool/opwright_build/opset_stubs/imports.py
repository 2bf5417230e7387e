"""The imports of a stub: what it uses alone, behind underscores since an operator may be called `Sequence`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from opwright.elements import BY_NAME

from opwright_build.opset_stubs.domain_versions import DomainVersion
from opwright_build.opset_stubs.methods import Method

_HOMES = {
    "collections.abc": ("Callable", "Mapping", "Sequence"),
    "typing": ("Any", "TypeAlias", "overload", "type_check_only"),
    "opwright.elements": ("ElementType",),
    "opwright.opsets.opset": ("Opset",),
    "opwright.types": (
        *("AnyTensor", "Array", "Bools", "DataType", "Floats", "Graph", "Ints", "Strings", "Tensor"),
        *(name.upper() for name in BY_NAME),
    ),
    "typing_extensions": ("TypeVar", "deprecated"),
}
_WIDTH = 118


def imports(base: DomainVersion | None, methods: Sequence[Method], lines: Sequence[str]) -> list[str]:
    """The import lines for a stub with these methods and these lines besides."""
    words = set(re.findall(r"\w+", " ".join(lines)))
    words |= {"_type_check_only"} | ({"_Opset"} if base is None else set())
    words |= {"_overload"} if any(len(item.overloads) > 1 for item in methods) else set()
    words |= {"_deprecated"} if any(item.deprecated for item in methods) else set()
    found = []
    for module, names in _HOMES.items():
        used = [name if name.isupper() else f"{name} as _{name}" for name in names if {name, f"_{name}"} & words]
        found += _wrapped(module, used)
    if base is not None:
        found.append(f"from opwright.opsets.generated.{base.name} import {base.class_name}")
    return found


def _wrapped(module: str, used: Sequence[str]) -> list[str]:
    """One line, or as many as the names need."""
    lines: list[str] = []
    for name in used:
        if lines and len(lines[-1]) + len(name) + 2 <= _WIDTH:
            lines[-1] += f", {name}"
        else:
            lines.append(f"from {module} import {name}")
    return lines
