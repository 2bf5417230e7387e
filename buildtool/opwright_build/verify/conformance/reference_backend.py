"""onnx's reference evaluator as a backend: onnx itself has one in its tests alone."""

from __future__ import annotations

from typing import Any

from onnx import ModelProto
from onnx.backend.base import Backend, BackendRep
from onnx.reference import ReferenceEvaluator
from opwright.graphs.left_out import leave_out_defaults

from opwright_build.verify.run.models import inlined


class _Prepared(BackendRep):
    def __init__(self, evaluator: ReferenceEvaluator) -> None:
        self._evaluator = evaluator

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        feeds = dict(zip(map(str, self._evaluator.input_names), inputs, strict=True))
        return tuple(self._evaluator.run(None, feeds))


class ReferenceBackend(Backend):
    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> BackendRep:
        """As `opwright test` runs it: inlined, and without attributes at their defaults that it does not take."""
        flat = inlined(model)
        leave_out_defaults(flat)
        return _Prepared(ReferenceEvaluator(flat))

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device == "CPU"
