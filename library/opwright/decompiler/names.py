"""Names of ONNX as names of Python: one for one in a function, and the same wherever they can be."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from onnx import GraphProto

from opwright.elements import BY_NAME

_LONG = 24  # letters of a name
_FEW = 4
_NO_LETTER = re.compile(r"[^0-9A-Za-z_]+")
# What a decompiled module names itself, and the builtins that the language knows.
RESERVED = frozenset(
    [
        "np",
        "math",
        "ml_dtypes",
        "onnx",
        "op",
        "script",
        "graph",
        "Opset",
        "Sequence",
        "Optional",
        "OptionalValue",
        "ARRAYS",
        "Path",
        "model",
        "helper",
        "abs",
        "len",
        "range",
        "int",
        "float",
        "str",
        "bool",
        "min",
        "max",
        "round",
        "sum",
        "list",
        "tuple",
        "zip",
        "enumerate",
        "reversed",
        "all",
        "any",
        "isinstance",
        "True",
        "False",
        "None",
        "print",
        "type",
        "_",
    ]
) | {name.upper() for name in BY_NAME}
ARRAY = "_DATA"  # what the names of module-level arrays end with, and no others


class Names(dict[str, str]):
    """Python names by ONNX name; one that is new is made when it is asked for. The absent value is `None`."""

    def __init__(self, taken: Iterable[str] = (), prefix: str = "") -> None:
        super().__init__({"": "None"})
        self.taken = {*RESERVED, *taken}
        self.prefix = prefix  # which the names of inner values lose

    def __missing__(self, name: str) -> str:
        short = name[len(self.prefix) :] if self.prefix and name.startswith(self.prefix) else name
        made = self[name] = self.fresh(short)
        return made

    def keep(self, name: str) -> str:
        """The name of a value of an interface: as it is, where that is possible."""
        found = self.get(name)
        if found is None:
            found = self[name] = self.fresh(name)
        return found

    def fresh(self, name: str) -> str:
        """A name that nothing has yet, as like the given one as Python allows."""
        found = python_name(name)
        taken = self.taken
        if found in taken:
            number = 1
            while f"{found}_{number}" in taken:
                number += 1
            found = f"{found}_{number}"
        taken.add(found)
        return found


def python_name(name: str) -> str:
    """An identifier that is like the name."""
    if not (name.isascii() and name.isidentifier()):
        name = _NO_LETTER.sub("_", name).strip("_") or "value"
        if name[0].isdigit():
            name = f"v{name}"
    return f"{name}_" if keyword.iskeyword(name) or name.endswith(ARRAY) else name


def common_prefix(graph: GraphProto) -> str:
    """What all long names of inner values begin with; nothing where that is short."""
    outputs = {item.name for item in graph.output}
    names = [name for node in graph.node for name in node.output if len(name) >= _LONG and name not in outputs]
    if len(names) < _FEW:
        return ""
    first, last = min(names), max(names)
    length = next((index for index, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    shared = first[:length]
    end = max(shared.rfind(sign) for sign in "_/.:") + 1
    return shared[:end] if end >= _LONG // 2 else ""
