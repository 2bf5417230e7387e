"""Numbers stand in the text with as few digits as numpy needs, and are the same bits again."""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator
from opwright import decompile
from opwright.decompiler.literal_text import Constant, constant_of, float_text
from opwright.elements import BY_CODE

from tests.decompiler.make_models import make


def _float32(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


_EDGES = [
    number
    for exponent in range(255)
    for fraction in (0, 1, 0x7FFFFF)
    if math.isfinite(number := _float32(exponent << 23 | fraction))
]


def test_the_shortest_text_is_that_of_numpy() -> None:
    draw = random.Random(7)
    drawn = [_float32(draw.getrandbits(32)) for _ in range(20_000)]
    drawn += [_float32(struct.unpack("<I", struct.pack("<f", draw.uniform(-9, 9)))[0]) for _ in range(20_000)]
    decimal = [float(np.float32(round(draw.uniform(-3, 3), draw.randint(1, 8)))) for _ in range(5_000)]
    for number in [*_EDGES, *filter(math.isfinite, drawn), *decimal, -0.0]:
        assert float_text(number) == repr(float(str(np.float32(number)))), number
        assert struct.pack("<f", float(float_text(number))) == struct.pack("<f", number)


@pytest.mark.parametrize("code", [TensorProto.FLOAT, TensorProto.INT64])
@pytest.mark.parametrize("raw", [True, False])
def test_tensors_of_one_number_are_as_any_other(code: int, raw: bool) -> None:
    dtype = np.float32 if code == TensorProto.FLOAT else np.int64
    for number in (0, 1, -3, 1.1, -0.0, 16777217, 1e-40, 9e17, 3e38, math.nan, math.inf, -math.inf):
        if dtype is np.int64 and (not math.isfinite(number) or abs(number) > 1e18 or number != int(number)):
            continue
        array = np.array(number, dtype)
        if raw:
            tensor = numpy_helper.from_array(array)
        else:
            tensor = TensorProto(data_type=code)
            (tensor.float_data if dtype is np.float32 else tensor.int64_data).append(array.item())
        found, expected = constant_of(tensor), Constant(array, BY_CODE[code])
        assert (found.text, found.literal, found.default) == (expected.text, expected.literal, expected.default)
        assert (found.is_scalar, found.is_long, found.element) == (True, False, expected.element)
        assert (found.array.dtype, found.array.tobytes()) == (array.dtype, array.tobytes())


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("opset", [7, 8, 9])
def test_numbers_that_no_constant_of_the_opset_holds_stay_initializers(
    opset: int, faithful: bool, tmp_path: Path
) -> None:
    """`Constant` holds float16, float and double alone below opset 9."""
    text = f"""<ir_version: 4, opset_import: ["": {opset}]>
        g (float[6] X, bool c) => (float[2,3] Y, float[2] Z, int64[2] s) <int64[2] s = {{2, 3}}, float[1] k = {{2.0}}>
        {{
            Y = Reshape(X, s)
            Z = If(c) <
                then_branch = t () => (float[2] z) <int64[1] i = {{1}}, float[1] one = {{1.0}}>
                    {{ m = Mul(one, k) n = Gather(X, i) o = Add(m, n) z = Concat<axis = 0>(o, n) }},
                else_branch = e () => (float[2] z) <int64[2] j = {{0, 2}}> {{ z = Gather(X, j) }}
            >
        }}"""
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model, full_check=True)
    decompile(model, faithful=faithful).write(tmp_path / "module.py")
    again = make(tmp_path / "module.py")
    assert isinstance(again, ModelProto)
    x = np.arange(6, dtype=np.float32)
    for c in (np.array(True), np.array(False)):
        results = [ReferenceEvaluator(item).run(None, {"X": x, "c": c}) for item in (model, again)]
        assert all(np.array_equal(one, other) for one, other in zip(*results, strict=True))
