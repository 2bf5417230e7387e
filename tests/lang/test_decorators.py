"""What may stand above a function of a source file, and what that does."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from onnx.numpy_helper import to_array
from opwright import DOUBLE, script
from opwright.lang import ir
from opwright.lang.families.family import build_family

from tests.lang.conftest_lang import Compiler
from tests.lang.static_text import compile_text

TEXT = """from opwright import graph, opset18 as op, script
import opwright

{decorator}
def helper(x, alpha: float = 0.1):
    return x * alpha


def F(x):
    return helper(x)
"""


@pytest.mark.parametrize(
    ("decorator", "codes"),
    [
        ("", []),
        ("@script()", []),
        ("@script", []),
        ("@opwright.script(default_opset=op)", []),
        ("@graph()", []),
        ("@unknown", ["OW302"]),
        ("@len", ["OW303"]),
        ("@op.Abs", ["OW303"]),
        ("@script()\n@len", ["OW303"]),
    ],
)
def test_what_may_make_another_function_is_refused(decorator: str, codes: list[str]) -> None:
    found = compile_text(TEXT.format(decorator=decorator), ("double",))
    assert [item.code for item in found] == codes


@pytest.mark.parametrize(("decorator", "is_rounded"), [("", False), ("@graph()", False), ("@script()", True)])
def test_attributes_of_scripts_alone_are_rounded(decorator: str, is_rounded: bool) -> None:
    """As in eager mode, where `@graph()` changes nothing."""
    unit = Compiler().unit(TEXT.format(decorator=decorator), {"x": "double"}, {"y": "double"})
    (variant,) = build_family(unit, 18).variants
    assert variant.lowered.function is not None
    (constant,) = (node.data.data for node in variant.lowered.function.body.nodes if isinstance(node, ir.Const))
    (rounded,) = struct.unpack("<f", struct.pack("<f", 0.1))
    assert constant == struct.pack("<d", rounded if is_rounded else 0.1)


def kept(function):
    """A decorator that gives back what it gets."""
    return function


@kept
def plain(x, alpha: float = 0.1):
    return x * alpha


@script()
def calls_a_plain_function(x: DOUBLE[None]):
    return plain(x)


def test_a_decorated_function_that_is_no_script_is_a_plain_one() -> None:
    (constant,) = (node for node in calls_a_plain_function.to_function_proto(18).node if node.op_type == "Constant")
    assert to_array(constant.attribute[0].t) == 0.1
    assert calls_a_plain_function(np.ones(1))[0] == 0.1
