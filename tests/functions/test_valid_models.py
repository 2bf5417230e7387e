"""Models pass onnx.checker and ONNX's own inference of shapes, or are refused with a diagnostic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import opwright
import pytest
from opwright import FLOAT, INT64, DiagnosticError, OnnxFunction, Opset, Sequence, script
from opwright import opset18 as op
from opwright.model import verdict
from opwright.model.survey import Survey

RunModel = Callable[..., list[Any]]
X = np.array([1, 2, 3, 4], np.float32)


@script()
def of_any_rank(x: FLOAT[...], y: FLOAT[...]):
    return op.Relu(x) + y


@script()
def reshaped(x: FLOAT["N"], shape: INT64["R"]):
    return op.Reshape(x, shape)


def refusals(function: OnnxFunction, **keywords: Any) -> list[tuple[str, str]]:
    with pytest.raises(DiagnosticError) as raised:
        function.to_model_proto(**keywords)
    return [(item.code, item.message) for item in raised.value.diagnostics]


def sizes(model: onnx.ModelProto) -> list[object]:
    return [dim.dim_param or dim.dim_value or None for dim in model.graph.output[0].type.tensor_type.shape.dim]


def test_inputs_of_unknown_rank_need_one_when_strict(run_model: RunModel) -> None:
    assert refusals(of_any_rank, strict=True) == [
        ("OW354", "the rank of the input `x` is not known"),
        ("OW354", "the rank of the input `y` is not known"),
    ]
    assert refusals(of_any_rank, input_types=[FLOAT["N"]], strict=True) == [
        ("OW354", "the rank of the input `y` is not known")
    ]
    model = of_any_rank.to_model_proto(input_types=[FLOAT["N"], FLOAT])
    np.testing.assert_array_equal(run_model(model, X, np.float32(1))[0], X + 1)


def test_the_place_is_that_of_the_parameter() -> None:
    with pytest.raises(DiagnosticError) as raised:
        of_any_rank.to_model_proto(strict=True)
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    for diagnostic, parameter in zip(raised.value.diagnostics, ("x", "y"), strict=True):
        place = diagnostic.place
        assert place is not None
        assert lines[place.line - 1][place.column - 1 : place.end_column - 1] == f"{parameter}: FLOAT[...]"


def test_sequences_of_unknown_rank_are_legal() -> None:
    @script()
    def f(xs: Sequence[FLOAT[...]]) -> Sequence[FLOAT[...]]:
        return op.SequenceErase(xs, 0)

    onnx.checker.check_model(f.to_model_proto(), full_check=True)


def test_outputs_of_unknown_rank_need_one_when_strict(run_model: RunModel) -> None:
    assert refusals(reshaped, strict=True) == [("OW354", "the rank of the output `result` is not known")]
    for keywords in ({"input_types": [FLOAT["N"], INT64[2]]}, {"output_types": [FLOAT["A", "B"]]}):
        model = reshaped.to_model_proto(**keywords)
        assert run_model(model, X, np.array([2, 2]))[0].shape == (2, 2)


def test_what_onnx_infers_of_an_output_is_written(run_model: RunModel) -> None:
    """Sizes and ranks that the compiler's own inference does not know."""

    @script(default_opset=op)
    def f(x: FLOAT["B", "C", "L"]):
        return op.LpPool(x, kernel_shape=[2])

    model = f.to_model_proto()
    assert sizes(model) == ["B", "C", None]
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert run_model(model, x)[0].shape == (2, 3, 3)

    @script(default_opset=op)
    def g(x: FLOAT["N", 4]):
        return op.Einsum(x, x, equation="ij,kj->ik")

    onnx.checker.check_model(g.to_model_proto(), full_check=True)


_REFUSED = """from opwright import FLOAT, script, opset18 as op
@script()
def inner(x):
    return op.MatMul(x, op.Identity(x))

@script()
def f(x: FLOAT[3, 4]) -> FLOAT[3, 4]:
    return {}
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("op.MatMul(op.Identity(x), x)", "Incompatible dimensions"),
        ("op.Concat(x, op.Reshape(x, [1, 3, 4]), axis=0)", "must have same rank"),
        ("op.Transpose(x, perm=[0, 2])", "perm"),
        ("op.Expand(x, [2, 2]) + op.Squeeze(x, axes=[0])", "Dimension"),
        ("op.Expand(x, [2, 2])", "Incompatible dimensions"),
    ],
)
def test_a_call_that_onnx_refuses_is_a_diagnostic_at_its_place(text: str, said: str) -> None:
    source = _REFUSED.format(text)
    function = opwright.compile_source(source, "f")
    with pytest.raises(DiagnosticError) as raised:
        function.to_model_proto()
    found = raised.value.diagnostics[0]
    assert found.code == "OW314"
    assert said in found.reason or "Incompatible" in found.reason
    assert found.help
    assert found.place is not None
    assert source.splitlines()[found.place.line - 1] == f"    return {text}"


def test_what_onnx_refuses_of_a_whole_model_is_a_diagnostic() -> None:
    """What a function is called with says that a call in it cannot be."""
    source = _REFUSED.format("inner(x)")
    function = opwright.compile_source(source, "f")
    with pytest.raises(DiagnosticError) as raised:
        function.to_model_proto()
    (found,) = raised.value.diagnostics
    assert found.code == "OW358"
    assert "Incompatible dimensions" in found.reason
    assert found.help
    assert found.place is not None
    assert source.splitlines()[found.place.line - 1] == "def f(x: FLOAT[3, 4]) -> FLOAT[3, 4]:"


def test_what_the_checker_alone_refuses_is_a_diagnostic() -> None:
    """An IR version that onnx does not know."""

    @script()
    def f(x: FLOAT["N"]):
        return op.Relu(x)

    ((code, _),) = refusals(f, ir_version=1000)
    assert code == "OW358"


def test_operators_that_nobody_can_infer() -> None:
    """Of an operator of a domain of one's own, what it gives is what the function says."""
    value = onnx.defs.OpSchema.FormalParameter
    twist = onnx.defs.OpSchema(
        "Twist", "com.acme", 1, inputs=[value("X", "tensor(float)")], outputs=[value("Y", "tensor(float)")]
    )
    acme = Opset("com.acme", 1, signatures={"Twist": twist})

    @script(default_opset=op)
    def f(x: FLOAT["N"]):
        return acme.Twist(x)

    assert refusals(f, strict=True) == [("OW354", "the rank of the output `result` is not known")]
    onnx.checker.check_model(f.to_model_proto(output_types=[FLOAT["N"]]), full_check=True)


def test_calls_that_double_are_not_entered_one_by_one(tmp_path: Any) -> None:
    """ONNX's inference enters a function at each of its calls: 2 to the power of 40 of them would never end."""
    lines = [
        "from opwright import opset18 as op, script, FLOAT",
        "@script(default_opset=op)",
        "def f0(x: FLOAT['N']) -> FLOAT['N']:",
        "    return -x",
    ]
    for index in range(1, 40):
        lines += ["@script(default_opset=op)", f"def f{index}(x: FLOAT['N']) -> FLOAT['N']:"]
        lines += [f"    return f{index - 1}(f{index - 1}(x))"]
    path = tmp_path / "doubling.py"
    path.write_text("\n".join(lines), encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    model = names["f39"].to_model_proto()
    assert verdict.infer(model, Survey(model)) == ({}, None)
    onnx.checker.check_model(model)
