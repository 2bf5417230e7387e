"""Operators on tensors that are there: calls, Python's operators and subscripts, by way of the compiler's own steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import FunctionType
from typing import Any, TypeGuard

import numpy as np

from opwright import types
from opwright.diagnostics.model import DiagnosticError
from opwright.eager.arrays import Array, Data, as_array, data_of, element_of, type_of
from opwright.eager.graph_argument import GraphArgument
from opwright.eager.lowering import NOWHERE, EagerLowering
from opwright.eager.place import caller, unpacked_to
from opwright.eager.replay import MISS, Key, Recording, Unkeyed, keep, key_of, replay
from opwright.eager.settings import opset_in_force
from opwright.elements import ElementType, element_of_class
from opwright.lang import ir
from opwright.lang.lower import arithmetic, calls, numbers
from opwright.lang.lower.calls import Arguments
from opwright.lang.lower.context import LowerAgain, Operand
from opwright.lang.objects import ArrayObject, FunctionObject, OperatorObject, OpsetObject, TypeObject
from opwright.lang.source import Span
from opwright.opsets.operator import Operator
from opwright.opsets.signatures import Signature, newest_opset, signature, tensor_element

_SPANS = (NOWHERE, NOWHERE)


def call_operator(operator: Operator, args: Sequence[object], kwargs: Mapping[str, object]) -> Any:
    """`op.Name(inputs..., attribute=...)`: the results, checked and run as the schema of the opset in force says.

    Numpy arrays count as tensors. DiagnosticError, at the caller's line, for what the compiler refuses too, and where
    the runtime fails.
    """
    opset = opset_in_force(None if operator.domain else operator.opset.named)
    count = unpacked_to(caller()) if _may_be_unpacked(operator.domain, operator.name, opset) else None

    def lower(low: EagerLowering) -> Operand:
        arguments = _arguments(low, operator, args, kwargs, count)
        callee = OperatorObject(OpsetObject(operator.domain, operator.opset.named), operator.name)
        if any(isinstance(item, FunctionObject) for item, _ in arguments.keywords.values()):
            return _call_with_graphs(low, callee, arguments)
        return calls.call_operator(low, callee, arguments)

    head = (operator.domain, operator.name, count, len(args), *kwargs)
    return _perform(head, opset, (*args, *kwargs.values()), lower)


@cache
def _may_be_unpacked(domain: str, name: str, opset: int) -> bool:
    found = signature(domain, name, opset if not domain else newest_opset(domain))
    return found is not None and found.max_outputs > 1


def _call_with_graphs(low: EagerLowering, callee: OperatorObject, arguments: Arguments) -> Operand:
    from opwright.lang.lower.graphs import call_with_graphs

    while True:
        try:
            found = call_with_graphs(low, callee, arguments, {})
        except LowerAgain:  # a loop in one of the functions must be unrolled; `low.plans` says so now
            low.diagnostics.clear()
            continue
        if low.diagnostics:
            raise DiagnosticError(low.diagnostics)
        return found


def binary(symbol: str, left: object, right: object) -> Any:
    """`left symbol right`, one of which is a tensor."""
    return _perform(
        (symbol,),
        opset_in_force(),
        (left, right),
        lambda low: arithmetic.binary(low, symbol, operand(low, left), operand(low, right), NOWHERE, _SPANS),
    )


def unary(symbol: str, value: object) -> Any:
    return _perform(
        (symbol, "unary"),
        opset_in_force(),
        (value,),
        lambda low: arithmetic.unary(low, symbol, operand(low, value), NOWHERE, NOWHERE),
    )


def subscript(owner: object, key: object) -> Any:
    """`owner[key]` of a tensor."""
    from opwright.lang.lower import subscripts

    return _perform(
        ("[]",),
        opset_in_force(),
        (owner, (key,)),  # in a tuple tensors have no key: what they pick decides shapes on the way
        lambda low: subscripts.subscript(low, operand(low, owner), _index(low, key), NOWHERE),
        shaped=True,
    )


def make_scalar(element: ElementType, value: object) -> Any:
    """`FLOAT(0.5)`."""

    def lower(low: EagerLowering) -> Operand:
        made = operand(low, value)
        if not numbers.is_number(made):
            low.error(
                "OW314",
                f"{element.name.upper()}(...) takes a number, not {numbers.describe(made)}",
                None,
                reason="it makes a typed scalar of a Python number",
                help="to convert a tensor write `op.Cast(x, to=...)`",
            )
        return numbers.convert_number(low, made, element, None)

    return _perform((element, "scalar"), opset_in_force(), (value,), lower)


def _perform(
    head: tuple[object, ...],
    opset: int,
    values: tuple[object, ...],
    lower: Callable[[EagerLowering], Operand],
    shaped: bool = False,
) -> Any:
    """The results of an operation: as it was recorded for such values, or lowered now."""
    data: list[Data] = []
    try:
        key: Key | None = (head, opset, *[key_of(value, data, shaped) for value in values])
    except Unkeyed:
        key = None
    if key is not None:
        kept = replay(key, data, wrap)
        if kept is not MISS:
            return kept
    low = EagerLowering(opset, caller(), None if key is None else Recording())
    try:
        made = lower(low)
        found = result(low, made)
    except DiagnosticError as error:
        raise error.with_traceback(None) from None  # our own frames would tell the author nothing
    if key is not None and low.recording is not None:
        low.recording.finish(made, low.data)
        keep(key, low.recording)
    return found


def refuse(code: str, message: str, reason: str, help: str) -> Any:
    """Raises the finding at the caller's line."""
    return _operation().error(code, message, None, reason, help)


