"""Syntax tree to IR: one function, for one opset and one set of facts."""

from opwright.lang.lower.context import LookedUp, NeedsFact
from opwright.lang.lower.function import Lowered, Target, Unit, evaluate_static, lower_function

__all__ = ["LookedUp", "Lowered", "NeedsFact", "Target", "Unit", "evaluate_static", "lower_function"]
