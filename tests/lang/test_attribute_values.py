"""Values of Python as attributes: what fits is converted, and everything else is refused."""

from __future__ import annotations

import pytest
from opwright.lang.meaning.attribute_values import convert_attribute
from opwright.lang.meaning.rounding import to_float32


@pytest.mark.parametrize(
    ("value", "kind", "held"),
    [
        (True, "INT", 1),
        (1.5, "INT", None),
        (1 << 63, "INT", None),
        (-(1 << 63), "INT", -(1 << 63)),
        (0.1, "FLOAT", to_float32(0.1)),
        (2**2000, "FLOAT", None),
        ("1", "FLOAT", None),
        (1, "STRING", None),
        ((), "INTS", ()),
        ([1, True], "INTS", (1, 1)),
        ([1, 1 << 63], "INTS", None),
        ((1, 2.5), "FLOATS", (1.0, 2.5)),
        ([1, 2**2000], "FLOATS", None),
        ("ab", "STRINGS", None),
        (["a", 1], "STRINGS", None),
        (1, "TENSOR", None),
    ],
)
def test_values_as_attributes(value: object, kind: str, held: object) -> None:
    made = convert_attribute(value, kind)
    assert (made, type(made)) == (held, type(held))
