"""Types and shapes of the outputs as the schema's inference function gives them.

The types follow from the interface; where a call leaves out the input or the attribute that says one, from onnx's own
inference through the body. A shape relation is proposed only where that inference gives it: for every node test at its
shapes, and for the relations between dimensions at symbolic ones too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import onnx
from onnx import TensorShapeProto, helper, shape_inference
from opwright.bundle.format import FunctionEntry, OutputEntry
from opwright.elements import BY_CODE, BY_NAME, element

from opwright_build.propose.node_cases import NodeCase, make_node, variant_for
from opwright_build.propose.subject import BodySet, Proposal, Variant, element_types
from opwright_build.propose.test_models import as_local_function
from opwright_build.verify.case_model import Case
from opwright_build.verify.cases.bindings import input_entries, type_attribute
from opwright_build.verify.dtypes import element_of

Dims = tuple[int | str | None, ...]

_DOMAIN = "opwright.proposal"  # one that no schema of onnx serves


class ShapeKind(Enum):
    SAME = "same"  # as that of `input`
    BROADCAST = "broadcast"  # of all inputs
    RANK = "rank"  # `rank` dimensions of unknown size
    BODY = "body"  # inference goes through the body
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ShapeRule:
    kind: ShapeKind
    input: int = 0
    rank: int = 0


class TypeKind(Enum):
    INPUT = "input"  # that of `input`
    FIXED = "fixed"  # `element`
    ATTRIBUTE = "attribute"  # the code that `attribute` holds, by default that of `element`
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TypeRule:
    """`absent` is the rule for calls that leave out the optional input, or the attribute that has no default; None
    where no call can, or none of the node tests shows what holds then."""

    kind: TypeKind
    input: int = 0
    element: str = ""
    attribute: str = ""
    absent: TypeRule | None = None

    def may_be_absent(self, entry: FunctionEntry) -> bool:
        """Whether a call may leave out what says the type, with no default in its place."""
        if self.kind is TypeKind.INPUT:
            return entry.inputs[self.input].optional
        required = any(item.name == self.attribute and item.required for item in entry.attributes)
        return self.kind is TypeKind.ATTRIBUTE and not self.element and not required

    def at(self, entry: FunctionEntry, case: NodeCase) -> TypeRule | None:
        """The rule that says the type at a call; None where none does."""
        if self.kind is TypeKind.UNKNOWN:
            return None
        return self.absent if self.may_be_absent(entry) and not self._is_given(case) else self

    def _is_given(self, case: NodeCase) -> bool:
        if self.kind is TypeKind.ATTRIBUTE:
            return self.attribute in case.attributes
        return self.input < len(case.inputs) and case.inputs[self.input] is not None


@dataclass(frozen=True, slots=True)
class InferenceRules:
    """What the inference function does, per output; `confirmed` is on how many node tests."""

    types: tuple[TypeRule, ...]
    shapes: tuple[ShapeRule, ...]
    confirmed: int

    @property
    def through_body(self) -> bool:
        """Whether the schema is better off without a function of its own: onnx then infers through the plain body."""
        return any(rule.kind is ShapeKind.BODY for rule in self.shapes)


def infer_rules(proposal: Proposal, cases: Sequence[NodeCase]) -> InferenceRules:
    """The rules of all outputs."""
    entry = proposal.entry
    types = tuple(_type_rule(proposal, position, cases) for position in range(len(entry.outputs)))
    seen = [(case, found) for case in cases if (found := infer_at(proposal, case)) is not None]
    shapes = [_shape_rule(proposal, position, seen) for position in range(len(entry.outputs))]
    if proposal.uses_text and any(rule.kind in (ShapeKind.UNKNOWN, ShapeKind.RANK) for rule in shapes):
        shapes = [ShapeRule(ShapeKind.BODY)] * len(shapes)
    return InferenceRules(types, tuple(shapes), len(seen))


def infer_at(proposal: Proposal, case: NodeCase, symbols: Sequence[Dims] | None = None) -> list[Dims | None] | None:
    """The outputs' shapes that onnx infers through the body for a case, None for one of unknown rank.

    `symbols` are other dimensions for the inputs that are present. None as a whole where no body serves the case.
    """
    inferred = _inferred(proposal, case, symbols, {})
    return None if inferred is None else [_dims(tensor) for tensor in inferred]


def _inferred(
    proposal: Proposal, case: NodeCase, symbols: Sequence[Dims] | None, kinds: Mapping[str, str]
) -> list[onnx.TypeProto.Tensor] | None:
    """The outputs' types. `kinds` are element types of type variables in place of the case's own."""
    bodies = proposal.first
    variant = None if bodies is None else variant_for(proposal, bodies, _at_types(proposal.entry, case.case, kinds))
    if bodies is None or variant is None:
        return None
    model = _model(proposal, bodies, variant, case, symbols, kinds)
    inferred = shape_inference.infer_shapes(model, strict_mode=True)
    return [value.type.tensor_type for value in inferred.graph.output]


def _at_types(entry: FunctionEntry, case: Case, kinds: Mapping[str, str]) -> Case:
    """The case at other types of its inputs, which say nothing of the types of outputs alone."""
    if not kinds:
        return case
    bound = {item.type for item in entry.inputs}
    return replace(case, bindings={name: kind for name, kind in case.bindings.items() if name in bound} | dict(kinds))


def _model(
    proposal: Proposal,
    bodies: BodySet,
    variant: Variant,
    case: NodeCase,
    symbols: Sequence[Dims] | None,
    kinds: Mapping[str, str],
) -> onnx.ModelProto:
    node = make_node(proposal, case)
    function = as_local_function(proposal, node, variant.function)
    node.domain = function.domain = _DOMAIN
    formals = input_entries(proposal.entry, len(case.inputs))
    given = [(formal.type, item) for formal, item in zip(formals, case.inputs, strict=False) if item is not None]
    shapes = symbols if symbols is not None else [array.shape for _, (_, array) in given]
    inputs = [
        helper.make_tensor_value_info(name, element(kinds.get(declared) or element_of(array).name).code, shape)
        for (declared, (name, array)), shape in zip(given, shapes, strict=True)
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name, _ in case.outputs]
    graph = helper.make_graph([node], case.name, inputs, outputs)
    imports = {item.domain: item.version for item in function.opset_import} | {"": bodies.opset, _DOMAIN: 1}
    opsets = [helper.make_opsetid(domain, version) for domain, version in imports.items()]
    return helper.make_model(graph, opset_imports=opsets, functions=[function])


def _dims(tensor: onnx.TypeProto.Tensor) -> Dims | None:
    return tuple(_dim(dim) for dim in tensor.shape.dim) if tensor.HasField("shape") else None


def _dim(dim: TensorShapeProto.Dimension) -> int | str | None:
    if dim.HasField("dim_value"):
        return dim.dim_value
    return dim.dim_param or None


# --------------------------------------------------------------------------------------------------- rules


def _type_rule(proposal: Proposal, position: int, cases: Sequence[NodeCase]) -> TypeRule:
    entry = proposal.entry
    rule = _declared_rule(entry, entry.outputs[position])
    if not rule.may_be_absent(entry):
        return rule
    without = [case for case in cases if rule.at(entry, case) is None and position < len(case.outputs)]
    return replace(rule, absent=_rule_by_body(proposal, position, without))


def _rule_by_body(proposal: Proposal, position: int, cases: Sequence[NodeCase]) -> TypeRule | None:
    """What the element type of an output is in those cases, at their own types and at all others of their inputs: that
    of an input which every call has, or always the same. None where there are no cases, or neither is true."""
    entry = proposal.entry
    seen: list[tuple[NodeCase, Mapping[str, str], str]] = []
    for case in cases:
        for kinds in _kinds(entry, case):
            inferred = _inferred(proposal, case, None, kinds)
            if inferred is not None:
                found = BY_CODE.get(inferred[position].elem_type)
                seen.append((case, kinds, "" if found is None else found.name))
    if not seen:
        return None
    for index, item in enumerate(entry.inputs):
        if not (item.optional or item.variadic) and all(
            _kind(case, index, kinds.get(item.type)) == kind for case, kinds, kind in seen
        ):
            return TypeRule(TypeKind.INPUT, input=index)
    (kind, *others) = {kind for _, _, kind in seen}
    return TypeRule(TypeKind.FIXED, element=kind) if kind and not others else None


def _kinds(entry: FunctionEntry, case: NodeCase) -> Iterator[Mapping[str, str]]:
    """Nothing, for the types of the case, and every other type of each type variable of its inputs, one at a time."""
    yield {}
    given = {item.type for item, value in zip(entry.inputs, case.inputs, strict=False) if value is not None}
    for name, admitted in entry.types:
        if name in given:
            yield from ({name: kind} for kind in admitted if kind != case.case.bindings.get(name))


def _kind(case: NodeCase, index: int, replaced: str | None) -> str:
    given = case.inputs[index]
    assert given is not None  # every call has it
    return replaced or element_of(given[1]).name


def _declared_rule(entry: FunctionEntry, output: OutputEntry) -> TypeRule:
    """What says an output's element type, by the interface alone."""
    admitted = element_types(entry, output.type)
    if len(admitted) == 1 and admitted[0] in BY_NAME:
        return TypeRule(TypeKind.FIXED, element=admitted[0])
    typed = [index for index, item in enumerate(entry.inputs) if item.type == output.type]
    required = [index for index in typed if not entry.inputs[index].optional]
    if typed:
        return TypeRule(TypeKind.INPUT, input=(required or typed)[0])
    bound = type_attribute(entry)
    if bound is not None and bound[0] == output.type:
        _, attribute = bound
        default = next((kind for kind in admitted if element(kind).code == attribute.default), "")
        return TypeRule(TypeKind.ATTRIBUTE, element=default, attribute=attribute.name)
    return TypeRule(TypeKind.UNKNOWN)


