"""A function of a library called on arrays: a model of one node and the functions behind it, on the evaluators in
force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto, ValueInfoProto, helper

from opwright.bundle.call_interface import inputs_of_call
from opwright.bundle.declared_shapes import Sizes
from opwright.bundle.format import FunctionEntry, InputEntry
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager.arguments import Attributes, bind_arguments
from opwright.eager.arrays import Data, type_of
from opwright.eager.captured import capturer_of
from opwright.eager.eager_lowering import EagerLowering
from opwright.eager.model_task import ModelTask, model_task
from opwright.eager.operations import operand
from opwright.eager.outcome import Evaluator, Failed, NoKernel, Session, as_expected
from opwright.eager.place import caller
from opwright.eager.settings import current, evaluators, is_inside_function, opset_in_force
from opwright.eager.tensor import Tensor, wrap
from opwright.elements import BY_CODE, BY_NAME, ElementType
from opwright.graphs.ids import function_id
from opwright.graphs.ndarrays import as_array, is_masked
from opwright.lang import ir
from opwright.lang.lower.numbers import as_tensor
from opwright.link.choose import Call, choose_body
from opwright.link.instantiate import instantiate, write_defaults
from opwright.link.naming import Instance
from opwright.link.propagate import Visit
from opwright.link.value_types import ABSENT, tensor_of
from opwright.packaged import LibraryFunction

_IR_VERSION = 10  # the lowest with the metadata of functions
Facts = tuple[tuple[str, int] | None, ...]  # element type and rank of each input, None where it is absent


def call_library_function(function: LibraryFunction, args: Sequence[object], kwargs: Mapping[str, object]) -> Any:
    """The outputs: one, or a tuple of several. See `LibraryFunction.__call__`."""
    settings = current()
    capturing = settings.capturing or capturer_of((*args, *kwargs.values()))
    if capturing is not None:
        return capturing.call_function(function, args, kwargs)
    if settings.trace is not None:
        settings.trace.fail(f"{function.name} is a function of a library")
    entry = function.entry
    inputs, attributes = bind_arguments(entry, args, kwargs)
    tensors = is_inside_function() or any(isinstance(value, Tensor) for value in inputs)
    arrays = _arrays(entry, inputs)
    _check_shapes(entry, arrays)
    facts = tuple(None if array is None else (_element(entry, array), array.ndim) for array in arrays)
    outputs = _run(function, facts, attributes, [array for array in arrays if array is not None])
    results = [wrap(item, type_of(item, ir.UnknownType())) for item in outputs] if tensors else outputs
    return results[0] if len(results) == 1 else tuple(results)


def _arrays(entry: FunctionEntry, inputs: Sequence[object | None]) -> list[np.ndarray[Any, Any] | None]:
    """Each input as an array, None where it is absent; numbers take the type of the first array of their variable."""
    bound: dict[str, ElementType] = {}
    arrays: list[np.ndarray[Any, Any] | None] = []
    for index, value in enumerate(inputs):
        if is_masked(value):
            raise TypeError(f"{entry.name}: {_formal(entry, index).name} is a masked array; give `x.filled(value)`")
        array = value.numpy() if isinstance(value, Tensor) else value
        array = as_array(array) if isinstance(array, np.ndarray | np.generic) else None
        arrays.append(array)
        if array is not None:
            bound.setdefault(_formal(entry, index).type, BY_NAME[_element(entry, array)])
    for index, value in enumerate(inputs):
        if value is not None and arrays[index] is None:
            arrays[index] = _from_numbers(entry, index, value, bound)
    return arrays


def _check_shapes(entry: FunctionEntry, arrays: Sequence[np.ndarray[Any, Any] | None]) -> None:
    """DiagnosticError (OW143) where an array contradicts what the function declares."""
    sizes = Sizes()
    for formal, array in zip(inputs_of_call(entry, len(arrays)), arrays, strict=False):
        if array is None or formal.declared_shape is None:
            continue
        wrong = sizes.contradiction(formal.name, formal.declared_shape, array.shape)
        if wrong:
            EagerLowering(opset_in_force(), caller()).error(
                "OW143",
                f"`{formal.name}` of {entry.identity} {wrong}",
                None,
                reason="a body is compiled for the shapes that its function declares",
                help="give it an array of that shape",
                subject=entry.name,
            )


def _formal(entry: FunctionEntry, index: int) -> InputEntry:
    return entry.inputs[min(index, len(entry.inputs) - 1)]


def _from_numbers(
    entry: FunctionEntry, index: int, value: object, bound: Mapping[str, ElementType]
) -> np.ndarray[Any, Any]:
    formal = _formal(entry, index)
    element = BY_NAME.get(formal.type) or bound.get(formal.type)
    if element is None or not isinstance(value, (bool, int, float, list, tuple)):
        raise TypeError(
            f"{entry.name}: the input {formal.name} is a {type(value).__name__}; "
            "give a numpy array, whose type is clear"
        )
    low = EagerLowering(opset_in_force(), caller())
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


@lru_cache(maxsize=256)
def _session(
    function: LibraryFunction, facts: Facts, attributes: Attributes, evaluator: Evaluator
) -> tuple[ModelTask, Session]:
    """What runs calls of these types and ranks. Raises NoKernel, or what the linker has against the call.

    The body for the newest opsets is tried first, at the lowest opset that it is for: what it computes is the same
    there, and more releases of onnxruntime know it.
    """
    entry = function.entry
    refusals: list[Exception] = []
    for opset in sorted({body.first_opset for body in entry.bodies}, reverse=True):
        try:
            task = _task(function, entry, facts, attributes, opset)
            return task, evaluator.load(task)
        except (DiagnosticError, NoKernel) as refusal:
            refusals.append(refusal)
    # Of an argument that does not fit, every body says the same; of a missing kernel, the newest one counts.
    raise refusals[0] if refusals else LookupError(f"{entry.identity} has no body")


def _task(
    function: LibraryFunction, entry: FunctionEntry, facts: Facts, attributes: Attributes, opset: int
) -> ModelTask:
    model = _one_node_model(function, entry, facts, attributes, opset)
    given = [fact for fact in facts if fact is not None]
    feeds = {ir.Value(ir.TensorType(BY_NAME[kind], (None,) * rank)): None for kind, rank in given}
    return model_task(function.name, opset, model, feeds, _output_types(entry, facts))


def _one_node_model(
    function: LibraryFunction, entry: FunctionEntry, facts: Facts, attributes: Attributes, opset: int
) -> ModelProto:
    node = helper.make_node(
        entry.name,
        _feed_names(facts),
        [f"o{index}" for index in range(len(entry.outputs))],
    )
    kinds = {attribute.name: AttributeProto.AttributeType.Value(attribute.type) for attribute in entry.attributes}
    node.attribute.extend(helper.make_attribute(name, value, attr_type=kinds[name]) for name, value in attributes)
    instance = _choose(function, entry, facts, node, opset)
    index = function.bundle.index
    domain = next((item.mirror for item in index.domains if item.name == entry.domain), entry.domain)
    functions = instantiate(index, function.bundle.bodies, entry, instance.body, opset=opset, domain=domain)
    node.domain, node.op_type, node.overload = function_id(functions[-1])
    positions = {formal.name: position for position, formal in enumerate(entry.inputs)}
    given = list(node.input)
    node.input[:] = [given[positions[name]] for name in instance.body.inputs]
    write_defaults(node, instance)
    imports = {item.domain: item.version for callee in functions for item in callee.opset_import}
    imports |= {"": opset, domain: entry.since_version}
    inputs = [
        helper.make_tensor_value_info(f"i{position}", BY_NAME[fact[0]].code, [None] * fact[1])
        for position, fact in enumerate(fact for fact in facts if fact is not None)
    ]
    outputs = [_declared(f"o{position}", type_) for position, type_ in enumerate(_output_types(entry, facts))]
    return helper.make_model(
        helper.make_graph([node], entry.name, inputs, outputs),
        functions=functions,
        opset_imports=[helper.make_opsetid(name, version) for name, version in sorted(imports.items())],
        ir_version=_IR_VERSION,
    )


def _choose(function: LibraryFunction, entry: FunctionEntry, facts: Facts, node: NodeProto, opset: int) -> Instance:
    known = tuple(ABSENT if fact is None else tensor_of(fact[0]) for fact in facts)
    given = {attribute.name: attribute for attribute in node.attribute}
    ranks = tuple(None if fact is None else fact[1] for fact in facts)
    visit = Visit(node, known, given, {"": opset}, f"{entry.name}()", None, ranks)
    return choose_body(Call(entry, visit, opset, function.package))


def _feed_names(facts: Facts) -> list[str]:
    """Those of the inputs, in order; empty for one that is absent."""
    count = iter(range(len(facts)))
    return ["" if fact is None else f"i{next(count)}" for fact in facts]


def _declared(name: str, type_: ir.Type) -> ValueInfoProto:
    if isinstance(type_, ir.TensorType) and isinstance(type_.element, ElementType):
        return helper.make_tensor_value_info(name, type_.element.code, None)
    return ValueInfoProto(name=name)


def _output_types(entry: FunctionEntry, facts: Facts) -> list[ir.Type]:
    """The types of the outputs: fixed, or those that the inputs bind; what an attribute decides stays open."""
    bound = {name: admitted[0] for name, admitted in entry.types if len(admitted) == 1}
    for formal, fact in zip(entry.inputs, facts, strict=False):
        if fact is not None:
            bound[formal.type] = fact[0]
    kinds = [bound.get(output.type, output.type) for output in entry.outputs]
    return [ir.TensorType(BY_NAME[kind]) if kind in BY_NAME else ir.UnknownType() for kind in kinds]
