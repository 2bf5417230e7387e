"""What is in the golden libraries, whatever the format: read, and attached to models that run."""

from __future__ import annotations

import numpy as np
import onnx.parser
import onnxruntime
from onnx import FunctionProto
from opwright.bundle.format import Bundle
from opwright.link.apply import attach
from opwright.protos.canonical import canonicalise

IDENTITIES = ["com.acme::Bound@1", "com.acme::Gate@1", "com.acme::Gate@2", "com.acme::Map@1", "com.acme::Twice@1"]

_TWICE = """\
<ir_version: 8, opset_import: ["": 19, "com.acme": 2]>
agraph (double[2] x) => (double[2] y) { y = com.acme.Twice(x) }
"""
_BOUND = """\
<ir_version: 8, opset_import: ["": 17, "com.acme": 1]>
agraph (float[3] x, float high) => (float[3] y) { y = com.acme.Bound(x, , high) }
"""
_MAP = """\
<ir_version: 8, opset_import: ["": 21, "com.acme": 2]>
agraph (float[2] x, float[1] z) => (seq(float[N]) y) {
    s = SequenceConstruct(x, z)
    y = com.acme.Map <body = doubled (float[N] i) => (float[N] o) { o = Add(i, i) }> (s)
}
"""


def check_golden_library(bundle: Bundle) -> None:
    """Everything in it: entries, bodies, templates, and that bodies have the digests that name them."""
    index = bundle.index
    assert (index.library, index.version, index.package, index.opsets) == (
        "golden-ops",
        "1.0.0",
        "golden_ops",
        (17, 21),
    )
    assert [entry.identity for entry in index.functions] == IDENTITIES
    assert [len(entry.bodies) for entry in index.functions] == [4, 3, 6, 3, 6]
    assert [len(entry.templates) for entry in index.functions] == [0, 0, 0, 1, 0]
    assert {call.name for body in index.functions[-1].bodies for call in body.calls} == {"Gate"}
    assert set(bundle.bodies) == {body.body for entry in index.functions for body in entry.bodies}
    assert set(bundle.templates) == {item.template for entry in index.functions for item in entry.templates}
    for digest in bundle.bodies:
        found = canonicalise(FunctionProto.FromString(bundle.bodies[digest]), callees={})
        assert (found.digest, found.proto) == (digest, bundle.bodies[digest])


def check_attached(bundle: Bundle) -> None:
    """A call of a function that calls, a variant, and a template with a graph that the library has never seen."""
    x = np.array([1.0, -2.0])
    gate = [value / (1 + np.exp(-alpha * value)) for alpha in (1.0, 2.0) for value in x]
    assert np.allclose(_run(bundle, _TWICE, x=x), [gate[0] + gate[2], gate[1] + gate[3]])
    values = np.array([-3, 0, 7], np.float32)
    assert _run(bundle, _BOUND, x=values, high=np.array(4, np.float32)).tolist() == [-3, 0, 4]
    items = {"x": np.array([1.5, 2], np.float32), "z": np.array([-1], np.float32)}
    assert [item.tolist() for item in _run(bundle, _MAP, **items)] == [[3, 4], [-2]]


def _run(bundle: Bundle, text: str, **inputs: np.ndarray) -> np.ndarray:
    model = attach(onnx.parser.parse_model(text), bundle)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    found: np.ndarray = session.run(None, inputs)[0]
    return found
