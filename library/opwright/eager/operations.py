"""Operators on eager tensors: calls, Python's operators and subscripts, through the compiler's own lowering."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeGuard

import numpy as np

from opwright import types
from opwright.diagnostics.diagnostic import DiagnosticError, has_errors
from opwright.eager import tensor as tensors
from opwright.eager.arrays import Data, data_of, type_of
from opwright.eager.eager_lowering import NOWHERE, EagerLowering
from opwright.eager.outcome import Captured, capturer_of
from opwright.eager.place import caller, unpacked_to
from opwright.eager.python_values import operand, sequence
from opwright.eager.replay import MISS, RECORDINGS, Recording, Unkeyed, add_operand, is_kept, static_key
from opwright.eager.settings import current, opset_in_force
from opwright.elements import ElementType
from opwright.graphs.ndarrays import Array, as_array, element_of, is_masked
from opwright.lang import ir
from opwright.lang.lower.calls import operator_rule
from opwright.lang.lower.calls.graph_attributes import call_with_graphs
from opwright.lang.lower.expressions import arithmetic
from opwright.lang.lower.numbers import number_operands
from opwright.lang.lower.paths.speculate import speculate
from opwright.lang.lower.state.poison import OtherLoops, Poisoned
from opwright.lang.lower.values import shapes, subscripts
from opwright.lang.meaning.objects import (
    ArrayObject,
    FunctionObject,
    OperatorObject,
    OpsetObject,
    TensorObject,
)
from opwright.lang.meaning.operands import Arguments, Operand, SliceItem
from opwright.lang.text.source import Span
from opwright.live.tensor_objects import is_tensor_object, tensor_data
from opwright.opsets.implied import ImpliedSignature
from opwright.opsets.operator import Operator
from opwright.opsets.signatures import Signature, is_known_domain, newest_opset, signature, tensor_element

_SPANS = (NOWHERE, NOWHERE)


def call_operator(operator: Operator, args: Sequence[object], kwargs: Mapping[str, object]) -> Any:
    """`op.Name(inputs..., attribute=...)`: the results, checked and run by the schema of the current opset.

    Numpy arrays count as tensors. DiagnosticError, at the caller's line, for what the compiler refuses too, and where
    the runtime fails.
    """
    settings = current()
    if settings.capturing is not None:
        return settings.capturing.call_operator(operator, args, kwargs)
    domain = operator.domain
    opset = settings.forced or settings.running or (newest_opset() if domain else operator.opset.named)
    count = unpacked_to(caller()) if may_be_unpacked(operator, opset) else None
    key: list[object] = [operator.signature, opset, count, settings.evaluators]
    if operator.opset.named != opset:
        key.append(settings.running is None)  # see `EagerLowering.written_for`
    data: list[Data] = []
    try:
        for value in args:
            if type(value) is np.ndarray:  # most of them; as `add_operand` has it
                key += (value.dtype, value.ndim)
                data.append(value)
            else:
                add_operand(key, data, value)
        if kwargs:
            kinds, is_open = operator.signature.kinds, operator.opset.open is not None
            for name, value in kwargs.items():
                key.append(name)
                if name in kinds or is_open:  # an array would be held as it is
                    key.append(static_key(value))
                else:
                    add_operand(key, data, value)
        kept = RECORDINGS.get(tuple(key)) if settings.trace is None else None
        if kept is not None and (found := kept.replay(data)) is not MISS:
            return found
        keyed = all(map(is_kept, (*args, *kwargs.values())))
    except Unkeyed:
        capturing = capturer_of((*args, *kwargs.values()))
        if capturing is not None:
            return capturing.call_operator(operator, args, kwargs)
        keyed = False

    def lower(low: EagerLowering) -> Operand:
        arguments = _arguments(low, operator, args, kwargs, count)
        callee = called(operator)
        if any(isinstance(item, FunctionObject) for item, _ in arguments.keywords.values()):
            return _call_with_graphs(low, callee, arguments)
        return operator_rule.call_operator(low, callee, arguments)

    return _lower(tuple(key) if keyed else None, opset, lower)


def called(operator: Operator) -> OperatorObject:
    """An operator of a live opset object as the compiler names it."""
    opset = operator.opset
    return OperatorObject(OpsetObject(opset.domain, opset.named, opset.signatures, opset.open), operator.name)


def may_be_unpacked(operator: Operator, opset: int) -> bool:
    """Whether it gives several results, at the opset that its module names or at the current one of ai.onnx."""
    return operator.signature.max_outputs > 1 or _gives_several(operator.domain, operator.name, opset)


@cache
def _gives_several(domain: str, name: str, opset: int) -> bool:
    if domain and not is_known_domain(domain):
        return False
    found = signature(domain, name, opset if not domain else newest_opset(domain))
    return found is not None and found.max_outputs > 1


def _call_with_graphs(low: EagerLowering, callee: OperatorObject, arguments: Arguments) -> Operand:
    while True:
        with speculate(low) as trial:
            try:
                found = call_with_graphs(low, callee, arguments, {})
            except Poisoned as wrong:
                if isinstance(wrong.because, OtherLoops):  # `low.loops.plans` says what form they are needed in
                    continue
                raise
            trial.commit()
        if has_errors(low.diagnostics):
            raise DiagnosticError(low.diagnostics)
        return found


def binary(symbol: str, left: object, right: object) -> Any:
    """`left symbol right`, one of which is a tensor; a value of a graph that is being built does it itself."""
    return _perform(
        (symbol,),
        (left, right),
        lambda low: arithmetic.binary(low, symbol, operand(low, left), operand(low, right), NOWHERE, _SPANS),
    )


def unary(symbol: str, value: object) -> Any:
    return _perform(
        (symbol, "unary"),
        (value,),
        lambda low: arithmetic.unary(low, symbol, operand(low, value), NOWHERE, NOWHERE),
    )


def transposed(value: tensors.Tensor) -> Any:
    """`value.T`."""
    return _perform(("T",), (value,), lambda low: _transposed(low, operand(low, value)))


def _transposed(low: EagerLowering, value: Operand) -> Operand:
    assert isinstance(value, ir.Value)
    return shapes.transposed(low, value, NOWHERE)


def subscript(owner: tensors.Tensor, index: object) -> Any:
    """`owner[index]`. What tensors pick decides shapes on the way, so that an index with tensors has no key."""
    shape: tuple[int, ...] = ()
    if owner.other is None:
        shape = owner.data.shape
        if (trace := current().trace) is not None:
            trace.size_of(owner.data)
    return _perform(
        ("[]",),
        (owner,),
        lambda low: subscripts.subscript(low, operand(low, owner), _index(low, index), NOWHERE),
        (index, shape),
    )


def make_scalar(element: ElementType, value: object) -> Any:
    """`FLOAT(0.5)`."""
    return _perform(
        (element, "scalar"),
        (),
        lambda low: number_operands.typed_scalar(low, operand(low, value), element, None),
        (value,),
    )


def _perform(
    head: tuple[object, ...],
    values: tuple[object, ...],
    lower: Callable[[EagerLowering], Operand],
    static: tuple[object, ...] = (),
) -> Any:
    """The results of an operation: as it was recorded for such operands and static values, or lowered now.
    NotImplemented where one of the values is of a graph that is being built."""
    settings = current()
    opset = settings.forced or settings.running or newest_opset()
    key: list[object] = [*head, opset, settings.evaluators]
    data: list[Data] = []
    try:
        for value in values:
            add_operand(key, data, value)
        for value in static:
            key.append(static_key(value))
        kept = RECORDINGS.get(tuple(key)) if settings.trace is None else None
        if kept is not None and (found := kept.replay(data)) is not MISS:
            return found
        keyed = all(map(is_kept, values))
    except Unkeyed:
        if any(isinstance(value, Captured) for value in values):
            return NotImplemented
        keyed = False
    return _lower(tuple(key) if keyed else None, opset, lower)


def _lower(key: tuple[object, ...] | None, opset: int, lower: Callable[[EagerLowering], Operand]) -> Any:
    """The results of an operation that is lowered now; what it did is kept for the next one of that key."""
    trace = current().trace
    if trace is not None and key is None:
        trace.fail("how an operation is done depends on more than types")
    low = EagerLowering(opset, caller(), None if key is None else Recording())
    try:
        made = lower(low)
        found = result(low, made)
    except DiagnosticError as error:
        raise error.with_traceback(None) from None  # our own frames would tell the author nothing
    except Poisoned as wrong:
        raise DiagnosticError(wrong.findings or low.diagnostics) from None
    if key is not None and low.recording is not None:
        low.recording.finish(made, low.data)
        RECORDINGS.keep(key, low.recording)
    return found


def refuse(code: str, message: str, reason: str, help: str) -> Any:
    """Raises the finding at the caller's line."""
    return _operation().error(code, message, None, reason, help)


