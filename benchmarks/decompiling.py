"""What a model costs as Python text, for each node; the peer's plain mode beside it.

`python -m benchmarks.decompiling PACKAGE FILE` measures one of them, in a process of its own.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

from benchmarks.rows import OURS, PEER, REPETITIONS, ROOT, Row

_NODES = 10_000
_RUNS = 10


def decompiling(folder: Path) -> list[Row]:
    """A chain of operators with two inputs and with one, with attributes and without."""
    file = folder / "model.onnx"
    onnx.save(_model(), file)
    runs = [{package: 1e6 * _measured(package, file) for package in (OURS, PEER)} for _ in range(REPETITIONS)]
    ours, peer = (tuple(run[package] for run in runs) for package in (OURS, PEER))
    return [Row("ONNX to Python, for each node", "us", ours, peer, 0.25)]


def _model() -> onnx.ModelProto:
    nodes = []
    last = "x"
    for index in range(_NODES):
        made = f"v{index}"
        operator = ("Add", "Mul", "Relu", "Softmax", "Concat")[index % 5]
        inputs = [last, "y"] if operator in ("Add", "Mul") else [last]
        node = helper.make_node(operator, inputs, [made])
        if operator in ("Softmax", "Concat"):
            node.attribute.append(helper.make_attribute("axis", 0))
        nodes.append(node)
        last = made
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]) for name in ("x", "y", last)]
    graph = helper.make_graph(nodes, "chain", values[:2], values[2:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def _measured(package: str, file: Path) -> float:
    """Seconds of CPU for each node, the best of some runs."""
    command = (sys.executable, "-m", "benchmarks.decompiling", package, str(file))
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout))


# ----------------------------------------------------------------------------------------------- in the process


def measure(package: str, file: Path) -> float:
    model = onnx.load(file)
    decompile: Any = (
        import_module("opwright").decompile
        if package == OURS
        else import_module("onnxscript.backend.onnx_export").export2python
    )
    best = math.inf
    for _ in range(_RUNS):
        started = time.process_time()
        decompile(model)
        best = min(best, time.process_time() - started)
    return best / len(model.graph.node)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
