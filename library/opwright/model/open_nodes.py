"""Nodes that ONNX's inference refuses only because it knows too little of what goes into them.

A list of sizes of unknown length is one of none to it (see `node_inference` of the lowering). Such a node is no
fault of a model, and must not hide the faults that there are: the model is asked about once more, as if each of these
nodes were given something of a shape that it takes.
"""

from __future__ import annotations

from collections.abc import Mapping

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, helper

from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.elements import BY_CODE
from opwright.graphs.inline import inline_model
from opwright.graphs.model_inference import infer_model
from opwright.graphs.walk import subgraphs
from opwright.lang.lower.nodes.node_inference import InputType, completed, completions, infer, lengths_of
from opwright.opsets.domains import normal_domain
from opwright.opsets.onnx_inference import Refused
from opwright.opsets.records import CONSTANT, RESHAPE
from opwright.opsets.signatures import signature

_RESHAPE_TAKES_A_LIST = 5  # since that opset
_ANY = "opwright.any_shape"


def with_completed_nodes(model: ModelProto) -> ModelProto | None:
    """A model to be asked about in place of this one, of which inference may know more; None where there is none: all
    that it refuses is wrong. Functions are inlined in it."""
    versions = {normal_domain(item.domain): item.version for item in model.opset_import}
    if versions.get("", 0) < _RESHAPE_TAKES_A_LIST:
        return None
    made = ModelProto()
    made.CopyFrom(model)
    try:
        inline_model(made)
    except (DiagnosticError, ValueError, RuntimeError):
        return None
    inferred = infer_model(made)
    if inferred is None:
        return None
    made.graph.CopyFrom(inferred)
    completer = _Completer(versions)
    completer.graph(made.graph, {}, {})
    if not completer.found:
        return None
    made.graph.input.append(helper.make_tensor_value_info(_ANY, TensorProto.INT64, [_ANY]))
    return made


class _Completer:
    """Puts a `Reshape` before inputs that are to be of a known shape, and behind what a node gives then, of whose shape
    nothing is to be known."""

    def __init__(self, versions: Mapping[str, int]) -> None:
        self.versions = versions
        self.found = 0

    def graph(self, graph: GraphProto, types: Mapping[str, TypeProto], contents: Mapping[str, TensorProto]) -> None:
        """Rewrites a graph. `types` and `contents` are those of the values around it."""
        known = {**types, **{item.name: item.type for item in (*graph.value_info, *graph.output, *graph.input)}}
        tensors = {**contents, **{item.name: item for item in graph.initializer}}
        for item in graph.initializer:
            known[item.name] = helper.make_tensor_type_proto(item.data_type, list(item.dims))
        nodes: list[NodeProto] = []
        for node in graph.node:
            inner = list(subgraphs(node))
            for nested in inner:
                self.graph(nested, known, tensors)
            if CONSTANT.describes(node) and node.attribute[0].name == "value":
                tensors[node.output[0]] = node.attribute[0].t
            nodes.extend([node] if inner else self._node(node, known, tensors))
        del graph.node[:]
        graph.node.extend(nodes)

    def _node(
        self, node: NodeProto, known: dict[str, TypeProto], contents: Mapping[str, TensorProto]
    ) -> list[NodeProto]:
        """What stands in the place of a node; the types of its results are known from then on."""
        domain = normal_domain(node.domain)
        found = signature(domain, node.op_type, self.versions.get(domain, 1))
        types = [_input_type(known.get(name)) if name else None for name in node.input]
        if found is None or any(name and type_ is None for name, type_ in zip(node.input, types, strict=True)):
            return [node]
        data = [contents.get(name) for name in node.input]
        version = found.since_version
        try:
            made = infer(node, domain, version, types, data)
        except Refused:
            pass
        else:
            for name, type_ in made.items():
                known.setdefault(name, type_)  # in a graph with a fault, inference of the whole says nothing
            return [node]
        for shapes in completions(types, lengths_of(node, data)):
            try:
                made = infer(node, domain, version, completed(types, shapes), data)
            except Refused:
                continue
            for type_ in made.values():
                type_.tensor_type.ClearField("shape")
            known.update(made)
            return self._completed(node, shapes)
        return [node]

    def _completed(self, node: NodeProto, shapes: Mapping[int, tuple[int, ...]]) -> list[NodeProto]:
        """The node between those that say of which shapes its inputs are, and that nothing is known of its results."""
        self.found += 1
        before, after = [], []
        for index, shape in shapes.items():
            name = f"{_ANY}.{self.found}.{index}"
            sizes = helper.make_tensor("", TensorProto.INT64, [len(shape)], shape)
            before.append(helper.make_node(CONSTANT.name, [], [f"{name}.shape"], value=sizes))
            before.append(helper.make_node(RESHAPE.name, [node.input[index], f"{name}.shape"], [name]))
            node.input[index] = name
        for index, result in enumerate(node.output):
            if result:
                node.output[index] = f"{_ANY}.{self.found}.result.{index}"
                after.append(helper.make_node(RESHAPE.name, [node.output[index], _ANY], [result]))
        return [*before, node, *after]


def _input_type(type_: TypeProto | None) -> InputType | None:
    """A tensor's type; None where it is not known, or of something else."""
    if type_ is None or not type_.HasField("tensor_type") or type_.tensor_type.elem_type not in BY_CODE:
        return None
    tensor = type_.tensor_type
    if not tensor.HasField("shape"):
        return tensor.elem_type, None
    return tensor.elem_type, tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim)
