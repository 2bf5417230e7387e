"""Whether two models give the same bits on onnxruntime without optimisation: `equal.py X.npy ONE.onnx OTHER.onnx`."""

import sys

import numpy as np
import onnxruntime

x = np.load(sys.argv[1])
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
found = []
for path in sys.argv[2:]:
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (entry,) = session.get_inputs()
    found.append(session.run(None, {entry.name: x})[0].tobytes())
print("the same bits" if len(set(found)) == 1 else "other bits")
