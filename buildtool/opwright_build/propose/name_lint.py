"""A lint of the interface's names after the standard's conventions (docs/OpConventions.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from opwright.bundle.format import FunctionEntry

from opwright_build.propose.subject import values_of

_CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LETTER = re.compile(r"[A-Z][0-9]*")  # X, X1
_VARIABLE = re.compile(r"[A-Z][A-Za-z0-9]*")
# What other operators call the same thing.
_USUAL = {
    "dim": "axis",
    "dims": "axes",
    "dimension": "axis",
    "dimensions": "axes",
    "axis_list": "axes",
    "keep_dims": "keepdims",
    "keepdim": "keepdims",
    "eps": "epsilon",
    "weight": "W",
    "weights": "W",
    "bias": "B",
}


@dataclass(frozen=True, slots=True)
class NamingFinding:
    """A name that departs from the conventions, why, and what would follow them (empty where that is unknown)."""

    name: str
    reason: str
    better: str = ""


def lint_names(entry: FunctionEntry) -> list[NamingFinding]:
    """Everything that departs, in the order of the interface."""
    return [*_operator(entry), *_attributes(entry), *_values(entry), *_types(entry)]


def _operator(entry: FunctionEntry) -> Iterator[NamingFinding]:
    if not _CAMEL.fullmatch(entry.name):
        better = "".join(word[:1].upper() + word[1:] for word in entry.name.split("_"))
        yield NamingFinding(entry.name, "operators are in CamelCase", better)


def _attributes(entry: FunctionEntry) -> Iterator[NamingFinding]:
    for item in entry.attributes:
        if not _SNAKE.fullmatch(item.name):
            reason = "attributes are words in lower case, joined by underscores"
            yield NamingFinding(item.name, reason, _lower(item.name))
        elif item.name in _USUAL and _SNAKE.fullmatch(_USUAL[item.name]):
            yield NamingFinding(item.name, "other operators have another name for it", _USUAL[item.name])
        if item.name == "axis" and item.type == "INTS":
            yield NamingFinding(item.name, "several axes are `axes`", "axes")
        if item.name == "axes" and item.type == "INT":
            yield NamingFinding(item.name, "one axis is `axis`", "axis")


def _values(entry: FunctionEntry) -> Iterator[NamingFinding]:
    for item in values_of(entry):
        if len(item.name) == 1:
            if not item.name.isupper():
                yield NamingFinding(item.name, "an input or output of one letter is a capital", item.name.upper())
        elif item.name in _USUAL and not _SNAKE.fullmatch(_USUAL[item.name]):
            yield NamingFinding(item.name, "a bias is B and weights are W", _USUAL[item.name])
        elif not _SNAKE.fullmatch(item.name) and not _LETTER.fullmatch(item.name):
            yield NamingFinding(item.name, "inputs and outputs are words in lower case", _lower(item.name))
    names = [item.name for item in values_of(entry)]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield NamingFinding(name, "an input and an output have the same name")


def _types(entry: FunctionEntry) -> Iterator[NamingFinding]:
    for name, _ in entry.types:
        if not _VARIABLE.fullmatch(name):
            reason = "type variables begin with a capital, as T and T1 do"
            yield NamingFinding(name, reason, name[:1].upper() + name[1:])


def _lower(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
