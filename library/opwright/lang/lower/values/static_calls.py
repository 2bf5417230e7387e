"""Calls that are evaluated when the function is built: constants of numpy, of onnx.helper and of onnx_ir, and opsets by
the names of their domains.

An array is a tensor of the graph from there on, while Python holds numpy's array. What numpy makes of such arrays among
themselves is the same but for a few operators, which are refused.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import TypeAlias

from opwright.elements import BY_NAME, ElementType
from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.nodes.held_arrays import array_constant
from opwright.lang.lower.numbers.number_operands import describe
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static, numbers_of
from opwright.lang.lower.state.poison import Poisoned, each
from opwright.lang.lower.values.shapes import known_length, tuple_items
from opwright.lang.meaning import numpy_values
from opwright.lang.meaning.objects import (
    ArrayObject,
    BuiltinObject,
    OperatorObject,
    OpsetObject,
    TensorObject,
    TypeObject,
)
from opwright.lang.meaning.operands import Arguments, Environment, IntTuple, Operand
from opwright.lang.meaning.resolve import ONNX_FUNCTIONS
from opwright.lang.meaning.static import StaticError, is_int
from opwright.lang.text.source import Span, span_of
from opwright.opsets.domains import normal_domain
from opwright.opsets.implied import declared_kinds

_DTYPES = {"bool": "bool", "float": "double", "int": "int64"}
_TENSORS = {
    "from_array": numpy_values.from_array,
    "make_tensor": numpy_values.make_tensor,
    "tensor": numpy_values.tensor_of_onnx_ir,
}
MODULES = ("numpy", "onnx")
Argument: TypeAlias = "bool | int | float | str | ElementType | ir.TensorData | tuple[Argument, ...] | None"


def call_constant(low: Lowering, callee: BuiltinObject, arguments: Arguments) -> Operand:
    """`np.array([1.0, 2.0])`, `np.sqrt(2.0)`, `onnx.helper.make_tensor(...)`, of what is known."""
    label = f"{'np' if callee.module == 'numpy' else ONNX_FUNCTIONS[callee.name]}.{callee.name}"
    positional = [_known(low, operand, place, label) for operand, place in arguments.positional]
    keywords = {name: _known(low, operand, place, label) for name, (operand, place) in arguments.keywords.items()}
    try:
        if callee.name in _TENSORS and callee.module == "onnx":
            return TensorObject(_TENSORS[callee.name](positional, keywords))
        found = numpy_values.call_numpy(callee.name, positional, keywords)
    except StaticError as error:
        raise _no_value(low, error, label, arguments.span) from None
    return array_constant(low, found, arguments.span) if isinstance(found, ir.TensorData) else found


def call_array_method(low: Lowering, data: ir.TensorData, name: str, arguments: Arguments) -> Operand:
    """`np.array([1, 2]).reshape(2, 1)`, `.astype(np.float32)`: another array."""
    positional = [_known(low, operand, place, f".{name}") for operand, place in arguments.positional]
    keywords = {key: _known(low, operand, place, f".{name}") for key, (operand, place) in arguments.keywords.items()}
    try:
        made = numpy_values.call_method(data, name, positional, keywords)
    except StaticError as error:
        raise _no_value(low, error, f".{name}", arguments.span) from None
    return array_constant(low, made, arguments.span)


def _no_value(low: Lowering, error: StaticError, label: str, span: Span) -> Poisoned:
    help = "compute it at module level, outside of the function"
    return low.no_value(error, f"`{label}` has no value here", span, help=help)


def _known(low: Lowering, operand: Operand, span: Span, label: str) -> Argument:
    """An argument as `numpy_values` takes it."""
    return _argument.of(operand)(operand, low, span, label)


def _not_known(operand: Operand, low: Lowering, span: Span, label: str) -> Argument:
    need_static(low, operand, span)
    raise low.error(
        "OW304",
        f"`{label}` takes values that are known when the function is built",
        span,
        reason=f"it is evaluated by the compiler, not by the graph, and gets {describe(operand)}",
        help=numpy_values.on_tensors(label.rpartition(".")[2]) or "use an operator on a tensor",
    )


_argument: Operation[Operand, [Lowering, Span, str], Argument] = Operation(_not_known)
_argument.on(type(None), bool, int, float, str)(lambda operand, low, span, label: operand)
_argument.on(TypeObject)(lambda operand, low, span, label: operand.element)
_argument.on(ArrayObject)(lambda operand, low, span, label: operand.data)
_argument.on(TensorObject)(lambda operand, low, span, label: operand.data)
_argument.on(range)(lambda operand, low, span, label: numbers_of(low, operand, span))


@_argument.on(BuiltinObject)
def _dtype(operand: BuiltinObject, low: Lowering, span: Span, label: str) -> Argument:
    if operand.module or operand.name not in _DTYPES:
        return _not_known(operand, low, span, label)
    return BY_NAME[_DTYPES[operand.name]]


@_argument.on(tuple)
def _list(operand: tuple[Operand, ...], low: Lowering, span: Span, label: str) -> Argument:
    return tuple(_known(low, item, span, label) for item in operand)


@_argument.on(IntTuple)
def _sizes(operand: IntTuple, low: Lowering, span: Span, label: str) -> Argument:
    if known_length(operand) is None:
        return _not_known(operand, low, span, label)
    return _list(tuple_items(low, operand, span, f"`{label}` takes it"), low, span, label)


@_argument.on(ir.Value)
def _contents(operand: ir.Value, low: Lowering, span: Span, label: str) -> Argument:
    return low.contents.get(operand) or _not_known(operand, low, span, label)


_PARAMETERS = ("domain", "version", "signatures", "open")


def make_opset(low: Lowering, node: ast.Call, env: Environment) -> Operand:
    """The opset that the call names."""
    given: dict[str, ast.expr] = {}
    for position, argument in enumerate(node.args):
        if isinstance(argument, ast.Starred) or position >= len(_PARAMETERS):
            raise _refused(low, "OW203", "an opset is a domain and a version", span_of(argument))
        given[_PARAMETERS[position]] = argument
    for keyword in node.keywords:
        if keyword.arg not in _PARAMETERS:
            raise _refused(low, "OW205", f"an opset has no `{keyword.arg or '**'}`", span_of(keyword))
        if keyword.arg in given:
            raise _refused(low, "OW203", f"`{keyword.arg}` is given twice", span_of(keyword))
        given[keyword.arg] = keyword.value
    missing = [name for name in _PARAMETERS[:2] if name not in given]
    if missing:
        raise _refused(low, "OW204", f"an opset needs its `{missing[0]}`", span_of(node))
    signatures = given.pop("signatures", None)
    if signatures is not None and not (isinstance(signatures, ast.Constant) and signatures.value is None):
        raise low.error(
            "OW304",
            "the signatures of an opset cannot be given here",
            span_of(signatures),
            reason="signatures are Python objects, and building runs no code",
            help="call the functions of a library through its package: `from acme_ops import opset1 as acme`",
        )
    kinds = _kinds(low, given.pop("open", None))
    operands = each(partial(lower_expression, low, env=env), given.values())
    values = dict(zip(given, operands, strict=True))
    domain, version = values["domain"], values["version"]
    if type(domain) is not str:
        raise _refused(low, "OW304", "the domain of an opset is a string", span_of(given["domain"]))
    if not is_int(version) or version < 1:
        raise _refused(low, "OW304", "the version of an opset is a positive int", span_of(given["version"]))
    return OpsetObject(normal_domain(domain), version, open=kinds)


def check_exists(low: Lowering, operand: Operand, span: Span) -> None:
    """Refuses an operator that its opset lacks, where it is compared instead of called: Python would raise."""
    if not isinstance(operand, OperatorObject) or operand.opset.open is not None:
        return
    name, domain = operand.name, normal_domain(operand.opset.domain)
    if domain and low.scope.libraries.emitted_domain(domain) is not None:
        is_there = name in low.scope.libraries.names(domain)
    else:
        is_there = name in operand.opset.signatures or low.target.find(domain, name, operand.opset.version) is not None
    if not is_there:
        raise low.unknown_operator(domain, name, span)


def _kinds(low: Lowering, node: ast.expr | None) -> dict[str, dict[str, str]] | None:
    """What `open=` says, which must stand there; None where the opset is not open."""
    if node is None:
        return None
    try:
        value = ast.literal_eval(node)
        return None if value is False else declared_kinds(value)
    except (ValueError, TypeError):
        raise low.error(
            "OW304",
            "the value of `open` is not understood",
            span_of(node),
            reason="it is True, or a dictionary of attribute kinds by operator and attribute",
            help='write `open=True`, or `open={"Pool": {"axes": "INTS"}}`',
        ) from None


def _refused(low: Lowering, code: str, message: str, span: Span) -> Poisoned:
    reason = "an opset is known when the function is built"
    return low.error(code, message, span, reason=reason, help='write `Opset("com.acme", 1)`')
