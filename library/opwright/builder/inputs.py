"""The interface of a model that is being built: inputs, initializers, outputs."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import numpy as np
from onnx import TensorProto, numpy_helper

from opwright.builder.graph_values import Value
from opwright.builder.initializer_data import Kept
from opwright.builder.python_operands import annotation_of, operand_of, refuse_mask
from opwright.builder.recorder import Recorder
from opwright.eager.place import place_of
from opwright.elements import ElementType
from opwright.graphs.ndarrays import element_of
from opwright.lang import ir
from opwright.lang.lower.numbers.number_operands import as_tensor
from opwright.lang.lower.values.annotated import meet_shapes
from opwright.lang.lower.values.sequences import as_sequence, unknown_items
from opwright.lang.meaning.operands import Operand
from opwright.lang.meaning.static import StaticList
from opwright.live.reads import ARRAY_BYTES


class Interface:
    """Adds to what a recorder holds. Findings are raised at the author's line."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    @property
    def low(self) -> Any:
        return self.recorder.low

    def add_input(self, name: str, annotation: object) -> Value:
        value = ir.Value(annotation_of(self.recorder, annotation, f"the input `{name}`"), name)
        self._take(name, "input")
        self.recorder.add_input(name, value)
        return Value(self.recorder.owner, value)

    def add_initializer(self, name: str, given: object, location: str | None, offset: int) -> Value:
        kept = self._kept(name, given) if location is None else self._in_file(name, given, location, offset)
        self._take(name, "initializer")
        return Value(self.recorder.owner, self.recorder.add_kept(name, kept))

    def _kept(self, name: str, given: Any) -> Kept:
        refuse_mask(self.recorder, given, f"the initializer `{name}` is a masked array")
        try:
            array = numpy_helper.to_array(given) if isinstance(given, TensorProto) else np.asarray(given)
            kept = Kept.of_array(array)
            return kept.watched(place_of(self.low.frame)) if array.nbytes > ARRAY_BYTES else kept.copied()
        except ValueError as error:
            self.low.error(
                "OW354",
                f"the initializer `{name}` is not a tensor",
                None,
                reason=str(error),
                help="give a numpy array of an element type that ONNX has, or a type and the file: `location=...`",
            )
            raise AssertionError from error

    def _in_file(self, name: str, given: object, location: str, offset: int) -> Kept:
        type_ = annotation_of(self.recorder, given, f"the initializer `{name}`")
        place = PurePath(location)
        if place.is_absolute() or ".." in place.parts or not place.parts or "\0" in location:
            self.low.error(
                "OW572",
                f"the initializer `{name}` cannot stand in {location!r}",
                None,
                reason="runtimes read the files of a model in its own folder",
                help="name a file next to the model, or below its folder",
            )
        shape = type_.shape if isinstance(type_, ir.TensorType) else None
        element = type_.element if isinstance(type_, ir.TensorType) else None
        sizes = tuple(size for size in shape or () if isinstance(size, int))
        if shape is None or len(sizes) < len(shape) or not isinstance(element, ElementType) or offset < 0:
            self.low.error(
                "OW354",
                f"the initializer `{name}` has no size",
                None,
                reason=f"it is {type_!r}, at byte {offset} of {location}",
                help="write all sizes: `FLOAT[1000, 1000]`",
            )
        assert isinstance(element, ElementType)
        return Kept(element, sizes, None, location, offset)

    def add_unmade(self, array: Any) -> Value:
        """A value of an array's type, without its sizes."""
        element = element_of(array)
        if element is None:
            self.low.error("OW325", f"an array of {array.dtype} is not a tensor", None, "ONNX has no such element type")
        assert element is not None
        value = ir.Value(ir.TensorType(element, (None,) * array.ndim))
        value.name = self.low.names.fresh("given", value)
        self.low.add_unmade(value)
        return Value(self.recorder.owner, value)

    def add_output(self, name: str, given: object, annotation: object) -> None:
        operand = operand_of(self.recorder, given)
        value = self._as_value(name, operand)
        if self.low.region is not self.low.function.body:
            self.low.error(
                "OW380",
                f"the output `{name}` is given within a nested graph",
                None,
                reason="outputs are of the whole model",
                help="return the value from the function, and give the operator's result as output",
            )
        trail = self.low.trail
        met = None
        if annotation is not None:
            met = self._met(name, value, annotation_of(self.recorder, annotation, f"the output `{name}`"))
        self._take(name, "output")
        if met is not None:
            value.retype(met, trail)
        own = value.name in self.recorder.inputs or value.name in self.recorder.kept
        if not own and value not in self.recorder.outputs.values():
            value.rename(name, trail)
        trail.put(self.recorder.outputs, name, value)

    def _as_value(self, name: str, operand: Operand) -> ir.Value:
        if isinstance(operand, StaticList):
            made = as_sequence(self.low, operand, unknown_items(), (0, 0, 0, 0))
        elif operand is None:
            raise self.low.error(
                "OW306", f"the output `{name}` has no value", None, "None is given", "give a value of the graph"
            )
        else:
            made = as_tensor(self.low, operand, None, None)
        return made

    def _met(self, name: str, value: ir.Value, wanted: ir.Type) -> ir.Type:
        found = value.type
        met = meet_shapes(found, wanted) if wanted.unify(found, self.low.trail) else None
        if met is None:
            self.low.error(
                "OW210",
                f"the output `{name}` is declared {wanted!r}, and is {found!r}",
                None,
                reason="an output has the type that the graph gives it",
                help="cast it, or change the declared type",
            )
        assert met is not None
        return met

    def _take(self, name: str, what: str) -> None:
        """Refuses a name that an input, an initializer or an output has."""
        if not isinstance(name, str) or not name or not self.low.names.give_up(name):
            self._taken(name, what)
        self.low.names.take(name)

    def _taken(self, name: str, what: str) -> None:
        self.low.error(
            "OW383",
            f"the {what} cannot be called `{name}`",
            None,
            reason="a name is a text that is not empty"
            if not isinstance(name, str) or not name
            else "another input, initializer or output has that name",
            help="take another name",
        )