_Seen = Sequence[tuple[NodeCase, list[Dims | None]]]


def _shape_rule(proposal: Proposal, position: int, seen: _Seen) -> ShapeRule:
    found = [(case, dims[position]) for case, dims in seen if position < len(dims)]
    if not found or any(dims is None for _, dims in found):
        return ShapeRule(ShapeKind.UNKNOWN)
    for index, item in enumerate(proposal.entry.inputs):
        same = all(dims == _shape_of(case, index) for case, dims in found)
        if same and not item.variadic and all(_holds_for_symbols(proposal, case, position, index) for case, _ in found):
            return ShapeRule(ShapeKind.SAME, input=index)
    if all(dims == _broadcast(case) and _broadcasts_symbols(proposal, case, position) for case, dims in found):
        return ShapeRule(ShapeKind.BROADCAST)
    ranks = {len(dims or ()) for _, dims in found}
    varied = len({_ranks(case) for case, _ in found}) > 1
    if len(ranks) == 1 and (varied or all(item.rank is not None for item in proposal.entry.inputs)):
        return ShapeRule(ShapeKind.RANK, rank=ranks.pop())
    return ShapeRule(ShapeKind.UNKNOWN)


def _shape_of(case: NodeCase, index: int) -> Dims | None:
    item = case.inputs[index] if index < len(case.inputs) else None
    return None if item is None else tuple(item[1].shape)


