"""Operators that the standard defines by no function, below the opsets that have them: onnxruntime's own bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from opwright.bundle.format import Bundle
from opwright.downlevel.rewrite import polyfill_libraries
from opwright.downlevel.target import target_of_opset
from opwright.link.apply import attach_libraries

from tests.downlevel.standard_cases import session_of
from tests.shares import one_in

TRILU = """<ir_version: 8, opset_import: ["": 18]> g (float[2,N,M] x, int64 k) => (float[2,N,M] y, float[2,N,M] z)
{ y = Trilu(x, k) z = Trilu<upper = 0>(x) }"""


def parse(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(text)


def same_bits(model: onnx.ModelProto, library: Bundle, opset: int, **feeds: Any) -> None:
    """The model for `opset` gives what it gives itself."""
    done = polyfill_libraries(model, [library], target_of_opset(opset))
    expected = session_of(model).run(None, feeds)
    for one, other in zip(session_of(done.model).run(None, feeds), expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("k", [-2, 0, 1])
@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 4, 3), (2, 0, 3), (2, 3, 0)])
def test_triangles(standard: Bundle, k: int, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).standard_normal(shape, np.float32)
    same_bits(parse(TRILU), standard, 13, x=x, k=np.array(k))


SCATTER = """<ir_version: 8, opset_import: ["": 18]>
g (float[A,B,C] x, int64[D,E,F] i, float[D,E,F] u, int64[G,2] at, float[G,C] rows) => (float[A,B,C] y, float[A,B,C] z)
{ y = ScatterElements<axis = -2, reduction = "how">(x, i, u) z = ScatterND<reduction = "how">(x, at, rows) }"""


@pytest.mark.parametrize("how", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("shape", [(3, 4, 2), (1, 1, 1), (2, 3, 0)])
def test_scattering(standard: Bundle, how: str, shape: tuple[int, int, int]) -> None:
    """Places that many updates go to: their order decides the last bits."""
    generator = np.random.default_rng(2)
    given = (*shape[:1], 20, *shape[2:])
    feeds = {
        "x": generator.standard_normal(shape, np.float32),
        "i": generator.integers(-shape[1], shape[1], given),
        "u": generator.standard_normal(given, np.float32),
        "at": generator.integers([-shape[0], -shape[1]], shape[:2], (30, 2)),
        "rows": generator.standard_normal((30, shape[2]), np.float32),
    }
    for opset in (13, 15) if how in ("add", "mul") else (13, 15, 17):
        same_bits(parse(SCATTER.replace("how", how)), standard, opset, **feeds)


@pytest.mark.parametrize("opset", [14, 17])
def test_where_the_opset_has_the_operator_it_stays(standard: Bundle, opset: int) -> None:
    done = polyfill_libraries(parse(TRILU), [standard], target_of_opset(opset))
    assert done.functions == ()
    assert [node.op_type for node in done.model.graph.node] == ["Trilu", "Trilu"]


def test_attaching_does_not_replace_them(standard: Bundle) -> None:
    done = attach_libraries(parse(TRILU), [standard], replace=True)
    assert done.model == parse(TRILU)
    assert [item.code for item in done.diagnostics] == ["OW552"]
    assert "--replace" not in done.diagnostics[0].help


QUANTISED = """<ir_version: 10, opset_import: ["": 22]>
g (float[A,B] x, float[S] s, kind[S] z) => (float[A,B] y, kind[A,B] q)
{ q = QuantizeLinear<axis = 1>(x, s, z) y = DequantizeLinear<axis = 1>(q, s, z) }"""
BLOCKS = """<ir_version: 10, opset_import: ["": 22]>
g (half[A,B] x, half[S,B] s, kind[S,B] z) => (half[A,B] y, kind[A,B] q)
{ q = QuantizeLinear<axis = 0, block_size = 3>(x, s, z) y = DequantizeLinear<axis = 0, block_size = 3>(q, s, z) }"""


@pytest.mark.parametrize("kind", ["int16", "uint16", "int8", "uint8"])
@pytest.mark.parametrize("opset", one_in(2, [13, 18, 19, 20]))
def test_quantising(standard: Bundle, kind: str, opset: int) -> None:
    generator = np.random.default_rng(3)
    ends = np.iinfo(kind)
    x = generator.standard_normal((11, 37), np.float32) * np.float32(3 * ends.max)
    x[0, :5] = np.nan, np.inf, -np.inf, 0.5, 1.5
    scale = generator.uniform(0.1, 9, 37).astype(np.float32)
    zeros = generator.integers(ends.min, ends.max, 37, kind, endpoint=True)
    same_bits(parse(QUANTISED.replace("kind", kind)), standard, opset, x=x, s=scale, z=zeros)
    halves = generator.standard_normal((11, 5), np.float32).astype(np.float16) * np.float16(50)
    scales = generator.uniform(0.001, 2, (4, 5)).astype(np.float16)
    feeds = {"x": halves, "s": scales, "z": generator.integers(ends.min, ends.max, (4, 5), kind, endpoint=True)}
    same_bits(parse(BLOCKS.replace("kind", kind).replace("half", "float16")), standard, opset, **feeds)


GRID = """<ir_version: 9, opset_import: ["": 20]> g (float[{x}] x, float[{grid}] grid) => (float[{y}] y)
{{ y = GridSample<mode = "{how}", padding_mode = "{where}", align_corners = {corners}>(x, grid) }}"""


@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("where", ["zeros", "border", "reflection"])
@pytest.mark.parametrize(
    ("how", "dimensions"), [("nearest", 2), ("linear", 2), ("cubic", 2), ("nearest", 3), ("linear", 3)]
)
def test_samples(standard: Bundle, how: str, dimensions: int, where: str, corners: int) -> None:
    """The kernel has a way of its own for images: last bits of linear and cubic interpolation may be others there."""
    random = np.random.default_rng(2)
    x = random.standard_normal((2, 3, 5, 4, 3)[: dimensions + 2], np.float32)
    grid = random.uniform(-2.5, 2.5, (*(2, 4, 3, 2)[: dimensions + 1], dimensions)).astype(np.float32)
    ranks = {name: ", ".join(f"{name}{d}" for d in range(dimensions + 2)) for name in ("x", "grid", "y")}
    text = GRID.format(**ranks, how=how, where=where, corners=corners)
    exact = how == "nearest" or dimensions == 3
    for opset in (13, 15, 19) if dimensions == 3 else (13, 15):
        if exact:
            same_bits(parse(text), standard, opset, x=x, grid=grid)
        else:
            close(parse(text), standard, opset, x=x, grid=grid)


def close(model: onnx.ModelProto, library: Bundle, opset: int, **feeds: Any) -> None:
    done = polyfill_libraries(model, [library], target_of_opset(opset))
    expected = session_of(model).run(None, feeds)
    for one, other in zip(session_of(done.model).run(None, feeds), expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


TRANSFORMS = """<ir_version: 9, opset_import: ["": 20]> g (float[A,B,C,D] x, int64 n, int64 axis)
=> (float[A,b,c,2] y, float[A,d,e,2] z, float[A,f,g,1] w)
{
  y = DFT(x, n, axis)
  z = DFT<inverse = 1>(x, , axis)
  w = DFT<inverse = 1, onesided = 1>(x, n, axis)
}"""


@pytest.mark.parametrize("opset", one_in(2, [13, 15, 17, 19]))
@pytest.mark.parametrize("n", [3, 5, 8, 40])
@pytest.mark.parametrize("axis", [1, 2, -2, -3])
def test_frequencies(standard: Bundle, opset: int, n: int, axis: int) -> None:
    """Of numpy, for onnxruntime's own are less exact; the axis is known at run time only."""
    x = np.random.default_rng(3).standard_normal((2, 5, 7, 2), np.float32)
    done = polyfill_libraries(parse(TRANSFORMS), [standard], target_of_opset(opset))
    found = session_of(done.model).run(None, {"x": x, "n": np.array(n), "axis": np.array(axis)})
    values, along = x[..., 0] + 1j * x[..., 1], axis % 4
    transformed = (np.fft.fft(values, n, along), np.fft.ifft(values, None, along), np.fft.irfft(values, n, along))
    for one, other in zip(found, transformed, strict=True):
        parts = np.stack([other.real, other.imag][: one.shape[-1]], -1)
        np.testing.assert_allclose(one, parts, rtol=1e-6, atol=1e-6)


