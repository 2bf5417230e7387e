"""What the body of a function sees of a function that it is given as a graph attribute."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from opwright.functions import OnnxFunction


class GraphArgument:
    """Callable like the function; `outputs` are the names of what it returns."""

    __slots__ = ("function",)

    def __init__(self, function: FunctionType | OnnxFunction) -> None:
        self.function = function

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """DiagnosticError (OW307) where the function's returns disagree."""
        from opwright.eager.graph_operands import outputs_of

        return outputs_of(self.function)
