"""Constants of numpy and of onnx.helper: in functions, around them, and in texts that nobody runs."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from opwright import DOUBLE, FLOAT, INT64, DiagnosticError, script
from opwright import opset18 as op

from tests.functions.everywhere import same_everywhere
from tests.lang.static_text import compile_text

X = np.array([1.0, 2.0], np.float32)
WEIGHT = helper.make_tensor("weight", TensorProto.FLOAT, [2], [0.5, 0.25])
TABLE = np.array([7, 8])


@pytest.mark.parametrize(
    "expression",
    [
        "np.sqrt(4.0)",
        "np.floor(-2.5)",
        "np.round(2.5)",
        "np.abs(-3)",
        "np.power(2, 3)",
        "np.prod((2, 3, 4))",
        "np.prod([])",
        "np.max([1, 2.5])",
        "np.min([[3, 2], [1, 4]])",
        "np.sum([0.1, 0.2, 0.3])",
        "np.sign(-2.0)",
        "np.arctan2(1.0, 2.0)",
        "np.float64(3)",
        "np.int64(2.7)",
        "np.exp(1)",
    ],
)
def test_numbers_are_those_of_numpy(expression: str) -> None:
    wanted = eval(expression, {"np": np}).item()
    text = f"import numpy as np\nK = {expression}\ndef F(x):\n    assert K == {wanted!r}\n"
    text += f"    assert str({expression}) == {str(wanted)!r}\n    return x * K\n"
    assert compile_text(text, ("float",)) == ()


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("np.sqrt(-1.0)", "OW312"),
        ("np.log(0.0)", "OW312"),
        ("np.power(2, -1)", "OW312"),
        ("np.prod([10**10, 10**10])", "OW312"),
        ("np.max([])", "OW312"),
        ("np.sqrt(True)", "OW304"),
        ("np.sum([0.5] * 8)", "OW304"),
        ("np.zeros(10**9)", "OW311"),
        ("np.array([[1], [2, 3]])", "OW312"),
        ("np.array([1.5], dtype=np.int64)", "OW313"),
        ("np.array([300], dtype=np.uint8)", "OW313"),
        ("np.array(x)", "OW304"),
        ("np.array([1, 2]).reshape(3)", "OW312"),
        ("np.array([1, 2]).reshape(-1, -1)", "OW312"),
        ("np.zeros((2, 0)).reshape(0, -1)", "OW312"),
        ("np.array([1, 2]).reshape(1, order='F')", "OW304"),
        ("np.array([1, 2]).reshape(x)", "OW304"),
        ("np.array([1.5]).astype(np.int32)", "OW313"),
        ("np.array([300]).astype(np.int8)", "OW313"),
        ("np.array([1]).astype(1)", "OW304"),
        ("np.array([1]).tolist()", "OW304"),
        ("(op.Abs(x)).reshape(1)", "OW304"),
        ("np.nothing(1)", "OW302"),
        ("onnx.helper.make_node('Neg', [], [])", "OW302"),
        ("x + onnx.helper.make_tensor('a', 1, [], [1.0])", "OW314"),
    ],
)
def test_what_is_not_of_the_list_is_refused(expression: str, code: str) -> None:
    header = "import numpy as np\nimport onnx\nfrom opwright import opset18 as op\n"
    found = compile_text(f"{header}def F(x):\n    y = {expression}\n    return x\n", ("float",))
    assert [item.code for item in found] == [code]


@pytest.mark.parametrize(
    "expression",
    [
        "np.array([1.5, 2])",
        "np.array([[1, 2], [3, 4]])",
        "np.array([True, False])",
        "np.array([1, 2], dtype=np.float16)",
        "np.zeros((2, 1), np.int32)",
        "np.ones(3)",
        "np.full((2,), 7)",
        "np.arange(1, 7, 2)",
        "np.eye(2, dtype=np.float32)",
        "np.array(0.5)",
        "np.array([])",
        "np.arange(6).reshape(2, 3)",
        "np.array([1.5, 2], dtype=np.float32).reshape([1, -1])",
        "np.zeros((2, 0)).reshape((0, 7))",
        "np.array(3).reshape(1)",
        "np.array([1.5, 0.1]).astype(np.float32)",
        "np.array([[1], [0]]).astype(bool)",
        "np.array([True, False]).astype(np.int8).reshape(2, 1)",
        "np.array([1.0, -2.0]).astype(int)",
    ],
)
def test_arrays_are_those_of_numpy(expression: str) -> None:
    names: dict[str, object] = {"np": np, "op": op, "script": script, "FLOAT": FLOAT}
    text = f"@script()\ndef F(x: FLOAT['N']):\n    return op.Identity({expression})\n"
    import linecache

    linecache.cache["<arrays>"] = (len(text), None, text.splitlines(keepends=True), "<arrays>")
    exec(compile(text, "<arrays>", "exec", dont_inherit=True), names)
    function = names["F"]
    found = same_everywhere(function, X)  # type: ignore[arg-type]
    wanted = eval(expression, {"np": np})
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


def test_tensors_of_onnx_are_values_of_attributes() -> None:
    @script()
    def F(x: FLOAT["N"]):
        made = onnx.helper.make_tensor("one", TensorProto.FLOAT, [2], [1.0, 2.0])
        other = numpy_helper.from_array(np.array([3, 4], dtype=np.float32))
        return x * op.Constant(value=WEIGHT) + op.Constant(value=made) + op.Constant(value=other)

    np.testing.assert_array_equal(same_everywhere(F, X), [4.5, 6.5])


def test_a_tensor_that_changes_is_read_again() -> None:
    weight = helper.make_tensor("weight", TensorProto.FLOAT, [1], [1.0])

    @script()
    def F(x: FLOAT["N"]):
        return x + op.Constant(value=weight)

    np.testing.assert_array_equal(same_everywhere(F, X), X + 1)
    weight.float_data[0] = 5.0
    np.testing.assert_array_equal(same_everywhere(F, X), X + 5)


def test_texts_make_constants_too() -> None:
    text = """
