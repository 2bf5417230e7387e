"""Programs through torch's exporters, and models through onnxruntime."""

from __future__ import annotations

import tempfile
import warnings
from typing import Any

import onnx
import onnxruntime
import torch

LEVELS = {
    "off": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "full": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}


def exported(module: torch.nn.Module, inputs: tuple[torch.Tensor, ...], shapes: Any) -> torch.export.ExportedProgram:
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.export(module, inputs, dynamic_shapes=shapes, strict=False)


def export(program: torch.export.ExportedProgram, table: Any) -> Any:
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.onnx.export(program, dynamo=True, custom_translation_table=table, verbose=False)


def session(model: onnx.ModelProto, level: Any, written: str = "") -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.optimized_model_filepath = written
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def optimised_nodes(model: onnx.ModelProto) -> int:
    """How many nodes are left after onnxruntime's basic optimisation, those of branches among them."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.onnx"
        session(model, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC, path)
        graph = onnx.load(path).graph
    return _count(graph)


def _count(graph: onnx.GraphProto) -> int:
    inner = (item.g for node in graph.node for item in node.attribute if item.type == onnx.AttributeProto.GRAPH)
    return sum(node.op_type != "Constant" for node in graph.node) + sum(map(_count, inner))