def _operation() -> EagerLowering:
    return EagerLowering(opset_in_force(), caller())


# ------------------------------------------------------------------------------------------------- operands


def operand(low: EagerLowering, value: object) -> Operand:
    """A value of Python as the compiler would have it; what has no meaning is itself, and refused where it is used."""
    from opwright.eager.tensor import Tensor

    if isinstance(value, Tensor):
        made = low.value(value.data, value.type)
        if low.recording is not None:
            low.recording.operand(made)
        return made
    if isinstance(value, np.generic) and value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
        return value.item()  # a number, as the compiler reads it
    if isinstance(value, (np.ndarray, np.generic)):
        return low.array(as_array(value))
    if isinstance(value, (list, tuple)):
        return tuple(operand(low, item) for item in value)
    if isinstance(value, ElementType):
        return TypeObject(value)
    if isinstance(value, (FunctionType, GraphArgument)):
        from opwright.eager.graphs import graph_operand

        return graph_operand(low, value.function if isinstance(value, GraphArgument) else value)
    if isinstance(value, type):
        element = element_of_class(value)
        return value if element is None else TypeObject(element)
    return value


def _index(low: EagerLowering, key: object) -> list[Operand]:
    """What stands between the brackets, in order."""
    from opwright.lang.lower import subscripts

    parts = key if isinstance(key, tuple) else (key,)
    return [
        subscripts.SliceItem(operand(low, part.start), operand(low, part.stop), operand(low, part.step))
        if isinstance(part, slice)
        else operand(low, part)
        for part in parts
    ]


def _arguments(
    low: EagerLowering, operator: Operator, args: Sequence[object], kwargs: Mapping[str, object], count: int | None
) -> Arguments:
    found = low.lookup(operator.domain, operator.name)
    formals = () if found is None else found.inputs
    positional = [
        (_argument(low, found, formals[min(index, len(formals) - 1)].type if formals else "", value), NOWHERE)
        for index, value in enumerate(args)
    ]
    kinds = {formal.name: formal.type for formal in formals}
    keywords: dict[str, tuple[Operand, Span]] = {}
    for name, value in kwargs.items():
        if _is_tensor_attribute(value, found, name):
            keywords[name] = (ArrayObject(data_of(value)), NOWHERE)
        else:
            keywords[name] = (_argument(low, found, kinds.get(name, ""), value), NOWHERE)
    return Arguments(positional, keywords, count, NOWHERE, NOWHERE)


def _is_tensor_attribute(value: object, callee: Signature | None, name: str) -> TypeGuard[Array]:
    """Whether an array is given for an attribute, which holds it as it is."""
    spec = None if callee is None else callee.attributes.get(name)
    if spec is None or spec.kind != "TENSOR":
        return False
    return isinstance(value, np.ndarray) and element_of(value) is not None


def _argument(low: EagerLowering, callee: Signature | None, formal: str, value: object) -> Operand:
    """An argument of an operator: where it takes a sequence, a list is one."""
    if isinstance(value, list) and callee is not None:
        admitted = callee.admitted.get(formal, (formal,))
        tensors = any(isinstance(item, (types.Tensor, np.ndarray)) for item in value)
        if any(text.startswith("seq(") for text in admitted) and (
            tensors or not any(tensor_element(text) for text in admitted)
        ):
            return sequence(low, value)
    return operand(low, value)


def sequence(low: EagerLowering, items: list[Any]) -> ir.Value:
    """A list of tensors as a sequence; numbers in it take the type of the first tensor."""
    from opwright.eager.tensor import Items

    made = [operand(low, item) for item in items]
    known = next((item.type for item in made if isinstance(item, ir.Value)), None)
    if known is None and isinstance(items, Items):
        known = items.item
    if known is None:
        known = ir.TensorType(low.element_of("float"))
    data: list[Data] = []
    for item in made:
        value = numbers.as_tensor(low, item, known.element if isinstance(known, ir.TensorType) else None, None)
        assert isinstance(value, ir.Value)
        if not ir.same_type(value.type, known):
            low.error(
                "OW315",
                f"a sequence holds tensors of one element type, not {known!r} and {value.type!r}",
                None,
                reason="element types are never promoted: nobody has said what the result should be",
                help="cast one of them",
            )
        data.append(low.data[value])
    return low.value(data, ir.SequenceType(ir.TensorType(known.element) if isinstance(known, ir.TensorType) else known))


# -------------------------------------------------------------------------------------------------- results


def result(low: EagerLowering, found: Operand) -> Any:
    """What an operation gives to Python."""
    if isinstance(found, tuple):
        return tuple(result(low, item) for item in found)
    if not isinstance(found, ir.Value):
        return found
    data = low.data[found]
    if isinstance(found.type, ir.NumberType):
        return data.item()
    return wrap(data, type_of(data, found.type))


def wrap(data: Data, type_: ir.Type) -> Any:
    """A tensor, or a list of tensors for a sequence."""
    from opwright.eager.tensor import Items, make_tensor

    if isinstance(type_, ir.SequenceType):
        return Items((wrap(item, _item_type(item, type_.item)) for item in data), type_.item)
    return make_tensor(data, type_)


def _item_type(data: Data, known: ir.Type) -> ir.Type:
    if isinstance(known, ir.TensorType) and isinstance(data, np.ndarray):
        return ir.TensorType(known.element, data.shape)
    return known
