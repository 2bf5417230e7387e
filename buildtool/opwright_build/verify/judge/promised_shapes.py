"""The shapes that an interface promises, of the values of a case: what contradicts them, and what results must have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opwright.bundle.call_interface import Sizes, inputs_of_call
from opwright.bundle.format import FunctionEntry, InputEntry, OutputEntry, Shape

from opwright_build.verify.case_model import Answer, Array, Case, ExpectedItems, Items, Value
from opwright_build.verify.items import parts_of, tensors_of


@dataclass(frozen=True, slots=True)
class WrongShape:
    """A value that is not as declared. `path` is that of its key in a row and in the spec, `inputs.X`."""

    path: str
    text: str
    declared: Shape


def wrong_input(entry: FunctionEntry, inputs: Sequence[Value | None]) -> WrongShape | None:
    """The first input that is not as declared."""
    return next(_wrong_inputs(entry, inputs, Sizes()), None)


def promised_shapes(entry: FunctionEntry, case: Case) -> tuple[Shape | None, ...]:
    """What results must have by position, the sizes of the case's inputs filled in; empty where nothing is promised."""
    if all(item.declared_shape is None for item in entry.outputs):
        return ()
    sizes = Sizes()
    if next(_wrong_inputs(entry, case.inputs, sizes), None) is not None:
        return ()  # a case that is to fail
    shapes = [None if (shape := item.declared_shape) is None else sizes.filled(shape) for item in entry.outputs]
    more = len(case.expected or ()) - len(entry.outputs)
    return (*shapes, *shapes[-1:] * more)


def wrong_answer(entry: FunctionEntry, case: Case) -> WrongShape | None:
    """The first output that a case expects and that is not as declared."""
    sizes = Sizes()
    for shape, answer, item in zip(case.shapes, case.expected or (), _outputs(entry, case), strict=False):
        text = _wrong_value(sizes, item, shape, [part.array for part in parts_of(answer)], _is_sequence(answer))
        if shape is not None and text:
            return WrongShape(f"outputs.{item.name}", text, shape)
    return None


def wrong_result(names: Sequence[str], shapes: Sequence[Shape | None], actual: Sequence[Value]) -> str:
    """How the first result that is not as promised is wrong; empty where all are as promised."""
    sizes = Sizes()
    for name, shape, value in zip(names, shapes, actual, strict=False):
        for array in tensors_of(value):
            check = sizes.item_contradiction if isinstance(value, Items) else sizes.contradiction
            text = check(name, shape, array.shape)
            if text:
                return f"{name} {text}"
    return ""


def _wrong_inputs(entry: FunctionEntry, inputs: Sequence[Value | None], sizes: Sizes) -> Iterator[WrongShape]:
    for formal, value in zip(inputs_of_call(entry, len(inputs)), inputs, strict=False):
        shape = formal.declared_shape
        text = _wrong_value(sizes, formal, shape, tensors_of(value), isinstance(value, Items))
        if shape is not None and text:
            name = formal.name
            if entry.inputs[-1].variadic and name not in {item.name for item in entry.inputs}:
                name = entry.inputs[-1].name
            yield WrongShape(f"inputs.{name}", text, shape)


def _wrong_value(
    sizes: Sizes, item: InputEntry | OutputEntry, shape: Shape | None, arrays: Sequence[Array], sequence: bool
) -> str:
    check = sizes.item_contradiction if sequence else sizes.contradiction
    for array in arrays:
        text = check(item.name, shape, array.shape)
        if text:
            return f"{item.name} {text}"
    return ""


def _outputs(entry: FunctionEntry, case: Case) -> Sequence[OutputEntry]:
    return (*entry.outputs, *entry.outputs[-1:] * (len(case.expected or ()) - len(entry.outputs)))


def _is_sequence(answer: Answer | None) -> bool:
    return isinstance(answer, ExpectedItems)
