"""Functions behind the operators of PyTorch: `torch.onnx.export(..., custom_translation_table=translations({...}))`,
then `link(program)`.

Imported on request alone: it needs torch, and onnxscript, which torch's exporter needs.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from onnxscript import evaluator, ir

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Related
from opwright.eager.settings import default_as
from opwright.foreign.callables import by_name, no_function
from opwright.foreign.link import last_line, link
from opwright.foreign.recorded_nodes import NodeRecorder
from opwright.functions import OnnxFunction
from opwright.packaged import LibraryFunction

__all__ = ["link", "translations"]

_TORCH = str(Path(str(torch.__file__)).parent)


def translations(table: Mapping[Any, Any]) -> dict[Any, Callable[..., Any]]:
    """The `custom_translation_table` of `torch.onnx.export`: functions by the operators of torch that they stand for.

    A value is a function under `@script`, one of a library, or any Python that takes what the operator takes and calls
    such functions, or operators of opwright, with it. In the program such a call is a node of the function's own
    domain; `link` gives the program the functions. A call that is wrong is a DiagnosticError at the line of the
    module, around which torch puts its own; DiagnosticError (OW683) for a value that cannot be called.
    """
    return {operator: _translation(function) for operator, function in table.items()}


def _translation(function: Any) -> Callable[..., Any]:
    if not callable(function):
        raise DiagnosticError([no_function(function)])

    def translate(*given: Any, **named: Any) -> Any:
        args: Sequence[Any] = given
        kwargs: Mapping[str, Any] = named
        # torch runs this within its own evaluator of onnxscript, which has the nodes of the operator.
        recorder: Any = evaluator.default()
        values = [value for value in args if isinstance(value, ir.Value)]
        tensor: Any = type(values[0]) if values else ir.Value
        new = tensor if tensor is ir.Value else lambda: tensor(recorder.opset)
        capturing = NodeRecorder(recorder.nodes.append, new, recorder.opset.version)
        try:
            with default_as(capturing):
                if isinstance(function, OnnxFunction):  # torch gives by position what ONNX has as attributes
                    args, kwargs = by_name(function, args, kwargs)
                if isinstance(function, OnnxFunction | LibraryFunction):
                    return capturing.call_function(function, args, kwargs)
                return function(*args, **kwargs)
        except DiagnosticError as error:
            raise DiagnosticError(_at_module(error.diagnostics)) from None

    translate.__name__ = str(getattr(function, "__name__", None) or getattr(function, "name", "translate"))
    return translate


def _at_module(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Findings at the line of the module; those in Python of the user's stay there, and name that line too."""
    line = _line_of_module()
    if line is None:
        return list(found)
    return [
        replace(item, place=line)
        if item.place is None or item.place.file.startswith(_TORCH)
        else replace(item, related=(*item.related, Related(line, "the module calls it here")))
        for item in found
    ]


def _line_of_module() -> Place | None:
    """The line whose operator is being translated: what torch keeps in the node that it is at."""
    frame = sys._getframe(1).f_back
    while frame is not None:
        node = frame.f_locals.get("node")
        if node is not None and isinstance(node, torch.fx.Node):
            return last_line(str(node.meta.get("stack_trace", "")))
        frame = frame.f_back
    return None
