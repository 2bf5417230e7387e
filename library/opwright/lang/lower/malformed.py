"""Attributes that no call of an operator may have, whatever its inputs are."""

from __future__ import annotations

from collections.abc import Mapping

from opwright.lang import ir
from opwright.opsets.signatures import Signature

# Attributes that are one of few numbers.
_CHOICES: dict[str, tuple[tuple[str, tuple[int, int]], ...]] = {
    "CumProd": (("exclusive", (0, 1)), ("reverse", (0, 1))),
    "CumSum": (("exclusive", (0, 1)), ("reverse", (0, 1))),
    "LpNormalization": (("p", (1, 2)),),
    "MaxPool": (("storage_order", (0, 1)),),
    "Mod": (("fmod", (0, 1)),),
    "NonMaxSuppression": (("center_point_box", (0, 1)),),
    "ReverseSequence": (("batch_axis", (0, 1)), ("time_axis", (0, 1))),
}
_MOST_OUTPUTS = 1 << 16

Attributes = Mapping[str, ir.Attribute]


def malformed(found: Signature, attributes: Attributes) -> str | None:
    """What is wrong with attributes as such. ONNX's inference does not look at some of them; over others it does not
    end, or dies."""
    if found.domain:
        return None
    for name, choices in _CHOICES.get(found.name, ()):
        value = known_value(attributes, name)
        if isinstance(value, int) and value not in choices:
            return f"`{name}` is {' or '.join(map(str, choices))}, not {value}"
    if found.name == "Einsum":
        equation = known_value(attributes, "equation")
        if isinstance(equation, str) and any("." in term.replace("...", "", 1) for term in _terms(equation)):
            return "the dots of its equation are no ellipsis (`...`), of which each operand has one at most"
    elif found.name == "Constant" and len(attributes) != 1:
        given = ", ".join(f"`{name}`" for name in attributes) or "none"
        return f"a constant has one value, in one attribute, and here is {given}"
    elif found.name == "GatherND":
        count = known_value(attributes, "batch_dims")
        if isinstance(count, int) and count < 0:
            return "`batch_dims` is a number of dimensions, which is not negative"
    return None


def _terms(equation: str) -> list[str]:
    return equation.replace(" ", "").replace("->", ",").split(",")


def counts_too_much(found: Signature, attributes: Attributes) -> bool:
    """Whether ONNX's inference would take as much memory as an attribute says."""
    count = known_value(attributes, "num_outputs") if found.name == "Split" else None
    return isinstance(count, int) and count > _MOST_OUTPUTS


def known_value(attributes: Attributes, name: str) -> object:
    found = attributes.get(name)
    return found.value if isinstance(found, ir.AttributeValue) else None
