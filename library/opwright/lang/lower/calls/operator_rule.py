"""The rule of calls of operators: of the target opset, of another version, of a library that has functions for them."""

from __future__ import annotations

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.lower.calls.function_calls import call_library_function
from opwright.lang.lower.calls.graph_attributes import call_with_graphs
from opwright.lang.lower.calls.open_calls import signature_of_call
from opwright.lang.lower.calls.written_calls import call_checked, call_rewritten, refuse_second_version
from opwright.lang.lower.expressions.plain_calls import emit_call_of
from opwright.lang.lower.nodes.written_for import meant_signature, refuse_second_opset
from opwright.lang.lower.rules import calls
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.objects import FunctionObject, NestedObject, OperatorObject
from opwright.lang.meaning.operands import (
    Arguments,
    Environment,
    Operand,
)
from opwright.opsets.domains import normal_domain


@calls(OperatorObject)
def _call(low: Lowering, callee: OperatorObject, arguments: Arguments, env: Environment) -> Operand:
    functions = (NestedObject, FunctionObject)
    if arguments.keywords and any(isinstance(operand, functions) for operand, _ in arguments.keywords.values()):
        return call_with_graphs(low, callee, arguments, env)
    return call_operator(low, callee, arguments)


def call_operator(low: Lowering, callee: OperatorObject, arguments: Arguments) -> Operand:
    """`op.Name(inputs..., attribute=...)`: one value, or a tuple of them."""
    domain = normal_domain(callee.opset.domain)
    given = callee.opset.signatures.get(callee.name)
    if not domain and given is None and arguments.result_count is None:
        made = emit_call_of(low, callee, arguments)
        if made is not None:
            return made
    if not domain and not low.is_the_only_opset(callee.opset):
        raise refuse_second_opset(low, callee.opset.version, callee.name, arguments.callee_span)
    emitted = low.scope.libraries.emitted_domain(domain) if domain else None
    if emitted is not None and (callee.opset.open is None or callee.name in low.scope.libraries.names(domain)):
        return call_library_function(low, callee, arguments, emitted)
    if domain and domain not in low.target.versions:
        low.trail.put(low.target.versions, domain, callee.opset.version)
    if domain and low.target.versions[domain] != callee.opset.version:
        raise refuse_second_version(low, callee, domain, arguments.callee_span)
    operator = low.target.find(domain, callee.name, callee.opset.version) if given is None else ir.Operator(given)
    if operator is None and callee.opset.open is not None:
        operator = ir.Operator(signature_of_call(low, callee, arguments))
    if operator is None:
        raise low.unknown_operator(domain, callee.name, arguments.callee_span)
    signature = operator.signature
    if signature.deprecated:
        raise low.error(
            "OW216",
            f"{callee.name} is deprecated at opset {low.target.bare_opset}",
            arguments.callee_span,
            reason=f"{signature.identity} may not be used in new models",
            help="see the operator's page for its successor",
            subject=callee.name,
            depends_on=Choice.OPSET,
        )
    if signature.since_version < signature.record.first_run:
        raise low.error(
            "OW222",
            f"no runtime has version {signature.since_version} of {callee.name}",
            arguments.callee_span,
            reason=f"opset {low.target.bare_opset} has that version, and a model of it runs nowhere",
            help=low.scope.newer_opset(signature.domain, signature.record.first_run),
            subject=callee.name,
            depends_on=Choice.OPSET | Choice.WRITTEN_FOR,
        )
    if not domain and given is None:
        meant = meant_signature(low, callee.opset, signature)
        if meant.since_version != signature.since_version:
            return call_rewritten(low, meant, operator, arguments)
    return call_checked(low, signature, arguments, operator)