def _operation() -> EagerLowering:
    return EagerLowering(opset_in_force(), caller())


# ------------------------------------------------------------------------------------------------- operands


def _index(low: EagerLowering, key: object) -> list[Operand]:
    """What stands between the brackets, in order."""

    parts = key if isinstance(key, tuple) else (key,)
    return [
        SliceItem(operand(low, part.start), operand(low, part.stop), operand(low, part.step))
        if isinstance(part, slice)
        else operand(low, part)
        for part in parts
    ]


def _arguments(
    low: EagerLowering, operator: Operator, args: Sequence[object], kwargs: Mapping[str, object], count: int | None
) -> Arguments:
    found = low.target.lookup(operator.domain, operator.name)
    formals = () if found is None else found.inputs
    positional = [
        (_argument(low, found, formals[min(index, len(formals) - 1)].type if formals else "", value), NOWHERE)
        for index, value in enumerate(args)
    ]
    kinds = {formal.name: formal.type for formal in formals}
    keywords: dict[str, tuple[Operand, Span]] = {}
    for name, value in kwargs.items():
        data = tensor_data(value) if is_tensor_object(value) else None
        if data is not None:
            keywords[name] = (TensorObject(data), NOWHERE)
        elif _is_array_attribute(value, found or operator.signature, name):
            low.recording = None  # no key tells what is in it
            keywords[name] = (ArrayObject(data_of(as_array(value))), NOWHERE)
        else:
            keywords[name] = (_argument(low, found, kinds.get(name, ""), value), NOWHERE)
    return Arguments(positional, keywords, count, NOWHERE, NOWHERE)


