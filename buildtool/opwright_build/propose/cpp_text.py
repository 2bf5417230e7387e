"""C++ spellings of values and texts."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from opwright.bundle.format import AttributeEntry

_LONGEST = 12_000  # bytes in one string literal: compilers stop at 16 kB
_STRING_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "?": "\\?"}


def raw_string(text: str, mark: str = "ONNX") -> str:
    """The text as one or several raw string literals that stand one after the other, whatever it holds."""
    while f'){mark}"' in text:
        mark += "_"
    return "\n".join(f'R"{mark}({piece}){mark}"' for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    piece = ""
    for line in text.splitlines(keepends=True):
        if piece and len(piece.encode()) + len(line.encode()) > _LONGEST:
            yield piece
            piece = ""
        piece += line
    yield piece


def string(text: str) -> str:
    """A string literal."""
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    """As it is where it is shown; else its bytes, of three octal digits each, which no digit after them continues."""
    if char in _STRING_ESCAPES:
        return _STRING_ESCAPES[char]
    return char if char.isprintable() else "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "replace"))


def float_literal(value: float) -> str:
    """A `float` literal of exactly that float32."""
    if math.isnan(value):
        return "std::numeric_limits<float>::quiet_NaN()"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}std::numeric_limits<float>::infinity()"
    text = str(np.float32(value))
    return f"{text if any(mark in text for mark in '.e') else text + '.0'}f"


def int_literal(value: int) -> str:
    """An `int64_t`; the least one has no literal of its own."""
    if value == -(1 << 63):
        return "std::numeric_limits<int64_t>::min()"
    return f"int64_t{{{value}}}"


def attribute_value(kind: str, value: object) -> str:
    """The value of an attribute of an ONNX kind, as an expression."""
    if isinstance(value, (tuple, list)):
        inner = {"INTS": "int64_t", "FLOATS": "float", "STRINGS": "std::string"}[kind]
        return f"std::vector<{inner}>{{{', '.join(attribute_value(kind[:-1], item) for item in value)}}}"
    match kind:
        case "INT" if isinstance(value, int):
            return int_literal(int(value))
        case "FLOAT" if isinstance(value, (int, float)):
            return float_literal(value)
    return f"std::string({string(str(value))})"


def attribute_default(attribute: AttributeEntry) -> str:
    """What follows the type in `.Attr(...)`: the default, that there is none, or nothing where it is required."""
    if attribute.default is not None:
        return f", {attribute_value(attribute.type, attribute.default)}"
    return "" if attribute.required else ", OPTIONAL_VALUE"
