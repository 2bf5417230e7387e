"""Models of one node: a function of a library, called in the domain that it is emitted in, ready for any runtime."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from onnx import (
    AttributeProto,
    FunctionProto,
    ModelProto,
    NodeProto,
    TensorShapeProto,
    TypeProto,
    ValueInfoProto,
    helper,
    inliner,
)
from opwright.bundle.call_interface import ANY, inputs_of_call, outputs_of, split_type
from opwright.bundle.format import BodyEntry, FunctionEntry
from opwright.elements import element
from opwright.graphs.inlined_names import keep_apart

from opwright_build.verify.case_model import Case, Items, Value
from opwright_build.verify.cases.bindings import resolve_type
from opwright_build.verify.items import type_of, type_of_answer

AttributeValue = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Signature:
    """How a body is called: one per session, shared by every case of the same one.

    `inputs` are the body's own, in its order: (type, rank), None where absent; a type is `float` or `seq(float)`, and a
    rank that is None is not told to the runtime. `attributes` holds every one that the body reads and that has a value,
    as (name, ONNX attribute type, value): nothing is left to a default, because not every runtime reads defaults.
    `outputs` are types, empty where the interface leaves one open and no expected values are known. `declared` are the
    ranks that the interface promises of the inputs, where it does of any: every model that may call it tells them.
    """

    inputs: tuple[tuple[str, int | None] | None, ...]
    attributes: tuple[tuple[str, str, AttributeValue], ...]
    outputs: tuple[str, ...]
    declared: tuple[int | None, ...] = ()

    def without_ranks(self) -> Signature:
        """The signature with no ranks but those that the interface promises."""
        ranks = self.declared or (None,) * len(self.inputs)
        inputs = tuple(None if item is None else (item[0], rank) for item, rank in zip(self.inputs, ranks, strict=True))
        return Signature(inputs, self.attributes, self.outputs, self.declared)


def signature_of(entry: FunctionEntry, body: BodyEntry, case: Case) -> Signature:
    """The call that a case makes of a body."""
    declared = inputs_of_call(entry, len(case.inputs))
    kept = [index for index, item in enumerate(declared) if item.name in body.inputs]
    inputs: list[tuple[str, int | None] | None] = []
    for index in kept:
        value = case.inputs[index] if index < len(case.inputs) else None
        if value is None:
            inputs.append(None)
            continue
        kind = declared[index].type
        kind = type_of(value) if kind == ANY else resolve_type(case.bindings, kind)
        inputs.append((kind, None if isinstance(value, Items) else value.ndim))
    attributes: list[tuple[str, str, AttributeValue]] = []
    for attribute in entry.attributes:
        value = case.attributes.get(attribute.name, attribute.default)
        if attribute.name in body.attributes and value is not None:
            attributes.append((attribute.name, attribute.type, tuple(value) if isinstance(value, list) else value))
    outputs = [_output_type(case, index, kind) for index, kind in enumerate(output_types(entry, body))]
    ranks = tuple(
        given[1] if given is not None and given[1] == declared[index].rank else None
        for index, given in zip(kept, inputs, strict=True)
    )
    told = ranks if any(rank is not None for rank in ranks) else ()
    return Signature(tuple(inputs), tuple(attributes), tuple(outputs), told)


def _output_type(case: Case, index: int, declared: str) -> str:
    if split_type(declared)[1] != ANY:
        return resolve_type(case.bindings, declared)
    answer = case.expected[index] if case.expected is not None and index < len(case.expected) else None
    return "" if answer is None else type_of_answer(answer)


def taken_by(entry: FunctionEntry, body: BodyEntry, case: Case) -> tuple[int, ...]:
    """Which inputs of a case the body takes, those absent left out: the feeds of its model, in order."""
    names = set(body.inputs)
    pairs = zip(inputs_of_call(entry, len(case.inputs)), case.inputs, strict=False)
    return tuple(index for index, (declared, value) in enumerate(pairs) if declared.name in names and value is not None)


def arguments_of(entry: FunctionEntry, body: BodyEntry, case: Case) -> tuple[Value, ...]:
    """The values of a case that the body takes."""
    return tuple(value for index in taken_by(entry, body, case) if (value := case.inputs[index]) is not None)


def output_types(entry: FunctionEntry, body: BodyEntry) -> list[str]:
    """The declared type of each output of a body."""
    kinds = [output.type for output in entry.outputs]
    return kinds + kinds[-1:] * (len(outputs_of(entry, body)) - len(kinds))


def one_node_model(functions: Sequence[FunctionProto], signature: Signature, opset: int) -> ModelProto:
    """A model whose one node calls the last of the functions. Feeds are `x0`.., those present alone; results `y0`.."""
    return model_of_calls([(functions, signature)], opset)


def model_of_calls(calls: Sequence[tuple[Sequence[FunctionProto], Signature]], opset: int) -> ModelProto:
    """A model with a node for each call, in order; feeds and results of all are numbered through.

    Functions of one name are one function, so they must be equal, and so must what they import other domains at.
    """
    feeds: list[ValueInfoProto] = []
    results: list[ValueInfoProto] = []
    nodes: list[NodeProto] = []
    functions: dict[tuple[str, str, str], FunctionProto] = {}
    imports: dict[str, int] = {}
    for closure, signature in calls:
        called = closure[-1]
        names: list[str] = []
        for declared in signature.inputs:
            name = "" if declared is None else f"x{len(feeds)}"
            names.append(name)
            if declared is not None:
                feeds.append(_value_info(name, declared[0], declared[1]))
        own = [_value_info(f"y{len(results) + index}", kind, None) for index, kind in enumerate(signature.outputs)]
        results += own
        node = NodeProto(op_type=called.name, domain=called.domain, overload=called.overload, input=names)
        node.output.extend(result.name for result in own)
        node.attribute.extend(_attribute(*attribute) for attribute in signature.attributes)
        nodes.append(node)
        for function in closure:
            functions.setdefault((function.domain, function.name, function.overload), function)
            imports |= {item.domain: item.version for item in function.opset_import}
        imports.setdefault(called.domain, 1)
    imports[""] = opset
    model = ModelProto(ir_version=lowest_ir(functions.values(), opset), producer_name="opwright")
    model.functions.extend(functions.values())
    keep_apart(model.functions)
    model.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in sorted(imports.items()))
    model.graph.name = "calls"
    model.graph.node.extend(nodes)
    model.graph.input.extend(feeds)
    model.graph.output.extend(results)
    return model


@lru_cache(4096)
def _attribute(name: str, kind: str, value: AttributeValue) -> AttributeProto:
    return helper.make_attribute(name, value, attr_type=AttributeProto.AttributeType.Value(kind))


def inlined(model: ModelProto) -> ModelProto:
    """The same model without functions: the reference evaluator ignores overloads and defaults of functions."""
    return inliner.inline_local_functions(model)


def lowest_ir(functions: Iterable[FunctionProto], opset: int) -> int:
    """The lowest IR version that has that opset and the fields that the functions use."""
    lowest = _lowest_ir(opset)
    for function in functions:
        if function.attribute_proto:
            lowest = max(lowest, 9)
        if function.overload or function.value_info or function.metadata_props:
            lowest = max(lowest, 10)
    return lowest


@cache
def _lowest_ir(opset: int) -> int:
    return max(int(helper.find_min_ir_version_for([helper.make_opsetid("", opset)])), 8)


def type_proto(kind: str) -> TypeProto:
    """The type of tensors or sequences (`seq(float)`) of an element type, without any shape."""
    wrap, inner = split_type(kind)
    proto = helper.make_tensor_type_proto(element(inner).code, None)
    for wrapper in reversed(wrap):
        make = helper.make_sequence_type_proto if wrapper == "seq" else helper.make_optional_type_proto
        proto = make(proto)
    return proto


@lru_cache(4096)
def _value_info(name: str, kind: str, rank: int | None) -> ValueInfoProto:
    """Sizes are symbols, one for each axis, so that one session serves every shape of the rank."""
    info = ValueInfoProto(name=name)
    if kind:
        info.type.CopyFrom(type_proto(kind))
    if rank is not None:
        dims = [TensorShapeProto.Dimension(dim_param=f"{name}_{axis}") for axis in range(rank)]
        info.type.tensor_type.shape.CopyFrom(TensorShapeProto(dim=dims))
    return info
