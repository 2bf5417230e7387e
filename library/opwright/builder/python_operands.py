"""Values of Python as the compiler has them, and what the compiler gives as values of Python."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from types import EllipsisType, FunctionType
from typing import Any, cast

import numpy as np

from opwright.builder.graph_values import Shape, Value
from opwright.builder.recorder import Recorder
from opwright.eager.arrays import data_of
from opwright.eager.eager_lowering import NOWHERE, nested_too_deep
from opwright.eager.tensor import Items, Tensor
from opwright.elements import ElementType, element_meant
from opwright.graphs.ndarrays import AXES, as_array, element_of, is_masked, python_number
from opwright.lang import ir
from opwright.lang.lower.nodes.held_arrays import note_scalar
from opwright.lang.lower.nodes.primitives import Writer
from opwright.lang.lower.values.annotated import wrapped
from opwright.lang.lower.values.shapes import static_sizes
from opwright.lang.lower.values.subscripts import SliceItem
from opwright.lang.meaning.objects import ArrayObject, ForeignObject, TracedObject, TypeObject
from opwright.lang.meaning.operands import Arguments, IntTuple, Operand
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Span
from opwright.live.evaluated_annotations import read_object
from opwright.live.reads import ARRAY_BYTES

_PARAMETER = inspect.Parameter


def refuse_mask(recorder: Recorder, value: object, text: str) -> None:
    """Raises DiagnosticError (OW325) for an array with a mask, which would be dropped."""
    if is_masked(value):
        reason, help = "no operator looks at masks", "give a plain array: `x.filled(value)`"
        raise recorder.low.error("OW325", text, None, reason, help)


def operand_of(recorder: Recorder, value: object, depth: int = 0) -> Operand:
    """What an argument means. DiagnosticError (OW380) for a value of another graph, or of one that is closed."""
    low = recorder.low
    if isinstance(value, (Value, Shape)):
        return _own(recorder, value)
    if isinstance(value, Tensor) and isinstance(value.data, np.ndarray):
        return _array(recorder, value.data)
    number = python_number(value) if isinstance(value, np.generic) else None
    if number is not None:
        return number
    refuse_mask(recorder, value, "a masked array is not a tensor")
    if isinstance(value, (np.ndarray, np.generic)):
        made = _array(recorder, as_array(value))
        if isinstance(value, np.generic) and isinstance(made, ir.Value):
            note_scalar(low, made, data_of(as_array(value)))
        return made
    if isinstance(value, (list, tuple)) and depth == AXES:
        raise nested_too_deep(low, None)
    if isinstance(value, tuple):
        return tuple([operand_of(recorder, item, depth + 1) for item in value])
    if isinstance(value, Items) and not value and isinstance(value.item, ir.TensorType):
        known = ir.settle(value.item.element)
        assert isinstance(known, ElementType)  # no variables where operators run
        return Writer(low, None).sequence_empty(known)
    if isinstance(value, list):
        return StaticList([operand_of(recorder, item, depth + 1) for item in value])
    if isinstance(value, ElementType):
        return TypeObject(value)
    if isinstance(value, (type, np.dtype)):
        element = element_meant(value)
        return ForeignObject(value) if element is None else TypeObject(element)
    if value is None or isinstance(value, (bool, int, float, str, range, EllipsisType)):
        return value
    if callable(value):
        return _traced(recorder, value)
    raise low.error(
        "OW352",
        f"a {type(value).__name__} cannot be part of a graph",
        None,
        reason="arguments are values of the graph, arrays, numbers, strings, types, lists of them and functions",
        help="give its contents",
    )


def _own(recorder: Recorder, value: Value | Shape) -> Operand:
    low, inner = recorder.low, value.inner
    if value.capturing is not recorder.owner:
        raise low.error(
            "OW380",
            f"{_named(inner)} is of another graph",
            None,
            reason="each GraphBuilder makes a separate model",
            help="build both parts with one builder, or make it an input of this one",
        )
    made = inner.owner or inner.value if isinstance(inner, IntTuple) else inner
    if made is not None and not low.has(made):
        raise low.error(
            "OW380",
            f"{_named(inner)} is not in the graph any more",
            None,
            reason="the step that made it has been taken back: it failed, or its nested graph was made again, of other "
            "types",
            help="make it before, outside of the function",
        )
    if made is not None and not low.is_visible(made):
        raise low.error(
            "OW380",
            f"{_named(inner)} was made in a nested graph that is closed",
            None,
            reason="a graph that is given to If, Loop, Scan or SequenceMap hands out what it returns, and nothing else",
            help="return it from the function, and use the operator's result",
        )
    return inner


def _named(inner: ir.Value | IntTuple) -> str:
    value = inner.owner or inner.value if isinstance(inner, IntTuple) else inner
    return f"`{value.name}`" if value is not None and value.name else "a value"


def _array(recorder: Recorder, array: np.ndarray[Any, Any]) -> Operand:
    if element_of(array) is None:
        recorder.low.error("OW325", f"an array of {array.dtype} is not a tensor", None, "ONNX has no such element type")
    if array.nbytes > ARRAY_BYTES:
        return recorder.keep_array(array)
    return recorder.low.constant(data_of(array), None)


# ------------------------------------------------------------------------------------------ functions as graphs


def _traced(recorder: Recorder, function: Callable[..., Any]) -> TracedObject:
    """A function that an operator takes as a graph: run once, on the graph's parameters."""
    low = recorder.low
    name = str(getattr(function, "__name__", type(function).__name__))

    def run(parameters: list[Any]) -> Operand:
        found = _call(recorder, function, name, parameters)
        returned = found if isinstance(found, tuple) else () if found is None else (found,)
        return tuple(operand_of(recorder, item) for item in returned)

    arguments = ast.arguments([], [], ast.arg("values"), [], [], None, [])
    return TracedObject(low.own_frame.scope, ast.FunctionDef(name, arguments, [], [], None, None), run)


