"""The text in which PyTorch declares an operator: `aten::add.Scalar(Tensor self, Scalar other, ...) -> Tensor`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

Default = int | float | str | bool | None | tuple[int | float, ...]

# The kinds of arguments that hold no values, and say nothing of what is computed.
DROPPED_KINDS = frozenset({"Layout", "Device", "MemoryFormat", "Generator", "Stream", "DeviceIndex"})
DROPPED_NAMES = frozenset({"pin_memory", "non_blocking", "sparse", "sparse_grad", "implicit", "scale_grad_by_freq"})

_LONGEST = 4000
_SYMBOLIC = {"SymInt": "int", "SymFloat": "float", "SymBool": "bool"}
_ALIAS = r"(?:\([a-z0-9!| >*-]*\))?"  # `(a!)`: what is written to, and what is a view of what
_ARGUMENT = re.compile(
    rf"(?P<kind>[A-Za-z_][A-Za-z0-9_.]*){_ALIAS}(?P<inner>\?)?(?P<list>\[(?P<size>[0-9]{{0,4}})\])?{_ALIAS}(?P<optional>\?)?"
    r"(?: (?P<name>[A-Za-z_][A-Za-z0-9_]*)(?:=(?P<default>.+))?)?"
)
_INTEGER = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{0,30})?(e[+-]?[0-9]{1,3})?|-?inf|nan")
_HEAD = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*::[A-Za-z_][A-Za-z0-9_]*)(?:\.(?P<overload>[A-Za-z0-9_]+))?")


class MalformedSchema(ValueError):
    """A text that declares no operator; it says why."""


@dataclass(frozen=True, slots=True)
class Argument:
    """`kind` is `Tensor`, `Scalar`, `int`, `float`, `bool`, `str`, `ScalarType`, or one of DROPPED_KINDS.

    `symbolic` values may be computed in the graph (SymInt). `is_list`: several of them, `size` where one value may
    stand for so many (`int[2]`); `inner_optional` says that each of them may be None, `optional` the whole.
    """

    name: str
    kind: str
    symbolic: bool = False
    is_list: bool = False
    size: int | None = None
    inner_optional: bool = False
    optional: bool = False
    has_default: bool = False
    default: Default = None
    keyword_only: bool = False

    @property
    def is_dropped(self) -> bool:
        return self.kind in DROPPED_KINDS or self.name in DROPPED_NAMES


@dataclass(frozen=True, slots=True)
class Schema:
    """An operator: `name` is `aten::add`, `overload` `Tensor`, or empty."""

    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[Argument, ...]

    @property
    def identity(self) -> str:
        """`aten::add.Tensor`, the name by which tables know it."""
        return f"{self.name}.{self.overload}" if self.overload else self.name


def parse_schema(text: str) -> Schema:
    """Raises MalformedSchema."""
    if len(text) > _LONGEST:
        raise MalformedSchema(f"it has {len(text):,} characters; at most {_LONGEST:,}")
    head, arrow, result = text.partition(") -> ")
    name, opening, inside = head.partition("(")
    matched = _HEAD.fullmatch(name)
    if not arrow or not opening or matched is None:
        raise MalformedSchema("it is not of the form `namespace::name.overload(arguments) -> results`")
    arguments: list[Argument] = []
    keyword_only = False
    for part in _parts(inside):
        if part == "*":
            keyword_only = True
        else:
            arguments.append(_argument(part, keyword_only, named=True))
    names = [item.name for item in arguments]
    if len({*names}) != len(names):
        raise MalformedSchema("two arguments have one name")
    inner = result[1:-1] if result.startswith("(") and result.endswith(")") else result
    returns = tuple(_argument(part, False, named=False) for part in _parts(inner))
    return Schema(matched["name"], matched["overload"] or "", tuple(arguments), returns)


def _parts(text: str) -> Iterator[str]:
    """What stands between commas outside of brackets and quotes."""
    depth, quote, start = 0, "", 0
    for position, char in enumerate(text):
        if quote:
            if char == quote and not _is_escaped(text, position):
                quote = ""
        elif char in "'\"":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth == 0:
            yield text[start:position].strip()
            start = position + 1
    if text[start:].strip():
        yield text[start:].strip()


def _is_escaped(text: str, position: int) -> bool:
    before = text[:position]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _argument(text: str, keyword_only: bool, *, named: bool) -> Argument:
    found = _ARGUMENT.fullmatch(text)
    if found is None or (named and not found["name"]):
        raise MalformedSchema(f"`{text[:80]}` is no argument")
    is_list = found["list"] is not None
    kind = found["kind"]
    optional = found["optional"] is not None or (found["inner"] is not None and not is_list)
    return Argument(
        name=found["name"] or "",
        kind=_SYMBOLIC.get(kind, kind),
        symbolic=kind in _SYMBOLIC,
        is_list=is_list,
        size=int(found["size"]) if found["size"] else None,
        inner_optional=is_list and found["inner"] is not None,
        optional=optional,
        has_default=found["default"] is not None,
        default=None if found["default"] is None else _default(found["default"]),
        keyword_only=keyword_only,
    )


_WORDS: dict[str, Default] = {
    "None": None,
    "True": True,
    "False": False,
    "Mean": 1,
    "strided": None,
}
_MEMORY_FORMATS = ("contiguous_format", "preserve_format", "channels_last")


def _default(text: str) -> Default:
    if text in _WORDS:
        return _WORDS[text]
    if text in _MEMORY_FORMATS:
        return text
    if text.startswith("[") and text.endswith("]"):
        return tuple(_number(item.strip()) for item in text[1:-1].split(",") if item.strip())
    if text[:1] in "'\"":
        return _text(text)
    return _number(text)


def _number(text: str) -> int | float:
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    raise MalformedSchema(f"`{text[:40]}` is no default that is known")


def _text(text: str) -> str:
    """What stands between quotes, where the signs that PyTorch writes with backslashes are as few as in Python."""
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        found = None
    if not isinstance(found, str):
        raise MalformedSchema(f"`{text[:40]}` is no text")
    return found