def _ranks(case: NodeCase) -> tuple[int, ...]:
    return tuple(-1 if item is None else item[1].ndim for item in case.inputs)


def _broadcast(case: NodeCase) -> Dims | None:
    try:
        return tuple(np.broadcast_shapes(*(item[1].shape for item in case.inputs if item is not None)))
    except ValueError:
        return None


def _holds_for_symbols(proposal: Proposal, case: NodeCase, position: int, index: int) -> bool:
    """Whether the output has the input's own dimensions where their sizes are unknown.

    Inputs of the same shape get the same symbols: an operator may ask for equal shapes.
    """
    shapes = [item[1].shape for item in case.inputs if item is not None]
    wanted = _shape_of(case, index)
    if wanted is None:
        return False
    different = enumerate(dict.fromkeys(shapes))
    symbols = {shape: tuple(f"d{number}_{at}" for at in range(len(shape))) for number, shape in different}
    inferred = infer_at(proposal, case, [symbols[shape] for shape in shapes])
    return inferred is not None and inferred[position] == symbols[tuple(int(dim or 0) for dim in wanted)]


def _broadcasts_symbols(proposal: Proposal, case: NodeCase, position: int) -> bool:
    """Whether dimensions of size 1 give way to symbols, and symbols stay."""
    shapes = [item[1].shape for item in case.inputs if item is not None]
    rank = max((len(shape) for shape in shapes), default=0)
    symbols = [
        tuple(1 if size == 1 else f"d{rank - len(shape) + at}" for at, size in enumerate(shape)) for shape in shapes
    ]
    inferred = infer_at(proposal, case, symbols)
    if inferred is None:
        return False
    wanted: list[int | str | None] = [1] * rank
    for shape in symbols:
        for at, dim in enumerate(shape, rank - len(shape)):
            wanted[at] = dim if dim != 1 else wanted[at]
    return inferred[position] == tuple(wanted)
