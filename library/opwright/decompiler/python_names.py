"""Names of ONNX as names of Python: one for one in a function, and the same wherever they can be."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from itertools import filterfalse, islice

from onnx import GraphProto

from opwright.decompiler.refuse import refuse
from opwright.elements import BY_NAME

_LONG = 24  # letters of a name
LONGEST = 200  # letters of a name that stays as it is
_FEW = 4
_FEW_TAKEN = 100  # names, in a text that is searched for them
_SAMPLE = 500  # nodes whose names are looked at
_LETTERS = bytes(code if chr(code).isalnum() and code < 128 else ord("_") for code in range(256))
# What a decompiled module names itself, and the builtins that the language knows.
RESERVED = (
    frozenset(
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
            "Map",
            "ARRAYS",
            "Path",
            "json",
            "load_arrays",
            "__debug__",  # which Python assigns nothing to
            "model",
            "made",
            "initializers",
            "functions",
            "external_data",
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
    )
    | {name.upper() for name in BY_NAME}
    | {*keyword.kwlist}
)
# Those of them that no function of a decompiled module uses.
UNUSED = RESERVED - {"np", "math", "ml_dtypes", "op", "range", "True", "False", "None", "_", "__debug__"}
UNUSED -= {*keyword.kwlist} | {name.upper() for name in BY_NAME}
ARRAY = "_DATA"  # what the names of module-level arrays end with, and no others
_LETTERS_BY_LINE = _LETTERS[:10] + b"\n" + _LETTERS[11:]
# Two patterns, since each begins with letters that `re` looks for without trying all of it everywhere.
_ODD_BEGINNING = re.compile(r"\n(?![A-Za-z])")
_DIGIT = re.compile(r"\n(?=[0-9])")
_ODD_DIGITS = re.compile(r"\n[0-9].*_(?:\n|$)")  # names that lose what they end with, too
_ODD_END = re.compile(rf"{ARRAY}(?:\n|$)")


class Taken:
    """Names that are taken in a module, in the order in which they were."""

    __slots__ = ("_order",)

    def __init__(self) -> None:
        self._order = {name: index for index, name in enumerate(RESERVED)}

    def __contains__(self, name: str) -> bool:
        return name in self._order

    def add(self, name: str) -> None:
        self._order.setdefault(name, len(self._order))

    def by_now(self) -> TakenByNow:
        """Those that are taken now, whatever is taken later."""
        return TakenByNow(self._order)


class TakenByNow:
    """The names of a module that were taken at some time. Nothing is copied: a module may have many functions."""

    __slots__ = ("_count", "_order")

    def __init__(self, order: Mapping[str, int]) -> None:
        self._order = order
        self._count = len(order)

    def __contains__(self, name: str) -> bool:
        return self._order.get(name, self._count) < self._count

    def among(self, names: Iterable[str]) -> set[str]:
        """Those of the names that were taken."""
        return {name for name in self._order.keys() & names if name in self}


class Names(dict[str, str]):
    """Python names by ONNX name; one that is new is made when it is asked for. The absent value is `None`.

    `around` are the names of the module, which no value has, nor one of `taken`.
    """

    def __init__(self, around: Taken, taken: Iterable[str] = (), prefix: str = "") -> None:
        super().__init__({"": "None"})
        self.taken = {*taken}
        self._around = around.by_now()
        self.prefix = prefix  # which the names of inner values lose
        self._numbers: dict[str, int] = {}  # the last that was put behind a name

    def __missing__(self, name: str) -> str:
        if isinstance(name, bytes):  # as protobuf gives what is no UTF-8
            raise refuse(f"the name {name!r} cannot be written", "it is not in UTF-8")
        found = name.removeprefix(self.prefix) if self.prefix else name
        if not (found.isidentifier() and found.isascii()):
            found = found.removeprefix("/")  # as some exporters begin all names
            found = found.encode().translate(_LETTERS).decode() if found[:1].isalpha() else python_name(found)
        if self._is_taken(found) or found[:1] == "_" or len(found) > LONGEST or found.endswith(ARRAY):
            found = self.fresh(found)
        else:
            self.taken.add(found)
        self[name] = found
        return found

    def add_all(self, names: Iterable[str]) -> None:
        """Makes the names of many values at once, where that is plain: one by one they take a third of all time."""
        new = list(filterfalse(self.__contains__, names))
        try:
            lines = [name.removeprefix(self.prefix) for name in new] if self.prefix else new
            text = "\n".join(["", *lines])
        except TypeError:  # bytes, which are refused where they are asked for
            return
        if not new or text.count("\n") > len(new):  # a name has lines
            return
        made = new
        if self.prefix or not (text.isascii() and text.replace("\n", "a").isidentifier()):
            text = text.replace("\n/", "\n").encode().translate(_LETTERS_BY_LINE).decode()
            if _DIGIT.search(text):  # behind a common prefix
                if _ODD_DIGITS.search(text):
                    return
                text = _DIGIT.sub("\nv", text)
            made = text[1:].split("\n")
            if len(set(made)) < len(new):
                return
        if _ODD_BEGINNING.search(text) or _ODD_END.search(text) or max(map(len, made)) > LONGEST:
            return
        met = self.taken.intersection(made) | self._around.among(made)
        if met:  # these get other names when they are asked for, which none of the rest may have
            others = {python_name(name) for name in met}
            if len(met) > _FEW_TAKEN or not (others - met).isdisjoint(made):
                return
            if re.search(rf"^(?:{'|'.join(sorted(others))})_\d+$", text, re.MULTILINE):
                return
        self.update(zip(new, made, strict=True))
        for name in [name for name, found in zip(new, made, strict=True) if found in met] if met else ():
            del self[name]
        self.taken.update(made)

    def keep(self, name: str) -> str:
        """The name of a value of an interface: as it is, where that is possible."""
        found = self.get(name)
        if found is None:
            found = self[name] = self.fresh(name)
        return found

    def fresh(self, name: str) -> str:
        """A name that nothing has yet, as like the given one as Python allows."""
        found = begin = python_name(name[:LONGEST])
        while self._is_taken(found):
            self._numbers[begin] = self._numbers.get(begin, 0) + 1
            found = f"{begin}_{self._numbers[begin]}"
        self.taken.add(found)
        return found

    def _is_taken(self, name: str) -> bool:
        return name in self.taken or name in self._around

    def retake(self, taken: set[str]) -> None:
        """Forgets that other names than these are taken."""
        self.taken = taken
        self._numbers.clear()


def is_python_name(name: str) -> bool:
    """Whether Python takes the name where another may not stand: as a keyword of a call, or behind a dot."""
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def python_name(name: str) -> str:
    """An identifier that is like the name. DiagnosticError where that is no text."""
    if isinstance(name, bytes):  # as protobuf gives what is no UTF-8
        raise refuse(f"the name {name!r} cannot be written", "it is not in UTF-8")
    if not (name.isascii() and name.isidentifier()):
        name = name.encode().translate(_LETTERS).decode().strip("_") or "value"
        if name[0].isdigit():
            name = f"v{name}"
    return f"{name}_" if keyword.iskeyword(name) or name.endswith(ARRAY) else name


def module_name(name: str) -> str:
    """An identifier that is like the name, and none of those that Python gives to modules (`__file__`)."""
    found = python_name(name)
    return f"{python_name(found.strip('_') or 'value')}_" if found.startswith("__") else found


def common_prefix(graph: GraphProto) -> str:
    """What all long names of the first inner values begin with; nothing where that is short."""
    outputs = {item.name for item in graph.output}
    nodes = islice(graph.node, _SAMPLE)
    names = [name for node in nodes for name in node.output if len(name) >= _LONG and name not in outputs]
    if len(names) < _FEW:
        return ""
    first, last = min(names), max(names)
    length = next((index for index, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    shared = first[:length]
    end = max(shared.rfind(sign) for sign in "_/.:") + 1
    return shared[:end] if end >= _LONG // 2 else ""
