"""Attributes that no call of an operator may have, whatever its inputs are."""

from __future__ import annotations

from collections.abc import Mapping

from opwright.lang import ir
from opwright.opsets.record import RankRule, Role
from opwright.opsets.signatures import Signature

_MOST_OUTPUTS = 1 << 16

Attributes = Mapping[str, ir.Attribute]


def malformed(found: Signature, attributes: Attributes) -> str | None:
    """What is wrong with attributes as such. ONNX's inference does not look at some of them; over others it does not
    end, or dies."""
    record = found.record
    for name, choices in record.choices.items():
        value = known_integer(attributes, name)
        if value is not None and value not in choices:
            return f"`{name}` is {' or '.join(map(str, choices))}, not {value}"
    if record.rank is RankRule.EQUATION:
        equation = attributes["equation"].text if "equation" in attributes else None
        if equation is not None and any("." in term.replace("...", "", 1) for term in _terms(equation)):
            return "the dots of its equation are no ellipsis (`...`), of which each operand has one at most"
    elif record.role is Role.CONSTANT and len(attributes) != 1:
        given = ", ".join(f"`{name}`" for name in attributes) or "none"
        return f"a constant has one value, in one attribute, and here is {given}"
    for name in record.counts:
        count = known_integer(attributes, name)
        if count is not None and count < 0:
            return f"`{name}` is a number of dimensions, which is not negative"
    return None


def _terms(equation: str) -> list[str]:
    return equation.replace(" ", "").replace("->", ",").split(",")


def counts_too_much(found: Signature, attributes: Attributes) -> bool:
    """Whether ONNX's inference would take as much memory as an attribute says."""
    count = known_integer(attributes, found.record.results) if found.record.results else None
    return count is not None and count > _MOST_OUTPUTS


def known_integer(attributes: Attributes, name: str) -> int | None:
    """An attribute that is an integer, where it is known."""
    return attributes[name].integer if name in attributes else None
