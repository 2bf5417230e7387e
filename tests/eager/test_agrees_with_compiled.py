"""One table of promotions and refusals: the same expression run as Python, as a whole, and compiled."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnxruntime
import pytest
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager import whole_functions

HEADER = """\
import math
import numpy as np
from opwright import BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64, STRING, UINT8, opset20 as op, script
HALF = np.float64(0.5)
TABLE = np.array([1.0, 2.0, 3.0], np.float32)

"""
# (annotation of x, expression, the code that refuses it or "")
TABLE = [
    ("FLOAT", "x + 1", ""),
    ("FLOAT", "1 - x", ""),
    ("FLOAT", "x * 0.1", ""),
    ("FLOAT", "x / 3", ""),
    ("FLOAT", "x // 2", ""),
    ("FLOAT", "x % 2.5", ""),
    ("FLOAT", "-7.5 % x", ""),
    ("FLOAT", "x ** 2", ""),
    ("FLOAT", "x * True", ""),
    ("FLOAT", "x > 1", ""),
    ("FLOAT", "1 == x", ""),
    ("FLOAT", "x * HALF", ""),
    ("FLOAT", "x + TABLE", ""),
    ("FLOAT", "x + [1, 2, 3]", ""),
    ("FLOAT", "x + 2 ** 70", ""),
    ("FLOAT", "x + math.inf", ""),
    ("FLOAT", "abs(-x)", ""),
    ("FLOAT", "+x", ""),
    ("FLOAT", "op.Add(x, 1)", ""),
    ("FLOAT", "op.Add(A=x, B=0.5)", ""),
    ("FLOAT", "op.Clip(x, 0, 1)", ""),
    ("FLOAT", "op.Clip(x, max=1)", ""),
    ("FLOAT", "op.Max(x, 0, 0.5)", ""),
    ("FLOAT", "op.Where(x > 1, x, 0)", ""),
    ("FLOAT", "op.Cast(x, to=INT64)", ""),
    ("FLOAT", "op.Cast(x, to=INT64.dtype)", ""),
    ("FLOAT", "op.Cast(x, to=x.dtype)", ""),
    ("FLOAT", "op.Cast(x, to=np.int32)", ""),
    ("FLOAT", "op.ReduceSum(x, [0], keepdims=False)", ""),
    ("FLOAT", "op.LeakyRelu(x, alpha=1)", ""),
    ("FLOAT", "op.Reshape(x, [-1, 1])", ""),
    ("FLOAT", "FLOAT(0.5) + x", ""),
    ("FLOAT", "x.dtype == FLOAT", ""),
    ("FLOAT", "op.Concat(x, [1.0], axis=0)", ""),
    ("FLOAT", "op.TopK(x, [2])", ""),
    ("FLOAT", "op.Constant(value=[[1, 2], [3, 4]])", ""),
    ("FLOAT", "op.Constant(value_float=0.1)", ""),
    ("FLOAT", "x[0] + x[-1]", ""),
    ("FLOAT", "x[::-1]", ""),
    ("FLOAT", "x + DOUBLE(1.0)", "OW315"),
    ("FLOAT", "x + 'a'", "OW313"),
    ("FLOAT", "x + None", "OW314"),
    ("FLOAT", "x & 1", "OW314"),
    ("FLOAT", "~x", "OW314"),
    ("FLOAT", "x << 1", "OW314"),
    ("FLOAT", "op.Add(x)", "OW204"),
    ("FLOAT", "op.Add(x, None)", "OW204"),
    ("FLOAT", "op.Add(x, x, x)", "OW203"),
    ("FLOAT", "op.Add(x, x, A=x)", "OW203"),
    ("FLOAT", "op.Add(x, op)", "OW325"),
    ("FLOAT", "op.Relu(x, alpha=1)", "OW205"),
    ("FLOAT", "op.Cast(x)", "OW206"),
    ("FLOAT", "op.Cast(x, to='float')", "OW207"),
    ("FLOAT", "op.LeakyRelu(x, alpha='1')", "OW207"),
    ("FLOAT", "op.LeakyRelu(x, alpha=x)", "OW324"),
    ("FLOAT", "op.BitwiseNot(x)", "OW208"),
    ("FLOAT", "op.Upsample(x, x)", "OW216"),
    ("FLOAT", "FLOAT(x)", "OW314"),
    ("FLOAT", "INT64(0.5) + 1", "OW313"),
    ("FLOAT", "UINT8(256) + 1", "OW313"),
    ("FLOAT", "x[0.5]", "OW340"),
    ("FLOAT", "x['a']", "OW340"),
    ("DOUBLE", "x * 0.1", ""),
    ("DOUBLE", "0.1 - x", ""),
    ("DOUBLE", "x % 3", ""),
    ("DOUBLE", "x * HALF", ""),
    ("DOUBLE", "x + TABLE", "OW315"),
    ("FLOAT16", "x * 0.1", ""),
    ("FLOAT16", "x + 100000.0", ""),
    ("INT32", "x + 1", ""),
    ("INT32", "x + 2.0", ""),
    ("INT32", "x + True", ""),
    ("INT32", "x / 2", ""),
    ("INT32", "-7 // x", ""),
    ("INT32", "-7 % x", ""),
    ("INT32", "x & 6", ""),
    ("INT32", "~x | 1", ""),
    ("INT32", "x ^ x", ""),
    ("INT32", "x + 0.5", "OW313"),
    ("INT32", "x + 2 ** 31", "OW313"),
    ("INT32", "x << 1", "OW314"),
    ("INT32", "x ** 2 + x ** 3.0", ""),
    ("INT32", "x ** 0 + x ** True", ""),
    ("INT32", "x ** -1", "OW335"),
    ("INT32", "x ** -1.0", "OW335"),
    ("INT32", "x ** 0.5", "OW313"),
    ("INT32", "2 ** x", "OW335"),
    ("INT32", "x ** x", "OW335"),
    ("INT32", "x ** INT32(2)", "OW335"),
    ("INT32", "op.Clip(x, 0.5)", "OW313"),
    ("UINT8", "x << 1", ""),
    ("UINT8", "x // 2", ""),
    ("UINT8", "x + 300", "OW313"),
    ("UINT8", "x - -1", "OW313"),
    ("UINT8", "-x", "OW314"),
    ("UINT8", "x ** 2", "OW314"),
    ("BOOL", "x & True", ""),
    ("BOOL", "~x ^ x", ""),
    ("BOOL", "x == False", ""),
    ("BOOL", "x != x", ""),
    ("BOOL", "x + x", "OW314"),
    ("BOOL", "x & 1", "OW313"),
    ("BOOL", "x < x", "OW314"),
    ("STRING", "x + 'b'", ""),
    ("STRING", "x == 'a'", ""),
    ("STRING", "x + 1", "OW313"),
    ("STRING", "x < x", "OW314"),
]
DTYPES = {"FLOAT": "f4", "DOUBLE": "f8", "FLOAT16": "f2", "INT32": "i4", "UINT8": "u1", "BOOL": "?", "STRING": "O"}
each_case = pytest.mark.parametrize("index", range(len(TABLE)), ids=[f"{kind}: {text}" for kind, text, _ in TABLE])


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A module with one function for each row, `f0`, `f1`..."""
    rows = [
        f"@script(default_opset=op)\ndef f{i}(x: {kind}['N']):\n    return {text}\n\n"
        for i, (kind, text, _) in enumerate(TABLE)
    ]
    path: Path = tmp_path_factory.mktemp("table") / "table.py"
    path.write_text(HEADER + "\n".join(rows), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("table", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def argument(kind: str) -> np.ndarray[Any, Any]:
    values = {"BOOL": [True, False, True], "STRING": ["a", "", "é"]}.get(kind, [3, 1, 2])
    return np.array(values, DTYPES[kind])


def codes(step: Any) -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        step()
    return [item.code for item in caught.value.diagnostics]


def exact(found: Any) -> list[Any]:
    arrays = found if isinstance(found, tuple) else (found,)
    return [(item.dtype, item.shape, item.tolist() if item.dtype.kind == "O" else item.tobytes()) for item in arrays]


@each_case
def test_one_meaning(functions: ModuleType, index: int) -> None:
    kind, _, refused = TABLE[index]
    function, x = getattr(functions, f"f{index}"), argument(kind)
    if refused:
        assert codes(lambda: function(x)) == [refused]
        assert codes(function.to_function_protos) == [refused]
        return
    with whole_functions(False):
        found = function(x)
    with whole_functions():
        for _ in range(5):
            assert exact(function(x)) == exact(found)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    model = function.to_model_proto().SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    given = {session.get_inputs()[0].name: x} if session.get_inputs() else {}
    for one, other in zip(found if isinstance(found, tuple) else (found,), session.run(None, given), strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_array_equal(one, other)