def _is_array_attribute(value: object, callee: Signature, name: str) -> TypeGuard[Array]:
    """Whether an array is given for an attribute, which holds it, or its items, as it is."""
    if name not in callee.attributes and not isinstance(callee, ImpliedSignature):
        return False
    return isinstance(value, np.ndarray) and element_of(as_array(value)) is not None and not is_masked(value)


def _argument(low: EagerLowering, callee: Signature | None, formal: str, value: object) -> Operand:
    """An argument of an operator: where it takes a sequence, a list or tuple is one."""
    if isinstance(value, (list, tuple)) and callee is not None:
        admitted = callee.admitted.get(formal, (formal,))
        known = isinstance(value, tensors.Items) and not value.item.is_unknown
        holds = known or any(isinstance(item, (types.Tensor, np.ndarray)) for item in value)
        if any(text.startswith("seq(") for text in admitted) and (
            holds or not any(tensor_element(text) for text in admitted)
        ):
            return sequence(low, value if isinstance(value, list) else list(value))
    return operand(low, value)


# -------------------------------------------------------------------------------------------------- results


def result(low: EagerLowering, found: Operand) -> Any:
    """What an operation gives to Python."""
    if isinstance(found, tuple):
        return tuple(result(low, item) for item in found)
    if not isinstance(found, ir.Value):
        return found
    data = low.data[found]
    if isinstance(found.type, ir.NumberType):
        if low.trace is not None:
            low.trace.fail("Python computes with a number that a graph has computed")
        return data.item()
    return tensors.wrap(data, type_of(data, found.type))
