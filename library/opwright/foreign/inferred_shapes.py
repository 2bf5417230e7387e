"""Shapes that a model does not say: noted on a node, or from ONNX's own inference."""

from __future__ import annotations

import json
from collections.abc import Sequence

from onnx import ModelProto, NodeProto, TypeProto, ValueInfoProto

from opwright.graphs.model_inference import infer_model
from opwright.link.check import without_weights
from opwright.link.propagate import Shape, Visit

SHAPES = "opwright.shapes"  # in the metadata of a node: what is known of the shapes of its inputs, until it is linked


def note_shapes(node: NodeProto, shapes: Sequence[Shape | None]) -> None:
    """Keeps the shapes of a node's inputs in it, for models that have no place for types of values."""
    node.metadata_props.add(key=SHAPES, value=json.dumps(shapes))


def noted_shapes(node: NodeProto) -> dict[int, Shape]:
    """What `note_shapes` has kept, by position; nothing where the text is of another kind."""
    text = next((item.value for item in node.metadata_props if item.key == SHAPES), "[]")
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(found, list):
        return {}
    shapes = {index: tuple(sizes) for index, sizes in enumerate(found) if isinstance(sizes, list)}
    return {index: sizes for index, sizes in shapes.items() if all(size is None or type(size) is int for size in sizes)}


def sizes_of(type_: TypeProto) -> Shape | None:
    """The shape of a tensor, as far as it is numbers; None where the rank is not known."""
    if not type_.tensor_type.HasField("shape"):
        return None
    dims = type_.tensor_type.shape.dim
    return tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in dims)


class InferredShapes:
    """Shapes of the values of a model's graph, inferred when one is asked for and again when more has become known."""

    def __init__(self, model: ModelProto) -> None:
        self._model = model
        self._added: dict[str, TypeProto] = {}
        self._found: dict[str, Shape | None] | None = None

    def add(self, name: str, type_: TypeProto) -> None:
        """Says what a node gives that inference knows nothing of."""
        self._added[name] = type_
        self._found = None

    def shape(self, name: str, visit: Visit) -> Shape | None:
        """The shape of a value that a node sees; None for one of an inner graph or of a function."""
        scope = visit.scope
        while scope is not None and name not in scope.values:
            scope = scope.outer
        if scope is None or scope.outer is not None or scope.function is not None:
            return None
        if self._found is None:
            self._found = self._infer()
        return self._found.get(name)

    def _infer(self) -> dict[str, Shape | None]:
        model = ModelProto()
        model.CopyFrom(without_weights(self._model))
        declared = {value.name for value in (*model.graph.input, *model.graph.output, *model.graph.value_info)}
        added = {name: type_ for name, type_ in self._added.items() if name not in declared}
        model.graph.value_info.extend(ValueInfoProto(name=name, type=type_) for name, type_ in added.items())
        graph = infer_model(model, data_prop=True)
        if graph is None:  # why is told when the model is checked
            return {}
        return {value.name: sizes_of(value.type) for value in (*graph.input, *graph.value_info, *graph.output)}
