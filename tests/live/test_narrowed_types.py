"""What a body does with numbers narrows the types that its annotations admit."""

from __future__ import annotations

from typing import TypeVar

import pytest
from opwright import DOUBLE, FLOAT, INT64, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError, DiagnosticWarning, Severity
from opwright.lang.families.family import Variant, admitted
from opwright.live.compiled import Compiled, Run

from tests.docs.running import define

Real = TypeVar("Real", FLOAT[...], DOUBLE[...], INT64[...])


@script()
def with_constant(x: Real) -> Real:
    return x + 0.5


@script()
def with_attribute(x: Real, alpha: float = 1.0) -> Real:
    return x * alpha


@script()
def with_nothing_declared(x):
    return op.Where(op.Less(x, 0.5), x, 1.0)


@script()
def in_steps(x: Real, alpha: float) -> Real:
    return op.Identity(x) * alpha + 1


@pytest.mark.parametrize("function", [with_constant, with_attribute, in_steps])
def test_integers_are_left_out_where_a_fraction_meets_the_input(function) -> None:
    assert types_of(compile_(function)) == {"Real": ("float", "double")}


def test_an_input_without_annotation_takes_what_its_constants_fit() -> None:
    found = types_of(compile_(with_nothing_declared))["T_x"]
    assert {"float", "double"} <= set(found) and not {"int64", "bool", "string"} & set(found)


@script()
def never(x: INT64[...]) -> INT64[...]:
    return x + 0.5


def test_a_type_that_is_said_outright_is_kept() -> None:
    with pytest.raises(DiagnosticError) as raised:
        never.to_function_proto()
    assert [item.code for item in raised.value.diagnostics] == ["OW313"]


@script()
def other_than_annotated(x: Real) -> Real:
    return x > x


def test_a_return_annotation_of_a_type_variable_is_no_promise() -> None:
    with pytest.warns(DiagnosticWarning, match="OW210"):
        compiled = compile_(other_than_annotated)
    assert [(item.code, item.severity) for item in compiled.family.diagnostics] == [("OW210", Severity.WARNING)]
    assert other_than_annotated.to_function_proto().output == ["result"]


def compile_(function) -> Compiled:
    return Run(18).compile(function)


def types_of(compiled: Compiled) -> dict[str, tuple[str, ...]]:
    [variant] = compiled.family.variants
    assert variant.lowered.function is not None
    return dict(admitted(variant.lowered.function))


MET = {
    "an operator": "a + b",
    "a call": "op.Concat(a, b, axis=0)",
    "a choice": "a if op.Size(a) > 1 else b",
}


@pytest.mark.parametrize("expression", MET.values(), ids=MET)
@pytest.mark.parametrize("order", [0, 1])
def test_the_order_of_statements_does_not_decide_which_types_are_left(expression: str, order: int) -> None:
    """Below opset 15 a constant asks for the element type before the body has met what decides it."""
    lines = [
        "    mask = x != 1.0\n    print(mask)\n",
        f"    a = op.Identity(x)\n    b = DOUBLE(2.0)[None]\n    y = {expression}\n",
    ]
    text = f"@script()\ndef F(x):\n{lines[order]}{lines[1 - order]}    return y, mask\n"
    header = "from opwright import DOUBLE, script\nfrom opwright import opset13 as op\n"
    function = define(header, text, f"<{expression} {order}>")
    assert types_of(Run(13).compile(function)) == {"T_x": ("double",)}


@script()
def narrowed_first(x, bias=None):
    if bias is None:
        y = op.Add(x, FLOAT(1.0)) * 0.3  # one element type is left: lowered anew, with narrower variables
    else:
        y = x
        y = nothing_of_this_name + y  # noqa: F821
    return y


def test_what_is_wrong_in_a_later_variant_is_told_by_the_attempt_that_lowers_it() -> None:
    with pytest.raises(DiagnosticError) as refused:
        narrowed_first.to_function_protos()
    assert [item.code for item in refused.value.diagnostics] == ["OW302"]


NARROWED_BY = {
    "a condition": "if n:\n        y = op.Neg(y)",
    "a condition in `and`": "if n and op.Size(y) > 2:\n        y = op.Neg(y)",
    "a choice": "y = y if n else op.Neg(y)",
    "a slice": "y = y[n:]",
    "`range`": "for i in range(n):\n        y = op.Neg(y)",
    "a constant": "y = op.Where(n > 0.5, y, op.Neg(y))",
    "a number of the run time": "m = n * (op.Size(y) / 2)\n    y = op.Where(m == m, y, op.Neg(y))",
    "a negative power": "m = n ** -1\n    y = op.Where(m == m, y, op.Neg(y))",
    "an operator": "m = op.Softmax(n)\n    y = op.Where(m == m, y, op.Neg(y))",
    "a comparison": "y = op.Where(n < n, y, op.Neg(y))",
}


@pytest.mark.parametrize("narrowing", NARROWED_BY.values(), ids=NARROWED_BY)
def test_types_that_a_statement_leaves_out_have_no_variant_when_the_type_is_asked_first(narrowing: str) -> None:
    """A question about the type makes a variant for each; what narrows a type that is open refuses one that is not."""
    header = "from opwright import FLOAT, INT64, script\nfrom opwright import opset21 as op\n"
    asks = "if n.dtype == INT64.dtype:\n        y = y + 1.0"
    kept = []
    for order in ([narrowing, asks], [asks, narrowing]):
        body = "\n    ".join(order)
        text = f"@script()\ndef F(y: FLOAT['N'], n):\n    {body}\n    return y\n"
        family = Run(21).compile(define(header, text, f"<{narrowing}{order[0] == asks}>")).family
        assert not [item for item in family.diagnostics if item.severity is Severity.ERROR]
        kept.append({element for variant in family.variants for element in _elements(variant)})
    assert kept[0] == kept[1]
    assert 0 < len(kept[0]) < 28


def _elements(variant: Variant) -> tuple[str, ...]:
    """What `n` may be made of in a variant: of what it says, where it is one of several."""
    assert variant.lowered.function is not None
    return tuple(element for axis, element in variant.key) or dict(admitted(variant.lowered.function))["T_n"]
