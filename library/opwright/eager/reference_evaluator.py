"""onnx's own reference evaluator as an evaluator of single nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from opwright.eager.arrays import Data
from opwright.eager.messages import one_line
from opwright.eager.node_models import Task
from opwright.eager.outcome import Failed, NoKernel, Session
from opwright.opsets.records import OPTIONAL, record_of


class ReferenceEvaluator:
    """Runs a node on `onnx.reference`: every operator and type that it knows, at any opset, slowly."""

    def load(self, task: Task) -> Session:
        """Raises NoKernel."""
        from onnx.reference import ReferenceEvaluator as Evaluator

        from opwright.graphs.left_out import leave_out_defaults

        model = task.model(task.opsets()[1])
        leave_out_defaults(model)
        try:
            return _Session(Evaluator(model), task.name)
        except Exception as error:  # the evaluator raises errors of several modules
            raise NoKernel(f"the reference evaluator: {one_line(error)}") from None


class _Session:
    def __init__(self, evaluator: Any, name: str) -> None:
        self._evaluator = evaluator
        self._divides = record_of("", name).divides
        self._is_optional = name == OPTIONAL.name

    def run(self, data: Sequence[Data]) -> list[Data]:
        if self._divides and data[-1].dtype.kind in "iu" and not data[-1].all():
            raise Failed("integer division by zero")  # of which numpy makes 0
        feeds = {f"i{index}": item for index, item in enumerate(data)}
        try:
            with np.errstate(all="ignore"):
                found = self._evaluator.run(None, feeds)
        except NotImplementedError as error:
            raise NoKernel(f"the reference evaluator: {one_line(error)}") from None
        except Exception as error:  # as above
            raise Failed(one_line(error)) from None
        if self._is_optional:  # the evaluator gives it in a list, which no other of its operators takes off
            found = [item[0] for item in found]
        return [_as_data(item) for item in found]


def _as_data(found: Any) -> Data:
    if found is None:
        return None
    return [_as_data(item) for item in found] if isinstance(found, list) else np.asarray(found)
