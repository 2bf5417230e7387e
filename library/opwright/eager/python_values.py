"""What Python gives to an operation, as the compiler takes it: tensors, arrays, numbers, lists, functions.

A function that is given as a graph attribute is compiled for the operator's inputs, and runs with it. What it reads of
the names around it is what these are when the operator is called: tensors among them become inputs of the model that
runs.
"""

from __future__ import annotations

import ast
from types import EllipsisType, FunctionType
from typing import Any

import numpy as np

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.eager import tensor as tensors
from opwright.eager.arrays import Data, data_of
from opwright.eager.eager_lowering import NOWHERE, EagerLowering, nested_too_deep
from opwright.eager.outcome import Captured
from opwright.eager.place import caller
from opwright.eager.settings import opset_in_force
from opwright.eager.tensor import Items, Tensor
from opwright.elements import ElementType, element_meant
from opwright.functions import OnnxFunction
from opwright.graphs.ndarrays import AXES, as_array, python_number
from opwright.lang import ir
from opwright.lang.lower.calls.template_calls import graph_outputs
from opwright.lang.lower.nodes.held_arrays import note_scalar
from opwright.lang.lower.numbers import number_operands
from opwright.lang.meaning.objects import (
    MISSING,
    ForeignObject,
    FunctionObject,
    ScriptObject,
    TypeObject,
)
from opwright.lang.meaning.operands import Operand
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Span
from opwright.lang.text.syntax import Module
from opwright.live.compiled import Run
from opwright.live.function_source import recover_helper
from opwright.live.live_scope import LiveScope
from opwright.live.reads import Reads


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
        return outputs_of(self.function)


def operand(low: EagerLowering, value: object, depth: int = 0) -> Operand:
    """A value of Python as the compiler would have it; what has no meaning is refused where it is used."""
    if isinstance(value, tensors.Tensor):
        made = low.value(value.data, value.type)
        if low.recording is not None:
            low.recording.operand(made)
        return made
    number = python_number(value) if isinstance(value, np.generic) else None
    if number is not None:
        return number
    if isinstance(value, (np.ndarray, np.generic)):
        made = low.array(value)
        if isinstance(value, np.generic):
            note_scalar(low, made, data_of(as_array(value)))
        if low.recording is not None:
            low.recording.operand(made)
        return made
    if isinstance(value, (list, tuple)):
        if depth == AXES:
            raise nested_too_deep(low, None)
        items = [operand(low, item, depth + 1) for item in value]
        return StaticList(items) if isinstance(value, list) else tuple(items)
    if isinstance(value, ElementType):
        return TypeObject(value)
    if isinstance(value, (FunctionType, GraphArgument)):
        return graph_operand(low, value.function if isinstance(value, GraphArgument) else value)
    if isinstance(value, (type, np.dtype)):
        element = element_meant(value)
        return ForeignObject(value) if element is None else TypeObject(element)
    if isinstance(value, Captured):
        low.error(
            "OW380",
            "a tensor that is there meets a value of a graph that is being built",
            None,
            reason="one is computed now, the other when the model runs",
            help="give the array instead of the tensor: `x + t.numpy()`",
        )
    if value is None or isinstance(value, (bool, int, float, str, bytes, range, EllipsisType)):
        return value
    return ForeignObject(value)


def sequence(low: EagerLowering, items: list[Any], element: ElementType | None = None) -> ir.Value:
    """A list of tensors as a sequence; numbers in it take the type of the first tensor. A list without tensors is one
    of `element`, or of what its numbers become; without items, of float32."""
    if low.recording is None and (plain := _plain_sequence(low, items)) is not None:
        return plain
    made = [operand(low, item) for item in items]
    known = next((item.type for item in made if isinstance(item, ir.Value)), None)
    if known is None and isinstance(items, tensors.Items):
        known = items.item
    if known is None:
        known = ir.TensorType(element or number_operands.shared_element(low, made) or low.element_of("float"))
    data: list[Data] = []
    for item in made:
        value = number_operands.as_tensor(low, item, known.element if isinstance(known, ir.TensorType) else None, None)
        assert isinstance(value, ir.Value)
        if not value.type.same_as(known):
            low.error(
                "OW315",
                f"a sequence holds tensors of one element type, not {known!r} and {value.type!r}",
                None,
                reason="ONNX defines no promotion between element types",
                help="cast one of them",
            )
        data.append(low.data[value])
    return low.value(data, ir.SequenceType(ir.TensorType(known.element) if isinstance(known, ir.TensorType) else known))


def _plain_sequence(low: EagerLowering, items: list[Any]) -> ir.Value | None:
    """A list of tensors of one element type, of which there may be thousands; None where something else is in it."""
    if not items or any(type(item) is not tensors.Tensor or item.other is not None for item in items):
        return None
    data: list[Data] = [item.data for item in items]
    if len({array.dtype for array in data}) > 1:
        return None
    return low.value(data, ir.SequenceType(ir.TensorType(items[0].dtype)))


# ------------------------------------------------------------------------------------------------- functions


def graph_function(low: EagerLowering, function: FunctionType) -> FunctionObject:
    """The function as the compiler takes it. DiagnosticError (OW351) where its source cannot be had."""
    found = recover_helper(function)
    if isinstance(found, Diagnostic):
        raise DiagnosticError([found])
    module, node = found
    return FunctionObject(_Around(low, function, module, node), node)


def graph_operand(low: EagerLowering, function: FunctionType | OnnxFunction) -> FunctionObject | ScriptObject:
    """A function as the compiler knows one that is passed on."""
    return _script_object(function) if isinstance(function, OnnxFunction) else graph_function(low, function)


def outputs_of(function: FunctionType | OnnxFunction) -> tuple[str, ...]:
    """The names of what a function returns. DiagnosticError (OW307) where its returns disagree."""
    low = EagerLowering(opset_in_force(), caller())
    found = graph_outputs(low, graph_operand(low, function), NOWHERE)
    assert isinstance(found, tuple)
    return found


def _script_object(function: OnnxFunction) -> ScriptObject:
    run = Run(opset_in_force())
    return ScriptObject(
        function.name, lambda opset: run.compile(function).script, lambda key: run.without_sizes(function, key)
    )


class _Around(LiveScope):
    """The free names of a function that is called within an operation: they may be eager tensors."""

    def __init__(self, low: EagerLowering, function: FunctionType, module: Module, node: ast.FunctionDef) -> None:
        super().__init__(function, module, node, low.report, _script_object, Reads())
        self.low = low

    def meaning(self, value: Any, name: str, span: Span, depth: int = 0) -> Any:
        if isinstance(value, Tensor):
            return operand(self.low, value)
        if isinstance(value, Items):
            return sequence(self.low, value)
        if isinstance(value, GraphArgument):
            return operand(self.low, value)
        if isinstance(value, Captured):
            self._fail(
                "OW380",
                f"`{name}` is a value of a graph that is being built",
                span,
                "the operator is given none of its values, so that it would run now, and that graph is run later",
                "record the operator in the graph: call it in `with b.scope():`, where `b` is the builder",
            )
            return MISSING
        return super().meaning(value, name, span, depth)

    def _helper(self, function: FunctionType) -> Any:
        return operand(self.low, function)
