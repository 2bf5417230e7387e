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
@pytest.mark.parametrize("opset", [13, 18, 19, 20])
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
