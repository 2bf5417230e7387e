"""What a scalar of numpy is: float64 and int64 are Python's numbers, the others tensors of their type.

Each form is compiled with the scalar written in the function and captured by it, run as Python, and recorded by a
builder: the same result everywhere, or the same refusal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnxruntime
import opwright
import pytest
from onnx import ModelProto
from opwright import FLOAT, INT64, DiagnosticError, GraphBuilder, OnnxFunction, script
from opwright import opset18 as op

from tests.docs.running import define
from tests.shares import one_in

OPSET = 18
SCALARS = ("float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool_")
NUMBERS = ("float64", "int64")
TENSORS = {"FLOAT": np.float32, "INT64": np.int64, "INT32": np.int32}
HEADER = "import math\nimport numpy as np\nfrom opwright import *\nfrom opwright import opset18 as op\n"
DIRECT = (
    "x + {c}",
    "{c} * x",
    "x > {c}",
    "op.Add(x, {c})",
    "op.Sub({c}, x)",
    "op.Where(x > x, x, {c})",
    "op.Concat(x, [{c}], axis=0)",
    "op.Constant(value={c})",
    "op.Add(x, [{c}, {c}])",
    "op.Range(0, {c}, 1)",
    "op.Max(x, {c}, 2.0)",
    "op.Clip(x, {c}, 5)",
    "op.Expand({c}, [2])",
    "x if {c} else -x",
)
STATIC = (
    "op.Concat(x, x, axis={c})",
    "op.Transpose(x, perm=[{c}])",
    "op.Gather(x, {c})",
    "op.Unsqueeze(x, [{c}])",
    "x[{c}]",
    "op.LeakyRelu(x, alpha={c})",
    "x * math.exp({c})",
    "x * float({c})",
    "x * int({c})",
    "x[{c}:]",
    "x[-1:{c}]",
    "op.Constant(value_floats=[{c}, 2.0])",
    "op.ConstantOfShape([2], value=[{c}])",
    "op.Tile(x, [{c}])",
)
ARITHMETIC = (
    "x + {c} * 3",
    "x + {c} / 2",
    "x * -{c}",
    "x + ({c} + {c})",
    "x + {c} // 2",
    "x - {c} % 2",
    "abs({c}) * x",
    "x.shape[0] * {c} + x",
)


def written(form: str, scalar: str, tensor: str) -> OnnxFunction:
    text = f"@script()\ndef F(x: {tensor}['N']):\n    return {form.format(c=scalar)}\n"
    return define(HEADER, text, f"<{form} {scalar} {tensor}>")


def captured(form: str, scalar: str, tensor: str) -> OnnxFunction:
    text = f"C = {scalar}\n@script()\ndef F(x: {tensor}['N']):\n    return {form.format(c='C')}\n"
    return define(HEADER, text, f"<{form} captured {scalar} {tensor}>")


def recorded(form: str, scalar: str, tensor: str) -> ModelProto:
    builder = GraphBuilder(opset=OPSET)
    names = {"x": builder.input("x", getattr(opwright, tensor)["N"]), "op": op, "np": np, "math": math}
    builder.output("y", eval(form.format(c=scalar), names))
    return builder.to_model_proto()


def run(model: ModelProto, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    found: list[np.ndarray[Any, Any]] = session.run(None, {name.name: x for name in session.get_inputs()})
    return found[0]


def outcome(compute: Callable[[], Any]) -> tuple[object, ...]:
    """The result, or the code that it is refused with; what a runtime refuses is one outcome."""
    try:
        found = np.asarray(compute())
    except DiagnosticError as error:
        codes = tuple(sorted({item.code for item in error.diagnostics}))
        return ("no runtime",) if codes == ("OW370",) else codes
    except TypeError as error:  # Python computes before a tensor is met, and numpy refuses
        return ("numpy", str(error)) if str(error).startswith("The numpy") else ("Python", str(error))
    except Exception as error:  # onnxruntime's own have no common class
        return ("no runtime",) if type(error).__module__.startswith("onnxruntime") else (repr(error),)
    return (found.dtype.name, found.shape, found.tobytes())


def ways(form: str, scalar: str, tensor: str) -> dict[str, tuple[object, ...]]:
    x = np.array([3, 4], TENSORS[tensor])
    functions = {"written": written(form, scalar, tensor), "captured": captured(form, scalar, tensor)}
    found = {name: outcome(lambda f=f: run(f.to_model_proto(opset=OPSET), x)) for name, f in functions.items()}
    found |= {f"{name}, as Python": outcome(lambda f=f: f(x)) for name, f in functions.items()}
    return found | {"builder": outcome(lambda: run(recorded(form, scalar, tensor), x))}


def _scalars(value: str) -> list[str]:
    """Scalars and arrays without axes, of every type."""
    values = [(kind, "True" if kind == "bool_" else value) for kind in SCALARS]
    return [text for kind, item in values for text in (f"np.{kind}({item})", f"np.array({item}, dtype=np.{kind})")]


@pytest.mark.parametrize("tensor", TENSORS)
@pytest.mark.parametrize("form", one_in(3, DIRECT))
def test_an_operand_is_the_same_everywhere(form: str, tensor: str) -> None:
    for scalar in _scalars("1"):
        found = ways(form, scalar, tensor)
        assert len(set(found.values())) == 1, (scalar, found)


@pytest.mark.parametrize("form", STATIC)
def test_what_must_be_known_is_the_same_everywhere(form: str) -> None:
    arrays_are_numbers = form.startswith("x *")  # which Python makes of an array without axes, too
    for scalar in _scalars("0"):
        if "bool" in scalar or (arrays_are_numbers and "array" in scalar):
            continue
        found = ways(form, scalar, "FLOAT")
        assert len(set(found.values())) == 1, (scalar, found)


@pytest.mark.filterwarnings("ignore:overflow encountered")  # of numpy, before a tensor is met
@pytest.mark.parametrize("form", one_in(3, ARITHMETIC))
def test_what_python_computes_before_is_never_another_number(form: str) -> None:
    for scalar, tensor in itertools.product(_scalars("7"), ("FLOAT", "INT64")):
        found = ways(form, scalar, tensor)
        values = {item for item in found.values() if len(item) == 3 and isinstance(item[2], bytes)}
        assert len(values) <= 1, (scalar, tensor, found)


def test_mixed_element_types_are_refused_and_equal_ones_are_not() -> None:
    for scalar, (tensor, dtype) in itertools.product(SCALARS, TENSORS.items()):
        found = ways("op.Add(x, {c})", f"np.{scalar}(1)", tensor)["captured"]
        meets = scalar in NUMBERS or np.dtype(dtype) == scalar
        assert (found in (("OW315",), ("OW208",))) is not meets, (scalar, tensor)


def test_scalars_in_lists_and_records_have_their_types_too() -> None:
    scales = [np.float32(0.5), np.float32(2.0)]
    options = {"half": np.float32(0.5), "axis": np.int32(0), "table": np.ones(2, np.float32)}

    @script()
    def F(x: FLOAT["N"]):
        for scale in scales:
            x = x * scale
        return op.Concat(x * options["half"] + options["table"], x + scales[0], axis=options["axis"])

    x = np.array([1.0, 2.0], np.float32)
    wanted = np.concatenate([x * 0.5 + 1, x + 0.5])
    np.testing.assert_array_equal(run(F.to_model_proto(opset=OPSET), x), wanted)
    np.testing.assert_array_equal(F(x), wanted)


def test_a_flag_decides_when_the_function_is_built() -> None:
    flag, off = np.bool_(True), np.bool_(False)

    @script()
    def F(x: FLOAT["N"]):
        y = x if flag and not off else op.Neg(x)
        if flag:
            y = y + 1
        assert not off
        return op.Where(flag, y, x)

    x = np.array([1.0, 2.0], np.float32)
    np.testing.assert_array_equal(F(x), x + 1)
    assert [node.op_type for node in F.to_function_proto(OPSET).node if node.op_type != "Constant"] == ["Add", "Where"]


def test_a_type_that_numpy_lacks() -> None:
    one = ml_dtypes.bfloat16(1)

    @script()
    def F(x: FLOAT["N"]):
        return x + op.Cast(one, to=opwright.FLOAT)

    x = np.array([1.0, 2.0], np.float32)
    np.testing.assert_array_equal(run(F.to_model_proto(opset=OPSET), x), x + 1)
    np.testing.assert_array_equal(F(x), x + 1)


def test_attributes_of_functions_take_the_number() -> None:
    alpha, axes = np.float32(0.5), [np.int32(1), np.int8(0)]

    @script()
    def Scaled(x: FLOAT["M", "N"], alpha: float, axes: Sequence[int]):
        return op.Transpose(op.LeakyRelu(x, alpha=alpha), perm=axes)

    @script()
    def F(x: FLOAT["M", "N"]):
        return Scaled(x, alpha=alpha, axes=axes) + Scaled(x, alpha=np.float16(2), axes=[np.uint8(1), 0])

    x = np.array([[-1.0, 2.0]], np.float32)
    wanted = np.array([[-2.5], [4.0]], np.float32)
    np.testing.assert_array_equal(F(x), wanted)
    np.testing.assert_array_equal(run(F.to_model_proto(opset=OPSET), x), wanted)
    np.testing.assert_array_equal(Scaled(x, alpha=alpha, axes=axes), [[-0.5], [2.0]])


def test_a_default_is_the_number() -> None:
    @script()
    def F(x: FLOAT["N"], alpha: float = np.float32(0.5), axis: int = np.int32(0)):
        return op.Concat(op.LeakyRelu(x, alpha=alpha), x, axis=axis)

    x = np.array([-1.0, 2.0], np.float32)
    np.testing.assert_array_equal(F(x), [-0.5, 2.0, -1.0, 2.0])
    np.testing.assert_array_equal(run(F.to_model_proto(opset=OPSET), x), [-0.5, 2.0, -1.0, 2.0])


RESULTS = ("np.sqrt(abs(2.0))", "np.float64(2.5)", "np.prod((2, 3))", "np.float32(1.5)", "np.array(2.5)", "2.5")


@pytest.mark.parametrize("value", RESULTS)
def test_a_result_is_the_same_everywhere(value: str) -> None:
    found = ways("{c}", value, "FLOAT")
    del found["builder"]  # its outputs are values of a graph
    assert len(set(found.values())) == 1, found


HELD = ("{c}[0]", "{c}[-1]", "x + {c}[1]", "op.Identity({c}[0])", "x * {c}[0] - {c}[1]", "x[{c}[0]:]", "{c}[0] / 2")


@pytest.mark.parametrize("kind", ["float64", "int64", "float32", "int32"])
@pytest.mark.parametrize("form", one_in(2, HELD))
def test_an_item_of_an_array_is_the_same_everywhere(form: str, kind: str) -> None:
    found = ways(form, f"np.array([1, 2], dtype=np.{kind})", "FLOAT")
    del found["builder"]  # has no outputs that are numbers of Python
    computed = {result for result in found.values() if len(result) == 3}
    assert len(computed) < 2, found
    assert len({found["written"], found["captured"]}) == 1


AT_RUN_TIME = (
    "{c}[n]",
    "{c}[n] / 2",
    "-{c}[n] * 3 + x.shape[0]",
    "x + {c}[n]",
    "x * ({c}[n] > 1.5)",
    "op.Exp(op.Identity({c}[n]))",
    "op.Cast({c}[n], to=DOUBLE)",
    "op.Where(x > 1, {c}[n], {c}[0])",
    "{c}[n] if n > 0 else {c}[0]",
    "[{c}[n], 1]",
    "{c}.reshape(1, 2)[0, n]",
    "({c} * {c})[n]",
    "({c} * {c})[0]",
    "({c} * len(x))[n]",
    "{c}[n] * {c}",
    "{c}[n] * np.array([0.1, 2.0], np.float32)",
    "({c}[n] > 0.5) * np.array([0.1, 2.0], np.float32)",
    "{c}[n, ...]",
    "sum(item / 3 for item in {c}[n - 1 :])",
)


@pytest.mark.parametrize("kind", ["float64", "int64", "float32", "int32"])
@pytest.mark.parametrize("form", one_in(2, AT_RUN_TIME))
def test_an_item_at_a_place_of_the_run_time_is_the_same_everywhere(form: str, kind: str) -> None:
    """float64 and int64 are Python's numbers there too; an expression is computed alike, or one side refuses it."""
    text = f"C = np.array([{'1, 7' if 'int' in kind else '0.1, 0.7'}], dtype=np.{kind})\n@script()\n"
    text += f"def F(x: FLOAT['N'], n: INT64):\n    return {form.format(c='C')}\n"
    function = define(HEADER, text, f"<{form} at run time {kind}>")
    found = in_both_modes(function, {"x": np.array([3, 4], np.float32), "n": np.array(1)})
    assert len({item for item in found if len(item) == 3}) < 2, found