FRAMES = """<ir_version: 8, opset_import: ["": 17]> g (float[A,B,1] x, float[L] window) => (float[A,F,K,2] y)
{ step = Constant<value_int = 3>() y = STFT(x, step, window) }"""


@pytest.mark.parametrize("opset", [13, 15, 16])
@pytest.mark.parametrize("length", [4, 7])
def test_frames(standard: Bundle, opset: int, length: int) -> None:
    random = np.random.default_rng(4)
    x, window = random.standard_normal((2, 20, 1), np.float32), random.random(length, np.float32)
    done = polyfill_libraries(parse(FRAMES), [standard], target_of_opset(opset))
    (found,) = session_of(done.model).run(None, {"x": x, "window": window})
    frames = np.stack([x[:, at : at + length, 0] * window for at in range(0, 20 - length + 1, 3)], 1)
    expected = np.fft.rfft(frames.astype(np.float64))
    np.testing.assert_allclose(found, np.stack([expected.real, expected.imag], -1), rtol=1e-6, atol=2e-6)


BANDS = """<ir_version: 8, opset_import: ["": 17]>
g (int64 bands, int32 length, int32 rate, float low, float high) => (float[F,B] y, int16[F,B] z)
{
  many = Cast<to = 6>(bands)
  y = MelWeightMatrix(many, length, rate, low, high)
  z = MelWeightMatrix<output_datatype = 5>(many, length, rate, low, high)
}"""


@pytest.mark.parametrize("opset", [13, 15, 16])
@pytest.mark.parametrize(
    ("bands", "length", "rate", "low", "high"),
    one_in(
        2,
        [
            (10, 512, 16000, 20, 7600),
            (80, 401, 16000, 0, 7999.5),
            (0, 16, 8000, 0, 4000),
            (3, 0, 8000, 0, 4000),
            (2, 1, 8000, 0, 3000),
            (9, 40, 8000, 3000, 500),
            *((5, 31, 8000, 250 * bin, 3900) for bin in range(14)),  # at the border of two bins
            (1, 159, 16000, 0, 700 * 7),  # at a third of the range too
            (4, 159, 16000, 0, 700 * 7),
        ],
    ),
)
def test_bands(standard: Bundle, opset: int, bands: int, length: int, rate: int, low: float, high: float) -> None:
    feeds = {"bands": np.array(bands), "length": np.array(length, np.int32), "rate": np.array(rate, np.int32)}
    feeds |= {"low": np.array(low, np.float32), "high": np.array(high, np.float32)}
    same_bits(parse(BANDS), standard, opset, **feeds)