import numpy as np
from numpy import newaxis
from onnx import TensorProto, helper, numpy_helper
from opwright import opset18 as op

TABLE = np.array([1.0, 2.0], dtype=np.float32)
HALF = np.float32(0.5)
WEIGHT = helper.make_tensor("w", TensorProto.FLOAT, [2], [0.5, 0.25])

def F(x):
    made = op.Constant(value=numpy_helper.from_array(np.array([1.0], dtype=np.float32)))
    return (x * HALF + TABLE + op.Constant(value=WEIGHT) + made)[newaxis]
"""
    assert compile_text(text, ("float",)) == ()


@pytest.mark.parametrize(
    "expression", ["TABLE / 2", "TABLE * 0.5", "TABLE[:1] / 2", "-TABLE / TABLE", "(TABLE + 1) / 2"]
)
def test_ints_of_numpy_do_not_become_fractions(expression: str) -> None:
    found = compile_text(f"import numpy as np\nTABLE = np.array([7, 8])\ndef F(x):\n    return {expression}\n")
    assert [item.code for item in found] == ["OW314"]


def test_an_item_of_an_array_of_ints_is_a_number() -> None:
    @script()
    def F(x: FLOAT["N"]):
        return x * (TABLE[1] / 2)

    np.testing.assert_array_equal(same_everywhere(F, X), X * np.float32(TABLE[1] / 2))


def test_arrays_of_ints_are_computed_as_numpy_does() -> None:
    @script()
    def F(x: INT64["N"]):
        return x + TABLE[1] + -TABLE * 2 // 3 - np.arange(2)

    same_everywhere(F, X.astype(np.int64))


def test_a_double_meets_numbers_of_numpy_exactly() -> None:
    @script()
    def F(x: DOUBLE["N"]):
        return x * np.log(3.0) + np.float64(0.1)

    same_everywhere(F, X.astype(np.float64))


def test_a_large_tensor_is_refused() -> None:
    large = numpy_helper.from_array(np.zeros(300_000, np.float32))

    @script()
    def F(x: FLOAT["N"]):
        return x + op.Constant(value=large)

    with pytest.raises(DiagnosticError) as caught:
        F.to_function_proto()
    assert [item.code for item in caught.value.diagnostics] == ["OW352"]
