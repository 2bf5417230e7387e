"""Calls that no runtime takes are refused where they stand, reached or not; whatever may run is not."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import compile_source
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError

from tests.lang.conftest_lang import Compiler, run_everywhere

_NEVER = "def F(x, n):\n{}    if n > 5:\n        return {}\n    return x\n"

# What is given of a tensor of rank 1 of unknown size, and of an INT64 scalar.
IMPOSSIBLE = {
    "op.Unsqueeze(x, [3])": "Unexpected axis value: 3",
    "op.Unsqueeze(x, [0, 0])": "more than once",
    "op.Squeeze(x, [1])": "axis",
    "op.Squeeze(op.Concat(x, x, axis=1), [1])": "axis must be in",
    "op.Concat(x, op.Unsqueeze(x, [0]), axis=0)": "same rank",
    "op.Transpose(x, perm=[1])": "perm",
    "op.Transpose(x, perm=[0, 0])": "perm",
    "op.Transpose(x, perm=[])": "perm",
    "op.Transpose(op.Unsqueeze(x, [0]), perm=[0])": "there are 2",
    "op.RandomNormal(shape=[-2])": "Negative",
    "op.CumSum(x, 0, exclusive=2)": "`exclusive` is 0 or 1, not 2",
    "op.Mod(x, x, fmod=-1)": "`fmod` is 0 or 1, not -1",
    "op.Softmax(x, axis=1)": "axis",
    "op.ReduceSum(x, [1], keepdims=0)": "axis must be in",
    "op.Gather(x, n, axis=1)": "axis must be in",
    "op.Gemm(x, x)": "rank 2",
    "op.MatMul([1.0, 2.0], [1.0, 2.0, 3.0]) + x": "Incompatible dimensions",
    "op.MatMul(x, op.Cast(n, to=FLOAT))": "wrong rank",
    "op.Constant(value_floats=[1.0, 2.0]) * op.Constant(value_floats=[1.0, 2.0, 3.0])": "Incompatible dimensions",
    "op.Expand([1.0, 2.0], [3])": "Incompatible dimensions",
    "op.Reshape(x, [-1, -1])": "multiple -1",
    "op.Reshape(x, [-2])": "Invalid dimension value",
    "op.Split(x, [1, 2], axis=1)[0]": "axis",
    "op.TopK([1.0, 2.0], [3])[0]": "k elements",
    "op.Slice(x, [0], [1], [1])": "Unexpected axis value",
    "op.Pad(x, [1, 1, 1])": "number of values",
    "op.Tile(x, [1, 1])": "number of values",
    "op.Range(0.0, [2.0], 1.0)": "scalar",
    "op.ConstantOfShape([-1])": "non-negative",
    "op.Einsum(x, equation='ij->i')": "Rank of input 0",
    "op.Unsqueeze(x, op.Constant(value_ints=[3]))": "Unexpected axis value: 3",
}


def _codes(text: str, first: str = "", **inputs: str) -> list[tuple[str, str]]:
    found = Compiler().family(_NEVER.format(first, text), inputs or {"x": "float/1", "n": "int64/0"}, {"y": "float"})
    return [(item.code, item.reason) for item in found.diagnostics]


@pytest.mark.parametrize("text", sorted(IMPOSSIBLE))
def test_a_call_that_cannot_be(text: str) -> None:
    ((code, reason),) = _codes(text)
    assert code == "OW314"
    assert IMPOSSIBLE[text] in reason


@pytest.mark.parametrize("divided", ["op.Div(n, 0)", "op.Mod(n, 0)", "n / zero", "op.Mod([3, 4], [1, 0])", "n % 0"])
def test_integers_are_not_divided_by_a_constant_zero(divided: str) -> None:
    # A call before, so that the opset is known when the constant is met.
    first = "    x = op.Abs(x)\n    zero = op.Constant(value_int=0)\n"
    ((code, reason),) = _codes(f"x * op.CastLike({divided}, x)", first)
    assert code == "OW312"
    assert "divided by zero" in reason


@pytest.mark.parametrize(
    "text",
    [
        "op.Einsum(x, equation='....')",
        "op.Einsum(x, equation='i.j->i')",
        "op.Einsum(x, x, equation='...i, ...i... -> i')",
        "op.GatherND(x, [[0]], batch_dims=-3)",
    ],
)
def test_attributes_over_which_the_inference_of_onnx_hangs_or_dies(text: str) -> None:
    ((code, _),) = _codes(text)
    assert code == "OW314"
    with pytest.raises(DiagnosticError) as caught:
        eval(text, {"op": op, "x": np.ones(1, np.float32)})
    assert caught.value.diagnostics[0].code == "OW314"


def test_what_is_known_of_names_is_known_of_plain_calls() -> None:
    ((code, _),) = _codes("op.Unsqueeze(x, axes)", "    axes = op.Constant(value_ints=[2])\n")
    assert code == "OW314"


def test_every_element_type_is_meant() -> None:
    found = Compiler().family(
        "def F(x):\n    return op.Unsqueeze(x, [2])\n", {"x": "T/1"}, {"y": "T"}, {"T": ["double", "int32"]}
    )
    assert [item.code for item in found.diagnostics] == ["OW314"]


def test_the_place_is_that_of_the_call() -> None:
    family = Compiler().family("def F(x):\n    y = -x\n    return op.Flatten(y)\n", {"x": "float/0"}, {"y": "float"})
    (found,) = family.diagnostics
    assert found.place is not None and (found.place.line, found.place.column) == (5, 12)


# ------------------------------------------------------------------------------------------- what may run

MATRIX = np.ones((1, 1), np.float32)
VECTOR = np.array([3.0], np.float32)
_LATER = "    if n > 5:\n        x = op.Squeeze(op.Unsqueeze({}, [2]), [2])\n    return x\n"

RUN = {
    "of a rank that is not known": (_LATER.format("x"), None, MATRIX),
    "of what a loop hands on": (
        "    y = x\n    for i in range(n):\n        y = y + 1\n" + _LATER.format("y"),
        1,
        VECTOR,
    ),
    "of what each trip of a loop is given": (
        "    for i in range(n):\n        if n > 5:\n            x = op.Squeeze(op.Unsqueeze(x, [2]), [2])\n"
        "    return x\n",
        1,
        VECTOR,
    ),
    "of what one branch gives in another shape": (
        "    y = x\n    if n > 3:\n        y = op.Unsqueeze(x, [0])\n    if n > 5:\n"
        "        x = op.Squeeze(op.Unsqueeze(y, [2]), [0, 2])\n    return x\n",
        1,
        VECTOR,
    ),
    "floats divided by zero": ("    if n > 5:\n        x = x / 0\n    return op.Div(x, 1.0)\n", 1, VECTOR),
}


@pytest.mark.parametrize("name", sorted(RUN))
def test_what_may_run_is_accepted(name: str) -> None:
    body, rank, x = RUN[name]
    type_ = "float" if rank is None else f"float/{rank}"
    function = Compiler().function(f"def F(x, n):\n{body}", {"x": type_, "n": "int64/0"}, {"y": "float"})
    for outputs in run_everywhere(function, {"x": x, "n": np.array(2)}).values():
        np.testing.assert_array_equal(outputs[0], x)


@pytest.mark.parametrize(("size", "refused"), [(2, False), (3, True)])
def test_one_tensor_twice(size: int, refused: bool) -> None:
    """What is worked out once for all plain calls counts equal inputs once, and ONNX wants to see all of them."""
    text = "from opwright import BOOL, FLOAT, opset18 as op, script\n@script()\ndef f(c: BOOL[2], x: FLOAT[{}]):\n"
    function = compile_source(text.format(size) + "    y = x + x\n    return op.Where(c, x, x)\n", "f")
    if refused:
        with pytest.raises(DiagnosticError) as caught:
            function.to_model_proto()
        assert caught.value.diagnostics[0].code == "OW314"
    else:
        assert [node.op_type for node in function.to_model_proto().graph.node] == ["Where"]


def test_branches_of_one_rank_hide_nothing() -> None:
    text = "op.Unsqueeze(y, [2])"
    ((code, _),) = _codes(text, "    y = x\n    if n > 3:\n        y = x + 1\n")
    assert code == "OW314"


def test_a_rank_that_only_a_comparison_names_has_no_variant() -> None:
    family = Compiler().family(
        "def F(x):\n    if x.rank > 1:\n        return x\n    return op.Concat(x, x, axis=0)\n",
        {"x": "float"},
        {"y": "float"},
    )
    assert not family.diagnostics
    assert [dict(variant.key)["x.rank"] for variant in family.refused] == ["0"]


def test_eager_mode_says_what_the_runtime_says() -> None:
    with pytest.raises(DiagnosticError) as caught:
        op.Unsqueeze(np.array(1.0, np.float32), [3])
    assert caught.value.diagnostics[0].code == "OW370"
