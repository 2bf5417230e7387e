"""`Opset("com.acme", 1)`: an opset by the name of its domain."""

from __future__ import annotations

import ast
from functools import partial

from opwright.lang.lower.context import Lowering
from opwright.lang.lower.operands import Environment, Operand
from opwright.lang.lower.poison import Poisoned, each
from opwright.lang.lower.rules import lower_expression
from opwright.lang.objects import OperatorObject, OpsetObject
from opwright.lang.source import Span, span_of
from opwright.lang.static import is_int
from opwright.opsets.domains import normal_domain
from opwright.opsets.implied import declared_kinds

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
