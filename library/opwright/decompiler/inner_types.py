"""Types that a model declares of the values inside it, as far as they say more than inference finds.

Runtimes fuse nodes by them: what nothing else says must be in the text. The rest would be noise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice

from onnx import GraphProto, ModelProto, TensorProto, TypeProto, helper

from opwright.decompiler.annotation_text import annotation
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.graphs.walk import all_graphs
from opwright.link.inferred_parts import MADE_UP, inferred_graphs

MOST_BYTES = 4096  # of a tensor whose elements inference may want: a shape, axes


def declared_beyond_inference(model: ModelProto, inner: Iterable[GraphProto], faithful: bool) -> dict[str, TypeProto]:
    """The types by name; `inner` are the graphs inside the model's. Those of names that stand for several values are
    left out, and those that inference finds to be wrong. `faithful`: the graphs inside say the types that they have,
    too.
    """
    graphs = (model.graph, *inner)
    declared = {value.name: value.type for graph in graphs for value in graph.value_info}
    if not declared:
        return {}
    makers = Counter(name for graph in graphs for node in graph.node for name in node.output)
    found = _inferred(model, makers, faithful)
    return {
        name: type_
        for name, type_ in declared.items()
        if makers[name] == 1 and name in found and _says_more(type_, found[name])
    }


def annotations_of(types: Mapping[str, TypeProto], used: set[str]) -> dict[str, str]:
    """The types as annotations; names that they need are added to `used`. What no annotation says is left out."""
    found: dict[str, str] = {}
    for name, type_ in types.items():
        try:
            found[name] = annotation(type_, used, name)
        except DiagnosticError:
            continue
    return found


def _inferred(model: ModelProto, made_by_nodes: Iterable[str], faithful: bool) -> dict[str, TypeProto | None]:
    """The types of what nodes give, as ONNX finds them from those of inputs and outputs; None where it finds none."""
    made = without_weights(model)
    forget_types(made, declared=not faithful)
    found: dict[str, TypeProto | None] = dict.fromkeys(made_by_nodes)
    for inferred in inferred_graphs(made):
        for inner in all_graphs(inferred):
            for value in inner.value_info:
                found[value.name] = value.type
    for value in model.graph.output:
        found.pop(value.name, None)  # whose types stand at the function
    return found


def without_weights(model: ModelProto) -> ModelProto:
    """A copy that inference finds as much of, without types of values in the graph, and tensors that take space."""
    made = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import, functions=model.functions)
    graph = made.graph
    graph.input.extend(model.graph.input)
    given = {item.name for item in graph.input}
    for tensor in model.graph.initializer:
        if tensor.data_location != TensorProto.EXTERNAL and tensor.ByteSize() <= MOST_BYTES:
            graph.initializer.append(tensor)
        elif tensor.name not in given:
            graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))
    graph.output.extend(model.graph.output)
    graph.node.extend(model.graph.node)
    return made


def forget_types(model: ModelProto, declared: bool = True) -> None:
    """Takes out the types of values in the graphs inside the model's, and the shapes that these are `declared` to take
    and give."""
    for inner in islice(all_graphs(model.graph), 1, None):
        del inner.value_info[:]
        for value in (*inner.input, *inner.output) if declared else ():
            if value.type.HasField("tensor_type"):
                value.type.tensor_type.ClearField("shape")


def _says_more(type_: TypeProto, found: TypeProto | None) -> bool:
    if type_ == found:
        return False  # most of them
    if found is None or not found.HasField("tensor_type"):
        return found is None or not found.WhichOneof("value")
    tensor, known = type_.tensor_type, found.tensor_type
    if not type_.HasField("tensor_type") or tensor.elem_type != known.elem_type or not tensor.HasField("shape"):
        return False
    if not known.HasField("shape"):
        return True
    if len(tensor.shape.dim) != len(known.shape.dim):
        return False
    pairs = list(zip(tensor.shape.dim, known.shape.dim, strict=True))
    if any(own.HasField("dim_value") and other.HasField("dim_value") and own != other for own, other in pairs):
        return False
    return any(
        own.WhichOneof("value") is not None
        and not other.HasField("dim_value")
        and (own.HasField("dim_value") or own.dim_param != other.dim_param)
        and not (own.dim_param.startswith(MADE_UP) and other.dim_param.startswith(MADE_UP))
        for own, other in pairs
    )