def in_both_modes(function: OnnxFunction, feeds: dict[str, Any]) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Compiled, and run as Python; of several results a list."""

    def compiled() -> Any:
        model = function.to_model_proto(opset=OPSET)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        results = session.run(None, {item.name: feeds[item.name] for item in session.get_inputs()})
        return results[0] if len(results) == 1 else results

    return outcome(compiled), outcome(lambda: function(**feeds))


SCRIPTS = """
@script()
def Twice(a):
    return a * 2

@script()
def Added(a, b):
    return a + b

@script()
def Named(a: INT64["N"]):
    return op.Concat(a, a, axis=0)

@script()
def Third(a: FLOAT):
    return a / 3

@script()
def Joined(a, *others):
    return op.Sum(a, *others)
"""
HANDED = (
    "Twice({c}[n])",
    "Twice({c}[0])",
    "Twice(a={c}[n] * 2)",
    "Twice(abs({c}[n]))",
    "Twice({c}[n:])",
    "Twice([{c}[n], {c}[0]])",
    "Twice([n, 1])",
    "Twice([x[0], {c}[0]])",
    "Named([{c}[n], n])",
    "Twice([[{c}[n]], [1]])",
    "Twice(np.float64(0.1))",
    "Added({c}[n], {c}[0])",
    "Added(x, {c}[n])",
    "Third({c}[n])",
    "Joined(x, {c}[n], {c}[0])",
    "op.Cast(Twice({c}[n]), to=DOUBLE)",
    "[{c}[n], {c}[0]]",
    "[{c}[0], {c}[1]]",
    "[item for item in {c}]",
    "[[{c}[n]], [{c}[0]]]",
    "({c}[n], {c}[0])",
)


@pytest.mark.parametrize("kind", ["float64", "int64", "float32", "int32"])
@pytest.mark.parametrize("form", one_in(2, HANDED))
def test_what_a_body_hands_on_is_the_same_everywhere(form: str, kind: str) -> None:
    """To functions under `@script` and as a result, in lists too."""
    items = {"float64": "0.1, 0.7", "int64": "2**53 + 1, 7"}.get(kind, "1, 7")
    text = f"C = np.array([{items}], dtype=np.{kind})\n@script()\n"
    text += f"def F(x: FLOAT['N'], n: INT64):\n    return {form.format(c='C')}\n"
    function = define(HEADER + SCRIPTS, text, f"<{form} handed on {kind}>")
    compiled, as_python = in_both_modes(function, {"x": np.array([3, 4], np.float32), "n": np.array(1)})
    assert compiled == as_python


def test_numbers_in_a_list_that_a_body_hands_on_are_numbers() -> None:
    items = np.array([0.1, 0.7])

    @script()
    def Twice(a):
        return a * 2

    @script()
    def F(n: INT64):
        return Twice([items[n], items[0]])

    compiled, as_python = in_both_modes(F, {"n": np.array(1)})
    assert compiled == as_python
    assert compiled[:2] == ("float32", (2,))


def test_a_caller_gives_scalars_of_their_types() -> None:
    @script()
    def Twice(a):
        return a * 2

    assert Twice(np.float64(0.1)).dtype == np.float64


NAMES_OF_C = ("longlong", "ulonglong", "intc", "uintc", "short", "ushort", "byte", "ubyte", "half", "single", "double")


@pytest.mark.parametrize("name", NAMES_OF_C)
def test_a_type_of_c_is_that_of_its_size(name: str) -> None:
    text = f"@script()\ndef F(x: FLOAT['N']):\n    return op.Cast(x, to=np.{name}) * np.{name}(2)\n"
    compiled, as_python = in_both_modes(define(HEADER, text, f"<{name}>"), {"x": np.array([3, 4], np.float32)})
    assert compiled == as_python
    assert compiled[0] == np.dtype(name).name


CHANGES = (
    "w = {c}[n]; w *= 2",
    "w = {c}[0] + n; w -= 1",
    "w = {c}[n] + 0; w += 1",
    "w = ({c} * {c})[n]; w *= 2",
    "w = {c}[n]\n    for v in {c}[n - 1 :]:\n        v *= 2\n        w += v",
)


@pytest.mark.parametrize("kind", ["float64", "int64", "float32", "int32"])
@pytest.mark.parametrize("change", one_in(2, CHANGES))
def test_an_augmented_assignment_makes_another_scalar(change: str, kind: str) -> None:
    text = f"C = np.array([1, 7], dtype=np.{kind})\n@script()\n"
    text += f"def F(n: INT64):\n    {change.format(c='C')}\n    return op.Cast(w, to=DOUBLE)\n"
    compiled, as_python = in_both_modes(define(HEADER, text, f"<{change} {kind}>"), {"n": np.array(1)})
    assert compiled == as_python


BEYOND = (
    "x + {c} * 4",
    "x + {c} ** 3",
    "x + {c} ** -1",
    "x + ({c} << 3)",
    "x - (-{c} * 3)",
    "x + sum([{c}, {c}])",
    "x + abs(-{c} - {c})",
    "x + divmod({c}, 3)[0] * 7",
    "x + {c} / 3",
    "x * ({c} + 1 == 2.0**62)",
    "x + ({c} - 2**62)",
)


@pytest.mark.parametrize("scalar", ["np.int64(2**62)", "np.array([2**62])[0]", "np.prod((2**31, 2**31))"])
@pytest.mark.parametrize("form", BEYOND)
def test_ints_that_numpy_wraps_around_do_not_grow(form: str, scalar: str) -> None:
    found = ways(form, scalar, "FLOAT")
    assert len({result for result in found.values() if len(result) == 3}) < 2, found
