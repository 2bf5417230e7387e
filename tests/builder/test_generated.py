"""Small generated programs: built call by call, compiled as scripts and run as Python they are the same."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from opwright import FLOAT, GraphBuilder, compare, script
from opwright import opset22 as op

_UNARY = ("-{a}", "abs({a})", "op.Relu({a})", "op.Transpose({a})", "{a}[::-1]", "{a}[:, 1:2] * {b}", "op.Neg({a} + 1)")
_BINARY = (
    "{a} + {b}",
    "{a} * {b}",
    "{a} - 2 * {b}",
    "op.Where({a} > {b}, {a}, {b})",
    "{a} @ {b}",
    "op.Max({a}, {b}, 1)",
)
_NESTED = (
    "op.If(op.ReduceMax({a}) > 0, then_branch=lambda_{n}_a, else_branch=lambda_{n}_b)",
    "op.Loop(2, None, {a}, body=body_{n})",
    "helper({a}, {b})",
    "helper({a}, {b}, k=0.5)",
)


@script()
def helper(a: FLOAT[None, None], b: FLOAT[None, None], k: float = 2.0):
    return a * k - b


@st.composite
def programs(draw: Any, forms: tuple[str, ...] = _UNARY + _BINARY + _NESTED) -> str:
    """The text of a function of two matrices."""
    lines, names = [], ["x", "y"]
    for number in range(draw(st.integers(1, 6))):
        form = draw(st.sampled_from(forms))
        a, b = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        if "lambda_" in form:
            lines += [
                f"def lambda_{number}_a():",
                f"    return {a} + {b}",
                f"def lambda_{number}_b():",
                f"    return -{b}",
            ]
        if "body_" in form:
            lines += [f"def body_{number}(i, going, total):", f"    return going, total * 0.5 + {b}"]
        lines.append(f"v{number} = {form.format(a=a, b=b, n=number)}")
        names.append(f"v{number}")
    results = draw(st.lists(st.sampled_from(names[2:]), min_size=1, max_size=2, unique=True))
    body = "".join(f"    {line}\n" for line in lines)
    return f"def f(x: FLOAT[3, 3], y: FLOAT[3, 3]):\n{body}    return {', '.join(results)}\n"


def _defined(text: str) -> Any:
    linecache.cache["generated.py"] = (len(text), None, text.splitlines(keepends=True), "generated.py")
    names: dict[str, Any] = {"op": op, "FLOAT": FLOAT, "helper": helper}
    exec(compile(text, "generated.py", "exec", dont_inherit=True), names)
    return names["f"]


def _check_results(b: GraphBuilder, values: list[Any], compiled: Any, text: str) -> None:
    """What the builder runs is what the function gives as Python."""
    x, y = np.array([[1, -2, 3], [0.5, 0, -1], [2, 1, -3]], np.float32), np.eye(3, dtype=np.float32)
    expected = compiled(x, y)
    for one, other in zip(
        b.run(values, x=x, y=y), expected if isinstance(expected, tuple) else (expected,), strict=True
    ):
        assert np.allclose(one, other, rtol=1e-5), text


@settings(max_examples=60, deadline=None)
@given(programs())
def test_generated_programs(text: str) -> None:
    function = _defined(text)
    b = GraphBuilder(opset=22)
    made = function(b.input("x", FLOAT[3, 3]), b.input("y", FLOAT[3, 3]))
    values = list(made) if isinstance(made, tuple) else [made]
    for index, value in enumerate(values):
        b.output(f"out{index}", value)
    compiled = script()(function)
    found = compare(b.to_model_proto(), compiled.to_model_proto(opset=22))
    assert found, f"{text}\n{found}"
    _check_results(b, values, compiled, text)


_SIZES = (
    "op.Reshape({a}, [{a}.shape[0], -1])",
    "op.Reshape({a}, {b}.shape)",
    "{a} * {b}.shape[1]",
    "op.Concat({a}, {b}, axis=0)[:{a}.shape[0]]",
    "op.Expand({a}[0:1], {b}.shape)",
    "{a} + {b}[0:1] * len({a})",
)


@settings(max_examples=25, deadline=None)
@given(programs(_UNARY + _BINARY + _SIZES))
def test_programs_that_ask_for_sizes(text: str) -> None:
    """A builder knows sizes that a compiled function computes: the models may differ, and what they compute may not."""
    function = _defined(text)
    b = GraphBuilder(opset=22)
    made = function(b.input("x", FLOAT[3, 3]), b.input("y", FLOAT[3, 3]))
    _check_results(b, list(made) if isinstance(made, tuple) else [made], script()(function), text)
