"""Types that the compiler's own rules leave open, found by ONNX's inference over the few nodes that are in question."""

from __future__ import annotations

from onnx import ModelProto, TensorShapeProto, TypeProto

from opwright.builder.emission import emit_named, renamed
from opwright.builder.recorded_model import add_functions, closure_of
from opwright.builder.recorder import Recorder
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.elements import BY_CODE, BY_NAME
from opwright.graphs.model_inference import infer_model
from opwright.lang import ir
from opwright.lang.emit import write_tensor, write_type
from opwright.model.finish import MADE_UP, lowest_ir_version
from opwright.model.survey import Survey


def infer_value(recorder: Recorder, value: ir.Value) -> None:
    """Completes the type of a value, and of those that it is computed from, as far as ONNX knows them.

    Goes back to values whose types are known, or have been asked for before: all questions together look at a node
    once. What a branch or a loop gives stays open: its shape may be another one on another path.
    """
    low = recorder.low
    if value in recorder.asked or is_complete(value.type):
        return
    makers = low.makers
    given: dict[ir.Value, None] = {}
    nodes: dict[ir.Node, None] = {}
    pending = [value]
    while pending:
        current = pending.pop()
        maker = makers.get(current)
        is_given = current in recorder.asked or (current is not value and _says_all(current.type))
        if maker is None or is_given or isinstance(maker, (ir.If, ir.Loop)) or maker.regions():
            given[current] = None
        elif maker not in nodes:
            nodes[maker] = None
            pending.extend(maker.read())
    made = {result for node in nodes for result in node.made()}
    for item in made:
        low.trail.add(recorder.asked, item)
    if not made or not all(item.type.is_known for item in given if item not in made):
        return
    names = {item: f"given_{index}" for index, item in enumerate(item for item in given if item not in made)}
    model = ModelProto()
    model.graph.name = "question"
    for item, name in names.items():
        if item in low.contents:
            write_tensor(model.graph.initializer.add(name=name), low.contents[item])
        else:
            write_type(model.graph.input.add(name=name), item.type)
    in_order = sorted(nodes, key=low.order.__getitem__)
    names |= renamed(in_order, set(names.values()))
    closure = closure_of(recorder)
    imports = emit_named(recorder, in_order, {}, model.graph, closure.identify, names)
    try:
        add_functions(recorder, model, closure, imports)
        model.ir_version = lowest_ir_version(model, Survey(model))
    except (DiagnosticError, RuntimeError, ValueError):
        return  # the question stays open; what is wrong is found when the model is made
    inferred = infer_model(model, data_prop=True)
    if inferred is None:
        return  # likewise
    known = {item.name: item.type for item in (*inferred.value_info, *inferred.output)}
    for item in made:
        found = known.get(names.get(item, item.name))
        if found is not None:
            item.retype(_refined(item.type, found), low.trail)


def is_complete(type_: ir.Type) -> bool:
    """Whether it is known, of a tensor with all sizes."""
    return has_rank(type_) and not (isinstance(type_, ir.TensorType) and None in (type_.shape or ()))


def _says_all(type_: ir.Type) -> bool:
    """Whether a value that has the type need not be followed: what a list of sizes holds decides shapes, too."""
    sizes = isinstance(type_, ir.TensorType) and type_.rank == 1 and type_.element is BY_NAME["int64"]
    return is_complete(type_) and not sizes


def has_rank(type_: ir.Type) -> bool:
    """Whether it is known, of a tensor with its rank."""
    return not isinstance(type_, ir.UnknownType) and not (isinstance(type_, ir.TensorType) and type_.shape is None)


def _refined(type_: ir.Type, found: TypeProto) -> ir.Type:
    """A type refined by what ONNX infers."""
    if not found.HasField("tensor_type") or found.tensor_type.elem_type not in BY_CODE:
        return _sequence(found) if isinstance(type_, ir.UnknownType) else type_
    tensor = found.tensor_type
    if not isinstance(type_, (ir.TensorType, ir.UnknownType)):
        return type_
    shape: tuple[ir.Dimension, ...] | None = None
    if tensor.HasField("shape"):
        shape = tuple(map(_size, tensor.shape.dim))
    element = type_.element if isinstance(type_, ir.TensorType) else BY_CODE[tensor.elem_type]
    if isinstance(type_, ir.TensorType) and type_.shape is not None:
        if shape is None or len(shape) != len(type_.shape):
            return type_
        shape = tuple(other if one is None else one for one, other in zip(type_.shape, shape, strict=True))
    return ir.TensorType(element, shape)


def _size(found: TensorShapeProto.Dimension) -> ir.Dimension:
    """A number, or a symbol that the author has given."""
    if found.HasField("dim_value"):
        return int(found.dim_value)
    return found.dim_param if found.dim_param and not found.dim_param.startswith(MADE_UP) else None


def _sequence(found: TypeProto) -> ir.Type:
    item = found.sequence_type.elem_type
    if found.HasField("sequence_type") and item.tensor_type.elem_type in BY_CODE:
        return ir.SequenceType(ir.TensorType(BY_CODE[item.tensor_type.elem_type]))
    return ir.UnknownType()
