"""Types that a model declares of the values inside it, as far as they say more than inference finds.

Runtimes fuse nodes by them: what nothing else says must be in the text. The rest would be noise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from onnx import GraphProto, ModelProto, TensorProto, TypeProto, ValueInfoProto, helper

from opwright.decompiler.annotation_text import annotation
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.graphs.walk import all_graphs
from opwright.link.inferred_parts import MADE_UP, inferred_graphs

MOST_BYTES = 4096  # of a tensor whose elements inference may want: a shape, axes


def declares_types(graphs: Iterable[GraphProto]) -> bool:
    """Whether one of the graphs declares the type of a value inside. Of other models nothing is inferred, which takes
    longer than all the rest."""
    return any(graph.value_info for graph in graphs)


def inferred_anew(model: ModelProto, inner: Sequence[GraphProto], declared: bool = True) -> list[GraphProto]:
    """The model's graph, in parts, and those inside, with the types that ONNX finds from those of the inputs. `inner`
    are the graphs inside the model's; where they are not to be inferred anew, the types that they are `declared` to
    take and give count."""
    made = without_weights(model)
    for value in made.graph.output:
        value.type.CopyFrom(without_shape(value.type))
    if not inner:
        return [*inferred_graphs(made)]
    forget_types(made, declared=declared)
    return [graph for part in inferred_graphs(made) for graph in all_graphs(part)]


def declared_beyond_inference(
    model: ModelProto, inner: Sequence[GraphProto], inferred: Iterable[GraphProto], faithful: bool
) -> dict[str, TypeProto]:
    """The types by name; `inner` are the graphs inside the model's, `inferred` all of them with the types that follow.
    Those of names that stand for several values are left out, and those that inference finds to be wrong. `faithful`:
    the graphs inside say the types that they have, too."""
    graphs = (model.graph, *inner)
    declared = {value.name: value.type for graph in graphs for value in graph.value_info}
    if not declared:
        return {}
    if faithful and inner:
        inferred = inferred_anew(model, inner, declared=False)
    makers = Counter(name for graph in graphs for node in graph.node for name in node.output)
    found: dict[str, TypeProto | None] = dict.fromkeys(makers)
    found.update((value.name, value.type) for graph in inferred for value in graph.value_info)
    for value in model.graph.output:
        found.pop(value.name, None)  # whose types stand at the function
    return {
        name: type_
        for name, type_ in declared.items()
        if makers[name] == 1 and name in found and _says_more(type_, found[name])
    }


def wrongly_declared(model: ModelProto, inner: Sequence[GraphProto], inferred: Iterable[GraphProto]) -> set[str]:
    """The names of outputs, and of what the graphs `inner` inside the model's take and give, that are declared with
    other shapes than the `inferred` graphs have without them. Runtimes take such a model, and the compiler does not
    take such annotations."""
    found = {value.name: value.type for value in _interfaces(inferred)}
    return {
        value.name
        for value in _interfaces((model.graph, *inner))
        if value.name in found and _contradicts(value.type.tensor_type, found[value.name].tensor_type)
    }


def _interfaces(graphs: Iterable[GraphProto]) -> Iterator[ValueInfoProto]:
    """What the graphs take and give."""
    return (value for graph in graphs for value in (*graph.input, *graph.output))


def _contradicts(declared: TypeProto.Tensor, found: TypeProto.Tensor) -> bool:
    if not declared.HasField("shape") or not found.HasField("shape"):
        return False
    return len(declared.shape.dim) != len(found.shape.dim) or any(
        one.HasField("dim_value") and other.HasField("dim_value") and one.dim_value != other.dim_value
        for one, other in zip(declared.shape.dim, found.shape.dim, strict=True)
    )


def annotations_of(types: Mapping[str, TypeProto], used: set[str]) -> dict[str, str]:
    """The types as annotations; names that they need are added to `used`. What no annotation says is left out."""
    found: dict[str, str] = {}
    for name, type_ in types.items():
        try:
            found[name] = annotation(type_, used, name)
        except DiagnosticError:
            continue
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
            value.type.CopyFrom(without_shape(value.type))


def without_shape(type_: TypeProto) -> TypeProto:
    """A type of which nothing is said but the element type, where it is one of tensors."""
    made = TypeProto()
    made.CopyFrom(type_)
    if made.HasField("tensor_type"):
        made.tensor_type.ClearField("shape")
    return made


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
    if _contradicts(tensor, known):
        return False
    return any(
        own.WhichOneof("value") is not None
        and not other.HasField("dim_value")
        and (own.HasField("dim_value") or own.dim_param != other.dim_param)
        and not (own.dim_param.startswith(MADE_UP) and other.dim_param.startswith(MADE_UP))
        for own, other in zip(tensor.shape.dim, known.shape.dim, strict=True)
    )
