"""Models of torch that onnxruntime's own tools quantise, and that it fuses when it optimises."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import onnx
import onnxruntime
from onnx import ModelProto
from onnxruntime import quantization as q
from opwright.graphs.walk import all_nodes

from tests.models.model import Feeds, GivenModel


class Calibration(q.CalibrationDataReader):  # type: ignore[misc]
    def __init__(self, feeds: Sequence[Feeds]) -> None:
        self.left = list(feeds)

    def get_next(self) -> Any:
        return self.left.pop() if self.left else None


def models(plain: Sequence[GivenModel]) -> Iterator[GivenModel]:
    """Of some models of torch what the tools make."""
    for item in plain:
        for kind, make in KINDS.items():
            if item.name in TAKEN[kind]:
                with tempfile.TemporaryDirectory() as folder:
                    source, target = Path(folder, "model.onnx"), Path(folder, "made.onnx")
                    onnx.save(item.model, source)
                    make(source, target, item.feeds)
                    made: ModelProto = onnx.load(target)
                yield GivenModel("fused" if kind == "fused" else "quantised", f"{item.name}_{kind}", made, item.feeds)


def optimised(plain: Sequence[GivenModel]) -> Iterator[GivenModel]:
    """What onnxruntime makes of models when it optimises them, where it has put operators of its own there."""
    for item in plain:
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder, "model.onnx"), Path(folder, "made.onnx")
            onnx.save(item.model, source)
            fused(source, target, item.feeds)
            made = onnx.load(target)
        if any(node.domain == "com.microsoft" for node in all_nodes(made.graph.node)) and is_valid(made):
            yield GivenModel("fused", f"{item.name}_fused", made, item.feeds)


def is_valid(model: ModelProto) -> bool:
    """Whether it is ONNX still: some are not, once they are optimised."""
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError:
        return False
    return True


def dynamic(source: Path, target: Path, feeds: Sequence[Feeds]) -> None:
    q.quantize_dynamic(source, target)


def qdq(source: Path, target: Path, feeds: Sequence[Feeds]) -> None:
    q.quantize_static(source, target, Calibration(feeds), quant_format=q.QuantFormat.QDQ, per_channel=True)


def qoperator(source: Path, target: Path, feeds: Sequence[Feeds]) -> None:
    q.quantize_static(source, target, Calibration(feeds), quant_format=q.QuantFormat.QOperator)


def int16(source: Path, target: Path, feeds: Sequence[Feeds]) -> None:
    options = {"ActivationSymmetric": True}
    types = {"activation_type": q.QuantType.QInt16, "weight_type": q.QuantType.QInt8}
    q.quantize_static(
        source, target, Calibration(feeds), quant_format=q.QuantFormat.QDQ, extra_options=options, **types
    )


def fused(source: Path, target: Path, feeds: Sequence[Feeds]) -> None:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(target)
    onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


logging.getLogger().setLevel(logging.ERROR)
KINDS = {"dynamic": dynamic, "qdq": qdq, "qoperator": qoperator, "int16": int16, "fused": fused}
TAKEN = {
    "dynamic": (
        "torch_encoder_dynamo_open",
        "torch_lstm_script_open",
        "torch_resnet_script_open",
        "torch_cached_script_open",
    ),
    "qdq": (
        "torch_resnet_dynamo_fixed",
        "torch_resnet_dynamo_open",
        "torch_encoder_dynamo_fixed",
        "torch_inverted_script_fixed",
    ),
    "qoperator": ("torch_resnet_dynamo_fixed", "torch_unet_script_open"),
    "int16": ("torch_inverted_script_open",),
    "fused": (
        "torch_encoder_dynamo_open",
        "torch_encoder_script_fixed",
        "torch_resnet_script_open",
        "torch_rotary_dynamo_open",
        "torch_cached_dynamo_open",
    ),
}
