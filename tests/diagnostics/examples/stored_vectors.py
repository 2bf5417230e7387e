"""OW152 to OW155, and OW424: vectors that are stored as tensors."""

from __future__ import annotations

import io
import json

import numpy as np

from tests.diagnostics.examples import Example, Pair

_SPEC = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X), for each element.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml, SOURCE]
reference: reference.py
"""
_FOLDER = "specs/com.acme/Swish"
_MODEL = """\
<ir_version: 8, opset_import: ["com.acme": 1, "": 18]>
g (float[1] X) => (float[1] Y) {
  Y = com.acme.Swish <ATTRIBUTE = 1.0> (X)
}
"""
_ZERO = "080110012204 00000000"  # one float: 0.0


def _archive(data: str) -> Example:
    spec = _SPEC.replace("SOURCE", "stored.npz")
    return Example("vectors", {f"{_FOLDER}/spec.yaml": spec, f"{_FOLDER}/stored.npz.hex": data})


def _stated(output: object) -> Example:
    """Swish with one stored call alone, whose output is that."""
    zero = np.zeros(1, np.float32)
    calls = [{"name": "zero", "inputs": {"X": {"array": "x", "type": "float"}}, "outputs": {"Y": output}}]
    stream = io.BytesIO()
    np.savez(stream, calls=np.array(json.dumps({"schema": 1, "calls": calls})), x=zero)
    spec = _SPEC.replace("vectors.yaml, SOURCE", "stored.npz").replace("float, double", "float")
    spec = spec.replace("reference: reference.py\n", "")
    files = {f"{_FOLDER}/spec.yaml": spec, f"{_FOLDER}/stored.npz.hex": stream.getvalue().hex()}
    return Example("test", files)


def _directory(attribute: str, values: str = _ZERO) -> Example:
    files = {
        f"{_FOLDER}/spec.yaml": _SPEC.replace("SOURCE", "stored/"),
        f"{_FOLDER}/stored/model.onnx.txt": _MODEL.replace("ATTRIBUTE", attribute),
        f"{_FOLDER}/stored/test_data_set_0/input_0.pb.hex": values,
        f"{_FOLDER}/stored/test_data_set_0/output_0.pb.hex": _ZERO,
    }
    return Example("vectors", files)


def _function(attributes: str) -> Example:
    text = (
        f"from opwright import opset18 as op\n\n\ndef Swish(X, {attributes}):\n    return X * op.Sigmoid(alpha * X)\n"
    )
    return Example("build", {"specs/com.acme/Swish/function.py": text})


PAIRS: tuple[Pair, ...] = (
    Pair("OW152", bad=_archive("4e 50 5a"), good=Example("vectors")),
    Pair("OW153", bad=_directory("alpha", "ff"), good=_directory("alpha")),
    Pair("OW154", bad=_directory("beta"), good=_directory("alpha")),
    Pair("OW424", bad=_stated(None), good=_stated({"array": "x", "type": "float"})),
    Pair("OW155", bad=_function("alpha: float = 1.0, beta: int = 2"), good=_function("alpha: float = 1.0")),
)
