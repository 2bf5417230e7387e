"""Runs models with onnxruntime, where nothing else is installed, and compares with numpy: `runtime.py X.npy FOLDER`."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import onnxruntime

for package in ("opwright", "onnx", "acme_ops"):
    assert importlib.util.find_spec(package) is None, package
x = np.load(sys.argv[1])
for path in sorted(Path(sys.argv[2]).glob("*.onnx")):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (entry,) = session.get_inputs()
    for rows in (4, 1):
        given = x[:rows]
        swished = given / (1 + np.exp(-2 * given))
        (found,) = session.run(None, {entry.name: given})
        np.testing.assert_allclose(found, swished * np.tanh(np.logaddexp(0, swished)), rtol=1e-5, atol=1e-6)
    print("right", path.name)
