"""Functions that import an older opset than the model: what their nodes meant there is what they compute afterwards."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest
from opwright.diagnostics import DiagnosticError
from opwright.downlevel.rewrite import polyfill_libraries
from opwright.downlevel.target import target_of_opset

from tests.downlevel.standard_cases import session_of
from tests.link.conftest import LibraryBuilder

NOTHING = LibraryBuilder().bundle()
X = np.linspace(-3, 3, 2 * 4 * 6 * 6, dtype=np.float32).reshape(2, 4, 6, 6)
X[0, 0, 0, :3] = np.inf, -np.inf, np.nan
IMAGE = "float[2,4,6,6]"
UP = [
    # node, its opset, output
    ("y = Clip<min = -1.0, max = 0.5>(x)", 10, "float[N,M,K,L]"),
    ("y = Clip<max = 0.5>(x)", 10, "float[N,M,K,L]"),
    ("y = Clip(x)", 7, "float[N,M,K,L]"),
    ("y = Pad<pads = [0, 0, 1, -1, 0, 0, 2, 1], value = 1.5>(x)", 10, "float[N,M,K,L]"),
    ('y = Pad<pads = [0, 0, 1, 1, 0, 0, 2, 1], mode = "reflect">(x)', 10, "float[N,M,K,L]"),
    ("y = Slice<starts = [1, -9], ends = [9, 4], axes = [1, 3]>(x)", 9, "float[N,M,K,L]"),
    ("y = Slice<starts = [1], ends = [9]>(x)", 9, "float[N,M,K,L]"),
    ("y, i = TopK<k = 2>(x)", 9, "float[N,M,K,L]"),
    ("y = Dropout<ratio = 0.3>(x)", 10, "float[N,M,K,L]"),
    ('y = Upsample<scales = [1.0, 1.0, 2.0, 1.5], mode = "nearest">(x)', 8, "float[N,M,K,L]"),
    ('y = Upsample<scales = [1.0, 1.0, 2.0, 1.5], mode = "linear">(x)', 7, "float[N,M,K,L]"),
    ('s = Constant<value = float[4] {1.0, 1.0, 1.5, 0.5}>() y = Resize<mode = "linear">(x, s)', 10, "float[N,M,K,L]"),
    ('s = Constant<value = float[4] {1.0, 1.0, 1.7, 2.3}>() y = Resize<mode = "nearest">(x, s)', 10, "float[N,M,K,L]"),
    ("i = Constant<value = int64[1,1,1,2] {3, 1}>() u = Constant<value = float[1,1,1,2] {7.0, 8.0}>() "
     "y = Scatter<axis = 3>(x, i, u)", 10, "float[N,M,K,L]"),
    ("y = Softmax<axis = 2>(x)", 12, "float[N,M,K,L]"),
    ("y = LogSoftmax(x)", 12, "float[N,M,K,L]"),
    ("y = Hardmax<axis = 0>(x)", 12, "float[N,M,K,L]"),
    ("y = ReduceSum<axes = [1, -1], keepdims = 0>(x)", 12, "float[N,M]"),
    ("a = Unsqueeze<axes = [0, 2]>(x) y = Squeeze<axes = [0]>(a)", 12, "float[N,M,K,L,P]"),
    ("a, y = Split<axis = 1, split = [1, 3]>(x)", 12, "float[N,M,K,L]"),
]  # fmt: skip


def lifted(node: str, version: int, output: str) -> onnx.ModelProto:
    """The nodes in a function of their own opset, in a model of 18, brought to 17 and inlined."""
    text = f"""<ir_version: 8, opset_import: ["": 18, "my": 1]> g ({IMAGE} x) => ({output} y) {{ y = my.F(x) }}
    <domain: "my", opset_import: ["": {version}]> F (x) => (y) {{ {node} }}"""
    return polyfill_libraries(onnx.parser.parse_model(text), [NOTHING], target_of_opset(17), inline=True).model


@pytest.mark.parametrize(("node", "version", "output"), UP)
def test_older_nodes_compute_what_they_did(node: str, version: int, output: str) -> None:
    text = f'<ir_version: 7, opset_import: ["": {version}]> g ({IMAGE} x) => ({output} y) {{ {node} }}'
    x = np.nan_to_num(X) if "max" in node and "Clip" not in node else X
    before, after = (
        session_of(model).run(None, {"x": x})[0]
        for model in (onnx.parser.parse_model(text), lifted(node, version, output))
    )
    assert (before.dtype, before.shape, before.tobytes()) == (after.dtype, after.shape, after.tobytes())


@pytest.mark.parametrize(
    ("node", "version", "reason"),
    [
        ("a, b = Dropout(x) y = Cast<to = 1>(b)", 11, "mask"),
        (
            's = Constant<value = float[4] {1.0, 1.0, 0.5, 2.0}>() y = Resize<mode = "nearest">(x, s)',
            10,
            "nearest neighbours",
        ),
    ],
)
def test_others_are_refused(node: str, version: int, reason: str) -> None:
    with pytest.raises(DiagnosticError, match=reason):
        lifted(node, version, "float[N,M,K,L]")
