"""Loads the models of `kernel_probes.py` and prints, as JSON, what this onnxruntime takes. Needs onnxruntime alone.

`python load_probes.py FOLDER`
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import onnxruntime as ort

IMPORT = b"\x42\x04\x0a\x00\x10"  # an import of the default domain, but for its version, as onnx writes it
IR = b"\x08"
ANY = b"\x01"
OPSETS, IR_VERSIONS = range(13, 100), range(3, 100)


def refusal(model: bytes) -> str:
    """What onnxruntime says when it does not load a model; empty when it does."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions have no base class of their own
        return str(error)
    return ""


def stamped(model: bytes, opset: int, ir_version: int = 3) -> bytes:
    """A model of the probes at that opset and IR version; both are numbers of one byte in protobuf."""
    assert model.count(IMPORT + ANY) == 1 and model.startswith(IR + b"\x03")
    return IR + bytes([ir_version]) + model[2:].replace(IMPORT + ANY, IMPORT + bytes([opset]))


def newest(models: dict[int, bytes]) -> int:
    """The greatest number up to which all models are loaded."""
    best = 0
    for number, model in models.items():
        if refusal(model):
            break
        best = number
    return best


def measure(folder: Path) -> dict[str, Any]:
    """The newest opset and IR version that are taken, and the probes of which every form lacks a kernel."""
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    plain = next(item for item in index if item["operator"] == "Relu" and item["types"] == {"T": "float"})
    relu = (folder / plain["file"]).read_bytes()
    opset = newest({number: stamped(relu, number) for number in OPSETS})
    ir_version = newest({number: stamped(relu, plain["first"], number) for number in IR_VERSIONS})
    lacking: dict[str, bool] = {}
    for item in index:
        if item["first"] > opset:
            continue
        model = stamped((folder / item["file"]).read_bytes(), min(opset, item["last"]))
        text = refusal(model)
        key = json.dumps({name: item[name] for name in ("operator", "since_version", "types")})
        missing = "Could not find an implementation" in text
        lacking[key] = lacking.get(key, True) and missing
    return {
        "release": ".".join(ort.__version__.split(".")[:2]),
        "opset": opset,
        "ir_version": ir_version,
        "measured": ort.__version__,
        "missing": [json.loads(key) for key, missing in lacking.items() if missing],
    }


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
