"""A function of a library called on arrays: a model of one node and the functions behind it, on the evaluators in
force. The body that a template has for such a call is made for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto, TypeProto, ValueInfoProto, helper

from opwright.bundle.call_interface import ANY, Sizes, inputs_of_call, outputs_of, split_type
from opwright.bundle.format import Bundle, FunctionEntry, InputEntry
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.eager.arguments import Attributes, GraphValue, bind_arguments, graph_opset, opsets_of
from opwright.eager.arrays import Data, type_of
from opwright.eager.eager_lowering import EagerLowering
from opwright.eager.model_task import ModelTask, model_task
from opwright.eager.outcome import Evaluator, Failed, NoKernel, Session, as_expected, capturer_of
from opwright.eager.parameters import handed_by_body
from opwright.eager.place import caller
from opwright.eager.python_values import operand
from opwright.eager.settings import current, evaluators, is_inside_function, opset_in_force
from opwright.eager.tensor import Items, Tensor, wrap
from opwright.elements import BY_CODE, BY_NAME, ElementType
from opwright.graphs.ids import function_id
from opwright.graphs.ndarrays import as_array, is_masked
from opwright.lang import ir
from opwright.lang.lower.numbers.number_operands import as_tensor, shared_element
from opwright.link.catalogue import Catalogue, Same, layered, merge_libraries
from opwright.link.choose import CAST, CHANGE, Call
from opwright.link.instantiate import instantiate, write_defaults
from opwright.link.model_instances import Instances
from opwright.link.naming import Instance
from opwright.link.propagate import Visit
from opwright.link.value_types import ABSENT, tensor_of
from opwright.link.value_types import wrap as held_in
from opwright.packaged import LibraryFunction

_IR_VERSION = 10  # the lowest with the metadata of functions
Array = np.ndarray[Any, Any]
Argument = Array | list[Array]  # a tensor, or the tensors of a sequence
Facts = tuple[tuple[str, int | None] | None, ...]  # type and rank of each input, None where it is absent


def call_library_function(function: LibraryFunction, args: Sequence[object], kwargs: Mapping[str, object]) -> Any:
    """The outputs: one, or a tuple of several, or of any number where the function has such an output. See
    `LibraryFunction.__call__`."""
    settings = current()
    capturing = settings.capturing or capturer_of((*args, *kwargs.values()))
    if capturing is not None:
        return capturing.call_function(function, args, kwargs)
    if settings.trace is not None:
        settings.trace.fail(f"{function.name} is a function of a library")
    entry = function.entry
    if entry.deprecated:
        _warn_of_deprecated(entry)
    inputs, attributes = bind_arguments(entry, args, kwargs)
    if is_inside_function():
        inputs = [handed_by_body(value) for value in inputs]
    tensors = is_inside_function() or any(isinstance(value, Tensor | Items) for value in inputs)
    values = _values(entry, inputs)
    _check_shapes(entry, values)
    facts = tuple(None if value is None else _fact(entry, index, value) for index, value in enumerate(values))
    outputs = _run(function, facts, attributes, [value for value in values if value is not None])
    results = [wrap(item, type_of(item, ir.UnknownType())) for item in outputs] if tensors else outputs
    return tuple(results) if len(results) > 1 or entry.outputs[-1].variadic else results[0]


def _warn_of_deprecated(entry: FunctionEntry) -> None:
    """A DeprecationWarning at the line of the call, which Python shows once a line, and by default in `__main__`."""
    import warnings

    frame = caller()
    if frame is not None:
        names = frame.f_globals
        warnings.warn_explicit(
            f"{entry.identity} is deprecated",
            DeprecationWarning,
            frame.f_code.co_filename,
            frame.f_lineno,
            names.get("__name__"),
            names.setdefault("__warningregistry__", {}),
        )


def _values(entry: FunctionEntry, inputs: Sequence[object | None]) -> list[Argument | None]:
    """Each input as arrays, None where it is absent.

    Numbers and lists of them take the type of the first array of their variable; where none is given, the one that
    holds all numbers of the variable, by what numbers become that meet no tensor.
    """
    bound: dict[str, ElementType] = {}
    values: list[Argument | None] = []
    for index, value in enumerate(inputs):
        formal = _formal(entry, index)
        if is_masked(value):
            raise TypeError(f"{entry.name}: {formal.name} is a masked array; give `x.filled(value)`")
        found: Argument | None = _array(value)
        if found is None and isinstance(value, list | tuple) and _may_be_sequence(formal):
            found = _items(entry, formal, value)
        values.append(found)
        if found is not None and len(found if isinstance(found, list) else (found,)):
            first = found[0] if isinstance(found, list) else found
            bound.setdefault(split_type(formal.type)[1], BY_NAME[_element(entry, first)])
    others = [index for index, value in enumerate(inputs) if value is not None and values[index] is None]
    low = EagerLowering(opset_in_force(), caller())
    for name in dict.fromkeys(_formal(entry, index).type for index in others):
        if name in bound or name == ANY:
            continue
        sharing = [operand(low, inputs[index]) for index in others if _formal(entry, index).type == name]
        element = shared_element(low, sharing)
        if element is not None:
            bound[name] = element
    for index in others:
        made = values[index] = _from_numbers(low, entry, index, inputs[index], bound)
        bound.setdefault(_formal(entry, index).type, BY_NAME[_element(entry, made)])
    return values


def _array(value: object) -> Array | None:
    array = value.numpy() if isinstance(value, Tensor) else value
    return as_array(array) if isinstance(array, np.ndarray | np.generic) else None


def _may_be_sequence(formal: InputEntry) -> bool:
    wrap, inner = split_type(formal.type)
    return wrap == ("seq",) or (not wrap and inner == ANY)


def _items(entry: FunctionEntry, formal: InputEntry, values: Sequence[object]) -> list[Array] | None:
    """The tensors of a sequence; None where the values are numbers, of a list that is a tensor."""
    arrays = [_array(value) for value in values]
    found = [array for array in arrays if array is not None]
    if len(found) < len(arrays):
        if formal.type == ANY:
            return None
        raise TypeError(f"{entry.name}: the input {formal.name} is a sequence: give a list of numpy arrays")
    if len({_element(entry, array) for array in found}) > 1:
        raise TypeError(f"{entry.name}: the arrays of the sequence {formal.name} are of several types")
    return found


def _check_shapes(entry: FunctionEntry, values: Sequence[Argument | None]) -> None:
    """DiagnosticError (OW143) where an array contradicts what the function declares."""
    sizes = Sizes()
    for formal, value in zip(inputs_of_call(entry, len(values)), values, strict=False):
        if value is None or formal.declared_shape is None:
            continue
        if isinstance(value, list):
            found = (sizes.item_contradiction(formal.name, formal.declared_shape, item.shape) for item in value)
            wrong = next(filter(None, found), "")
        else:
            wrong = sizes.contradiction(formal.name, formal.declared_shape, value.shape)
        if wrong:
            EagerLowering(opset_in_force(), caller()).error(
                "OW143",
                f"`{formal.name}` of {entry.identity} {wrong}",
                None,
                reason="a body is compiled for the shapes that its function declares",
                help="give it an array of that shape",
                subject=entry.name,
            )


def _fact(entry: FunctionEntry, index: int, value: Argument) -> tuple[str, int | None]:
    """The type as text, of a sequence `seq(float)`, and the rank."""
    if not isinstance(value, list):
        return _element(entry, value), value.ndim
    formal = _formal(entry, index)
    admitted = dict(entry.types).get(split_type(formal.type)[1], ())
    kind = _element(entry, value[0]) if value else next(iter(admitted), split_type(formal.type)[1])
    if kind not in BY_NAME:
        raise TypeError(f"{entry.name}: the sequence {formal.name} is empty, and nothing says of what type")
    return f"seq({kind})", None


def _formal(entry: FunctionEntry, index: int) -> InputEntry:
    return entry.inputs[min(index, len(entry.inputs) - 1)]


def _from_numbers(
    low: EagerLowering, entry: FunctionEntry, index: int, value: object, bound: Mapping[str, ElementType]
) -> np.ndarray[Any, Any]:
    formal = _formal(entry, index)
    if not isinstance(value, (bool, int, float, str, list, tuple)):
        raise TypeError(
            f"{entry.name}: the input {formal.name} is of the type {type(value).__name__}; "
            "give an array, a tensor, a number or a list of numbers"
        )
    element = BY_NAME.get(formal.type) or (None if formal.type == ANY else bound.get(formal.type))
    made = as_tensor(low, operand(low, value), element, None)
    assert isinstance(made, ir.Value)
    array: np.ndarray[Any, Any] = low.data[made]
    return array


def _element(entry: FunctionEntry, array: np.ndarray[Any, Any]) -> str:
    if array.dtype.kind in "OUT":
        return "string"
    try:
        return BY_CODE[helper.np_dtype_to_tensor_dtype(array.dtype)].name
    except (ValueError, KeyError):
        raise TypeError(f"{entry.name}: ONNX has no tensors of {array.dtype}") from None


def _run(function: LibraryFunction, facts: Facts, attributes: Attributes, data: Sequence[Data]) -> list[Data]:
    """On the first active evaluator that takes it. DiagnosticError where none does (OW371), and where it fails."""
    refusals: list[str] = []
    low = EagerLowering(opset_in_force(), caller())
    for evaluator in evaluators():
        try:
            task, session = _session(function, facts, attributes, evaluator)
            expected = zip(session.run(data), task.node.made(), strict=True)
            return [as_expected(item, value.type) for item, value in expected]
        except NoKernel as refusal:
            refusals.append(str(refusal))
        except DiagnosticError as refused:
            raise DiagnosticError([_at(low.place, item) for item in refused.diagnostics]) from None
        except Failed as failure:
            low.error("OW370", f"{function.name} fails", None, reason=str(failure), subject=function.name)
    low.error(
        "OW371",
        f"no evaluator runs {function.name}",
        None,
        reason="; ".join(refusals),
        help="cast to a type that is supported, or use another evaluator",
        subject=function.name,
    )
    raise AssertionError


def _at(place: Place | None, finding: Diagnostic) -> Diagnostic:
    """What the linker has against the call of a node, as said of a call on arrays: at its place."""
    return replace(finding, place=place or finding.place, help=_ON_ARRAYS.get(finding.help, finding.help))


_ON_ARRAYS = {CAST: "convert the array: `x.astype(np.float32)`", CHANGE: "change the call"}


@lru_cache(maxsize=256)
def _session(
    function: LibraryFunction, facts: Facts, attributes: Attributes, evaluator: Evaluator
) -> tuple[ModelTask, Session]:
    """What runs calls of these types and ranks. Raises NoKernel, or what the linker has against the call.

    The body for the newest opsets is tried first, at the lowest opset that it is for: what it computes is the same
    there, and more releases of onnxruntime know it. Of a template that is not known before it is made, so that it is
    made for each opset, the newest first; a graph is written for one of them.
    """
    entry = function.entry
    refusals: list[Exception] = []
    opsets = opsets_of(entry)
    if any(isinstance(value, GraphValue) for _, value in attributes):
        opsets &= {graph_opset(entry)}
    for opset in sorted(opsets, reverse=True):
        try:
            task = _task(function, entry, facts, attributes, opset)
            return task, evaluator.load(task)
        except (DiagnosticError, NoKernel) as refusal:
            refusals.append(refusal)
    # Of an argument that does not fit, every body says the same; of a missing kernel, the newest one counts.
    raise refusals[0] if refusals else LookupError(f"{entry.identity} has no body for opset {opset_in_force()}")


def _task(
    function: LibraryFunction, entry: FunctionEntry, facts: Facts, attributes: Attributes, opset: int
) -> ModelTask:
    node = _node(entry, facts, attributes)
    instances = Instances(_catalogue(Same(function.bundle)))
    instance = instances.choose(_call(function, entry, facts, node, opset))
    types = _output_types(entry, facts, len(outputs_of(entry, instance.body)))
    model = _one_node_model(function, entry, facts, node, instance, instances.bodies, types, opset)
    feeds = {_feed_value(*fact): None for fact in facts if fact is not None}
    return model_task(function.name, opset, model, feeds, types)


@lru_cache(maxsize=8)
def _catalogue(bundle: Same[Bundle]) -> Catalogue:
    return merge_libraries([bundle.value])


def _node(entry: FunctionEntry, facts: Facts, attributes: Attributes) -> NodeProto:
    node = helper.make_node(entry.name, _feed_names(facts), [])
    kinds = {attribute.name: AttributeProto.AttributeType.Value(attribute.type) for attribute in entry.attributes}
    for name, value in attributes:
        given = value.proto if isinstance(value, GraphValue) else value
        node.attribute.append(helper.make_attribute(name, given, attr_type=kinds[name]))
    return node


def _call(function: LibraryFunction, entry: FunctionEntry, facts: Facts, node: NodeProto, opset: int) -> Call:
    known = tuple(ABSENT if fact is None else _type_text(fact[0]) for fact in facts)
    given = {attribute.name: attribute for attribute in node.attribute}
    ranks = tuple(None if fact is None else fact[1] for fact in facts)
    visit = Visit(node, known, given, {"": opset}, f"{entry.name}()", None, ranks)
    return Call(entry, visit, opset, function.package)


def _one_node_model(
    function: LibraryFunction,
    entry: FunctionEntry,
    facts: Facts,
    node: NodeProto,
    instance: Instance,
    made: Mapping[str, bytes],
    types: Sequence[ir.Type],
    opset: int,
) -> ModelProto:
    """The model of a call of that body; `made` are bodies of templates that the library does not hold."""
    index, body = function.bundle.index, instance.body
    domain = next((item.mirror for item in index.domains if item.name == entry.domain), entry.domain)
    bodies = layered([made, function.bundle.bodies]) if made else function.bundle.bodies
    functions = instantiate(index, bodies, entry, body, opset=opset, domain=domain)
    node.domain, node.op_type, node.overload = function_id(functions[-1])
    positions = {formal.name: position for position, formal in enumerate(inputs_of_call(entry, len(facts)))}
    given = dict(enumerate(node.input))
    node.input[:] = [given.get(positions[name], "") for name in body.inputs]
    node.output[:] = [f"o{position}" for position in range(len(types))]
    kept = [attribute for attribute in node.attribute if attribute.name in body.attributes]
    del node.attribute[:]
    node.attribute.extend(kept)
    write_defaults(node, instance)
    imports = {item.domain: item.version for callee in functions for item in callee.opset_import}
    imports |= {"": opset, domain: entry.since_version}
    present = [fact for fact in facts if fact is not None]
    inputs = [ValueInfoProto(name=f"i{position}", type=_type_proto(*fact)) for position, fact in enumerate(present)]
    outputs = [_declared(f"o{position}", type_) for position, type_ in enumerate(types)]
    return helper.make_model(
        helper.make_graph([node], entry.name, inputs, outputs),
        functions=functions,
        opset_imports=[helper.make_opsetid(name, version) for name, version in sorted(imports.items())],
        ir_version=_IR_VERSION,
    )


def _feed_names(facts: Facts) -> list[str]:
    """Those of the inputs, in order; empty for one that is absent."""
    count = iter(range(len(facts)))
    return ["" if fact is None else f"i{next(count)}" for fact in facts]


def _type_text(kind: str) -> str:
    """`float` as the linker writes it: `tensor(float)`."""
    wrap, inner = split_type(kind)
    text: str | None = tensor_of(inner)
    for holder in reversed(wrap):
        text = held_in(holder, text)
    assert text is not None
    return text


def _type_proto(kind: str, rank: int | None) -> TypeProto:
    wrap, inner = split_type(kind)
    proto = helper.make_tensor_type_proto(BY_NAME[inner].code, None if rank is None else [None] * rank)
    return helper.make_sequence_type_proto(proto) if wrap else proto


def _feed_value(kind: str, rank: int | None) -> ir.Value:
    wrap, inner = split_type(kind)
    tensor = ir.TensorType(BY_NAME[inner], None if rank is None else (None,) * rank)
    return ir.Value(ir.SequenceType(tensor) if wrap else tensor)


def _declared(name: str, type_: ir.Type) -> ValueInfoProto:
    item = type_.sequence_item
    element = (item or type_).element
    if not isinstance(element, ElementType):
        return ValueInfoProto(name=name)
    kind = element.name if item is None else f"seq({element.name})"
    return ValueInfoProto(name=name, type=_type_proto(kind, None))


def _output_types(entry: FunctionEntry, facts: Facts, count: int) -> list[ir.Type]:
    """The types of the outputs: fixed, or those that the inputs bind; what an attribute decides stays open."""
    bound = {name: admitted[0] for name, admitted in entry.types if len(admitted) == 1}
    for formal, fact in zip(inputs_of_call(entry, len(facts)), facts, strict=False):
        if fact is not None:
            bound[split_type(formal.type)[1]] = split_type(fact[0])[1]
    found: list[ir.Type] = []
    for output in (*entry.outputs, *entry.outputs[-1:] * (count - len(entry.outputs)))[:count]:
        wrap, inner = split_type(output.type)
        kind = bound.get(inner, inner)
        type_: ir.Type = ir.TensorType(BY_NAME[kind]) if kind in BY_NAME and inner != ANY else ir.UnknownType()
        found.append(ir.SequenceType(type_) if wrap == ("seq",) and kind in BY_NAME else type_)
    return found