def _call(recorder: Recorder, function: Callable[..., Any], name: str, parameters: list[ir.Value]) -> Any:
    low = recorder.low
    values = [result_of(recorder, item) for item in parameters]
    try:
        signature = inspect.signature(function)
        bound = signature.bind(*values)
    except (TypeError, ValueError) as error:
        raise low.error(
            "OW356",
            f"`{name}` is given {len(parameters)} values",
            None,
            reason=f"Python says: {error}",
            help="give it one parameter for each",
        ) from None
    if parameters == low.region.parameters:  # else it is called like a helper
        names = [item.name for item in signature.parameters.values() if item.kind is not _PARAMETER.VAR_POSITIONAL]
        for parameter, given in zip(parameters, names, strict=False):
            parameter.name = given
        low.enter(low.region)
    frame = low.frame
    try:
        return function(*bound.args, **bound.kwargs)
    finally:
        low.frame = frame


# ---------------------------------------------------------------------------------------------------- arguments


def arguments_of(
    recorder: Recorder,
    attributes: Collection[str] | None,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    count: int | None = None,
) -> Arguments:
    """The arguments of a call. `attributes` are those that the callee has, None where every keyword is one; `count`
    says to how many names its value is unpacked."""
    keywords: dict[str, tuple[Operand, Span]] = {}
    for name, value in kwargs.items():
        is_attribute = attributes is None or name in attributes
        if is_attribute and isinstance(value, np.ndarray) and element_of(as_array(value)) is not None:
            refuse_mask(recorder, value, f"`{name}` is a masked array")
            keywords[name] = (ArrayObject(data_of(as_array(value))), NOWHERE)
        else:
            keywords[name] = (operand_of(recorder, value), NOWHERE)
    positional: list[tuple[Operand, Span]] = [(operand_of(recorder, value), NOWHERE) for value in args]
    return Arguments(positional, keywords, count, NOWHERE, NOWHERE)


def index_of(recorder: Recorder, key: object) -> list[Operand]:
    """What stands between the brackets, in order."""
    parts = key if isinstance(key, tuple) else (key,)
    return [
        SliceItem(*(operand_of(recorder, item) for item in (part.start, part.stop, part.step)))
        if isinstance(part, slice)
        else operand_of(recorder, part)
        for part in parts
    ]


def result_of(recorder: Recorder, found: Operand) -> Any:
    """What an operation gives to Python."""
    if isinstance(found, ir.Value):
        return Value(recorder.owner, found)
    if isinstance(found, StaticList):
        return [result_of(recorder, item) for item in found]
    if isinstance(found, tuple):
        return tuple(result_of(recorder, item) for item in found)
    if isinstance(found, IntTuple):
        sizes = static_sizes(found)
        return Shape(recorder.owner, found) if sizes is None else tuple(sizes)
    if isinstance(found, TypeObject):
        return found.element
    return found


def annotation_of(recorder: Recorder, annotation: object, what: str) -> ir.Type:
    """`FLOAT["N", 4]`, `Sequence[FLOAT[...]]` as a type. DiagnosticError (OW354) for anything else."""
    found = read_object(annotation, _AROUND)
    tensor = None if found is None or found.kind is not None else found.tensor
    if tensor is None or len(tensor.elements) != 1 or isinstance(annotation, str):
        recorder.low.error(
            "OW354",
            f"{what} has no type",
            None,
            reason=f"it is given as {annotation!r}",
            help='write one element type and the sizes: `FLOAT["N", 4]`, `Sequence[INT64[...]]`',
        )
    assert tensor is not None
    made: ir.Type = ir.TensorType(tensor.elements[0], tensor.shape)
    for wrap in reversed(tensor.wrap):
        made = wrapped(wrap, made)
    return made


def _around() -> Any:
    """The names around it are those in which an annotation that is a text would be read."""


_AROUND = cast(FunctionType, _around)
