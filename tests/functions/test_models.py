"""Models of scripted functions: the functions that they carry, their versions, and that they are always the same."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from opwright import BOOL, FLOAT, INT4, INT64, DiagnosticError, OnnxFunction, Opset, opset13, opset19, opset21, script
from opwright import opset18 as op
from opwright.lang.families.family import Family
from opwright.live.compiled import Compiled

RunModel = Callable[..., list[Any]]
X = np.array([1, 2, 3], np.float32)
ACME = Opset("com.acme", 2)


@script(ACME, default_opset=op)
def double(x):
    return x + x


@script(ACME)
def quadruple(x):
    return double(double(x))


@script(default_opset=op)
def scale(x, factor: float = 2.0, *, offset: int = 1):
    return x * factor + offset


@script()
def clip(x, low=None, high=None):
    if low is not None:
        x = op.Max(x, low)
    if high is not None:
        x = op.Min(x, high)
    return x


def ids(model: onnx.ModelProto) -> list[tuple[str, str, str]]:
    return [(item.domain, item.name, item.overload) for item in model.functions]


def codes(function: OnnxFunction, **keywords: Any) -> list[str]:
    with pytest.raises(DiagnosticError) as raised:
        function.to_model_proto(**keywords)
    return [item.code for item in raised.value.diagnostics]


def test_functions_are_carried_once_and_callees_come_first(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"]):
        return quadruple(x) + double(x) + scale(x)

    model = f.to_model_proto()
    assert ids(model) == [
        ("com.acme", "double", ""),
        ("com.acme", "quadruple", ""),
        ("opwright.local", "scale", ""),
    ]
    assert {item.domain: item.version for item in model.opset_import} == {"": 18, "com.acme": 2, "opwright.local": 1}
    np.testing.assert_array_equal(run_model(model, X)[0], X * 8 + 1)


def test_functions_that_are_asked_for_stay_the_others_are_inlined(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"]):
        if op.ReduceSum(x, keepdims=0) > 0:
            x = quadruple(x)
        return scale(x)

    for functions, expected in [
        ([], []),
        ([double], ["double"]),
        (["quadruple", scale], ["quadruple", "scale"]),
        (None, ["double", "quadruple", "scale"]),
    ]:
        model = f.to_model_proto(functions=functions)
        assert [item.name for item in model.functions] == expected
        np.testing.assert_array_equal(run_model(model, X)[0], X * 8 + 1)
        np.testing.assert_array_equal(run_model(model, -X)[0], X * -2 + 1)
    assert codes(f, functions=["unknown"]) == ["OW354"]


def test_arguments_by_position_and_by_name(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"]):
        return scale(x, 3.0) + scale(x, offset=2) + scale(x=x, factor=1)

    model = f.to_model_proto()
    written = [sorted(item.name for item in node.attribute) for node in model.graph.node if node.op_type == "scale"]
    assert written == [["factor", "offset"]] * 3
    np.testing.assert_array_equal(run_model(model, X)[0], X * 6 + 4)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("scale()", "OW204"),
        ("scale(x, 1.0, 2)", "OW203"),
        ("scale(x, x=x)", "OW203"),
        ("scale(x, 1.0, factor=2.0)", "OW203"),
        ("scale(x, factr=2.0)", "OW205"),
        ("scale(x, factor='a')", "OW207"),
        ("scale(x, factor=x)", "OW324"),
        ("double(x > 0)", "OW208"),
        ("clip(x, high=op.Cast(x, to=INT64))", "OW315"),
    ],
)
def test_calls_are_checked(call: str, code: str, tmp_path: Path) -> None:
    text = f"@script()\ndef f(x: FLOAT['N']):\n    return {call}\n"
    path = tmp_path / "called.py"
    path.write_text(text, encoding="utf-8")
    names: dict[str, Any] = dict(globals())
    exec(compile(text, str(path), "exec", dont_inherit=True), names)
    assert codes(names["f"]) == [code]


def test_the_variant_is_chosen_by_the_call(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"], low: FLOAT, high: FLOAT):
        return clip(x, low, high) + clip(x, high=high) + clip(x, low) + clip(x, None, high)

    model = f.to_model_proto()
    assert ids(model) == [
        ("opwright.local", "clip__low_present__high_present", ""),
        ("opwright.local", "clip__low_absent__high_present", ""),
        ("opwright.local", "clip__low_present__high_absent", ""),
    ]
    expected = np.clip(X, 1.5, 2.5) + 2 * np.minimum(X, 2.5) + np.maximum(X, 1.5)
    np.testing.assert_array_equal(run_model(model, X, np.float32(1.5), np.float32(2.5))[0], expected)


def test_two_functions_of_one_name(run_model: RunModel) -> None:
    def make(factor: float, opset: Opset | None) -> OnnxFunction:
        @script(opset)
        def named(x):
            return op.Mul(x, factor)

        return named

    first, second = make(2.0, None), make(3.0, None)

    @script()
    def f(x: FLOAT["N"]):
        return first(x) + second(x)

    model = f.to_model_proto()
    assert ids(model) == [("opwright.local", "named", ""), ("opwright.local", "named_2", "")]
    np.testing.assert_array_equal(run_model(model, X)[0], X * 5)

    first, second = make(2.0, ACME), make(3.0, ACME)
    assert codes(f) == ["OW355"]
    first, second = make(2.0, ACME), make(3.0, Opset("com.other", 1))
    np.testing.assert_array_equal(run_model(f.to_model_proto(), X)[0], X * 5)


def test_functions_that_call_themselves() -> None:
    @script()
    def f(x: FLOAT["N"]):
        return f(x)

    @script()
    def g(x: FLOAT["N"]):
        return h(x)

    @script()
    def h(x: FLOAT["N"]):
        return g(x)

    assert codes(f) == ["OW323"]
    assert codes(g) == ["OW323"]


def test_errors_of_callees_are_found_with_those_of_the_caller() -> None:
    @script()
    def wrong(x):
        return op.NoSuch(x)

    @script()
    def f(x: FLOAT["N"]):
        y = wrong(x)
        return y + op.NoSuchEither(x)

    assert codes(f) == ["OW201", "OW350", "OW201"]


def test_the_opset_is_the_callers_choice() -> None:
    @script()
    def f(x: FLOAT["N"]):
        return op.ReduceMax(x, op.Constant(value_ints=[0]))

    model = f.to_model_proto(opset=21)
    assert [(item.version, model.ir_version) for item in model.opset_import] == [(21, 10)]
    assert f.to_model_proto(opset=opset19).opset_import[0].version == 19
    assert f.to_model_proto(ir_version=11).ir_version == 11
    assert codes(f, opset=21, ir_version=9) == ["OW354"]
    assert f.to_model_proto(opset=13).opset_import[0].version == 13  # its axes become an attribute

    @script(default_opset=opset13)
    def g(x: FLOAT["N"]):
        return x + 1

    assert g.to_model_proto().opset_import[0].version == 13


def test_the_ir_version_is_the_lowest_that_will_do() -> None:
    @script()
    def plain(x: FLOAT["N"]):
        return op.Abs(x)

    @script()
    def calls(x: FLOAT["N"]):
        return double(x)

    @script()
    def calls_with_default(x: FLOAT["N"]):
        return scale(x)

    @script()
    def calls_variant(x: FLOAT["N"]):
        return clip(x)

    @script(default_opset=opset21)
    def narrow(x: INT4["N"]):
        return opset21.Cast(x, to=FLOAT)

    found = [item.to_model_proto().ir_version for item in (plain, calls, calls_with_default, calls_variant)]
    assert found == [8, 8, 9, 8]
    assert calls_variant.to_model_proto(profile="overload").ir_version == 10
    assert narrow.to_model_proto().ir_version == 10


def test_documentation_producer_and_types_of_values() -> None:
    @script()
    def f(x: FLOAT["N", 4]):
        """Twice the absolute value."""
        y = op.Abs(x)
        return y + y

    model = f.to_model_proto(producer_name="somebody")
    assert (model.doc_string, model.producer_name, model.graph.name) == ("Twice the absolute value.", "somebody", "f")
    assert [value.name for value in model.graph.value_info] == ["y"]
    assert f.to_model_proto(doc_string="other").doc_string == "other"
    assert f.to_function_proto().doc_string == "Twice the absolute value."


def test_types_of_inputs_and_outputs_are_given_in_order_or_by_name() -> None:
    @script()
    def f(x, y):
        return op.Reshape(x, y)

    for given in ([FLOAT[6], INT64[2]], {"y": INT64[2], "x": FLOAT[6]}):
        model = f.to_model_proto(input_types=given, output_types=[FLOAT[2, 3]])
        onnx.checker.check_model(model, full_check=True)
        assert [dim.dim_value for dim in model.graph.output[0].type.tensor_type.shape.dim] == [2, 3]
    assert codes(f, input_types=[FLOAT[6], INT64[2], FLOAT]) == ["OW354"]
    assert codes(f, input_types={"z": FLOAT[6]}) == ["OW354"]
    assert codes(f, input_types=[FLOAT[6], INT64[2]], output_types=[INT64[2, 3]]) == ["OW354"]
    assert codes(f, input_types=["nonsense(", INT64[2]]) == ["OW354"]


def test_attributes_become_values(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"], axis: int, mode: str = "up", times: float = 0.1):
        if mode == "up":
            x = op.Neg(x)
        for i in range(axis):
            x = x + i
        return x * times

    model = f.to_model_proto(axis=3, mode="down")
    assert "Neg" not in [node.op_type for node in model.graph.node]
    np.testing.assert_allclose(run_model(model, X)[0], (X + 3) * np.float32(0.1), rtol=1e-6)
    np.testing.assert_allclose(run_model(f.to_model_proto(axis=0), X)[0], -X * np.float32(0.1), rtol=1e-6)


@pytest.mark.long
def test_a_chain_of_calls_is_flattened(tmp_path: Path, run_model: RunModel) -> None:
    lines = [
        "from opwright import opset18 as op, script",
        "@script(default_opset=op)",
        "def f0(x):",
        "    return x + 1",
    ]
    for index in range(1, 400):
        lines += ["@script(default_opset=op)", f"def f{index}(x):", f"    return f{index - 1}(x) + 1"]
    path = tmp_path / "chain.py"
    path.write_text("\n".join(lines), encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    model = names["f399"].to_model_proto(input_types=[FLOAT["N"]])
    assert len(model.functions) <= 50
    assert model.ir_version == 8 and not any(function.metadata_props for function in model.functions)
    np.testing.assert_array_equal(run_model(model, X, reference=False)[0], X + 400)


@pytest.mark.long
def test_bytes_do_not_depend_on_hash_seeds(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import hashlib, sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import test_models as t, test_samples as s\n"
        "from opwright import FLOAT, script\n"
        "@script()\n"
        "def f(x: FLOAT['N'], low: FLOAT):\n"
        "    return t.quadruple(x) + t.scale(x) + t.clip(x, low) + s.running_sum(x)\n"
        "print(hashlib.sha256(f.to_model_proto().SerializeToString()).hexdigest())\n",
        encoding="utf-8",
    )
    found = {
        subprocess.run(
            [sys.executable, str(program)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(found) == 1


def test_threads_compile_the_same() -> None:
    @script()
    def f(x: FLOAT["N"], flag: BOOL):
        if flag:
            x = quadruple(x)
        return scale(x)

    expected = f.to_model_proto().SerializeToString()
    found: list[bytes] = []

    def compile_often() -> None:
        for function in (f, quadruple, double, scale):
            function.compiled.clear()
        found.append(f.to_model_proto().SerializeToString())

    threads = [threading.Thread(target=compile_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_shapes_of_what_only_some_paths_give_are_left_open(run_model: RunModel) -> None:
    """Where a path has not returned yet, something of another shape stands in for what it will return."""

    @script()
    def f(x: FLOAT[2, 3]):
        for i in range(2):
            if op.ReduceSum(op.Softmax(x, axis=i)) > 2.5 and op.ReduceMax(x) > 7:
                return x
        return -x

    model = f.to_model_proto()
    for x in (np.zeros((2, 3), np.float32), np.full((2, 3), 8, np.float32)):
        np.testing.assert_array_equal(run_model(model, x)[0], x if x.max() > 7 else -x)


def test_attributes_whose_names_are_taken() -> None:
    @script()
    def f(x: FLOAT["N"], opset: int, functions: float = 2.0):
        return x * functions + opset

    model = f.to_model_proto(opset=18, attributes={"opset": 7})
    assert model.opset_import[0].version == 18
    assert codes(f) == ["OW354"]


def test_functions_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(double)) is double


def test_a_proto_is_kept_before_the_nodes_go_that_it_was_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread may look at any moment."""

    @script()
    def called(x: FLOAT[...]):
        return op.Relu(x)

    @script()
    def caller(x: FLOAT[...]):
        return called(x)

    slot = vars(Compiled)["family"]
    kept: list[bytes | None] = []

    def store(compiled: Compiled, family: Family) -> None:
        if hasattr(compiled, "written") and compiled.function is called:  # it has been made, and gets another family
            kept.append(compiled.written)
        slot.__set__(compiled, family)

    monkeypatch.setattr(Compiled, "family", property(slot.__get__, store))
    model = caller.to_model_proto()
    assert kept == [item.SerializeToString() for item in model.functions if item.name == "called"]
