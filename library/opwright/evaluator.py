"""What runs operators: `with evaluator.default_as(evaluator.ReferenceEvaluator()): ...`.

An evaluator is any object with `load(task)` (see `Evaluator`); one that captures takes the calls themselves
(`Capturing`). What is set holds for the thread or asyncio task that sets it.
"""

from opwright.eager.ort import OnnxRuntime
from opwright.eager.outcome import Capturing, Evaluator, Failed, NoKernel
from opwright.eager.reference_evaluator import ReferenceEvaluator
from opwright.eager.settings import default_as

__all__ = ["Capturing", "Evaluator", "Failed", "NoKernel", "OnnxRuntime", "ReferenceEvaluator", "default_as"]
