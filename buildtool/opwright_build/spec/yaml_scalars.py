"""What an unquoted YAML scalar means: the core schema of YAML 1.2 (section 10.3.2), nothing else; and text in quotes.

So `1e-5` is a number, `no` and `12:30` are text, `0o17` is fifteen and `012` is twelve.
"""

from __future__ import annotations

import math
import re

MAX_DIGITS = 400

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OCTAL = re.compile(r"0o([0-7]+)", re.ASCII)
_HEXADECIMAL = re.compile(r"0x([0-9a-fA-F]+)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_INFINITY = re.compile(r"([-+]?)\.(?:inf|Inf|INF)", re.ASCII)
_NOT_A_NUMBER = frozenset({".nan", ".NaN", ".NAN"})
_STARTS_A_NUMBER = frozenset("0123456789+-.")

Resolved = None | bool | int | float | str


class NumberTooLongError(ValueError):
    """An unquoted number of more than MAX_DIGITS characters."""


# What read_yaml refuses unless it is escaped, with surrogates that stand for no character.
_ESCAPED = re.compile(r'[\x00-\x1f"\\\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')


def resolve(text: str) -> Resolved:
    """The value of an unquoted scalar. NumberTooLongError for more digits than are worth the time."""
    if text in _NULL:
        return None
    if text[0] not in _STARTS_A_NUMBER:
        return _BOOLEANS.get(text, text)
    for pattern, base in ((_INTEGER, 10), (_OCTAL, 8), (_HEXADECIMAL, 16)):
        match = pattern.fullmatch(text)
        if match:
            _limit(text)
            return int(match[match.lastindex or 0], base)
    if _FLOAT.fullmatch(text):
        _limit(text)
        return float(text)
    infinity = _INFINITY.fullmatch(text)
    if infinity:
        return -math.inf if infinity[1] == "-" else math.inf
    return math.nan if text in _NOT_A_NUMBER else text


def _limit(text: str) -> None:
    if len(text) > MAX_DIGITS:
        raise NumberTooLongError(text)


def quoted(text: str) -> str:
    """Text in double quotes, as `read_yaml` gives it back; half a surrogate pair is no text and becomes U+FFFD."""
    return f'"{_ESCAPED.sub(_escaped, text)}"'


def as_key(name: str) -> str:
    """A name as a key of a mapping: in quotes where it would be no text, as `null`."""
    return name if resolve(name) == name else quoted(name)


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    return f"\\{character}" if character in '"\\' else f"\\u{ord(character):04X}"
