"""The opset imports that a model is asked to have, where they are not what its operators alone would need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from onnx import FunctionProto, ModelProto, NodeProto, OperatorSetIdProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.walk import all_nodes
from opwright.opsets.domains import normal_domain
from opwright.opsets.signatures import history, signature


def declare_imports(model: ModelProto, wanted: Mapping[str, int]) -> None:
    """Gives the model, and the functions that it carries, exactly these imports. Raises DiagnosticError where a domain
    is missing that they use, or an operator is another one at the version that is asked for."""
    found = {item.domain: item.version for item in model.opset_import}
    _check(all_nodes(model.graph.node), found, wanted)
    for function in model.functions:
        _check(all_nodes(function.node), {item.domain: item.version for item in function.opset_import}, wanted)
        for item in function.opset_import:
            item.version = wanted.get(item.domain, item.version)
    imports: list[OperatorSetIdProto] = [helper.make_opsetid(domain, version) for domain, version in wanted.items()]
    del model.opset_import[:]
    model.opset_import.extend(imports)


def declare_function_imports(function: FunctionProto, wanted: Mapping[str, int]) -> None:
    """The same of a function."""
    wanted = {normal_domain(domain): version for domain, version in wanted.items()}
    _check(all_nodes(function.node), {item.domain: item.version for item in function.opset_import}, wanted)
    imports: list[OperatorSetIdProto] = [helper.make_opsetid(domain, version) for domain, version in wanted.items()]
    del function.opset_import[:]
    function.opset_import.extend(imports)


def _check(nodes: Iterable[NodeProto], found: Mapping[str, int], wanted: Mapping[str, int]) -> None:
    seen: set[tuple[str, str]] = set()
    for node in nodes:
        domain = normal_domain(node.domain)
        if (domain, node.op_type) in seen:
            continue
        seen.add((domain, node.op_type))
        if domain not in wanted:
            raise DiagnosticError([_refused(f"`opset_imports` lacks {domain or 'ai.onnx'}", node)])
        version = found.get(domain, 1)
        if version != wanted[domain] and history(domain, node.op_type):
            one, other = signature(domain, node.op_type, version), signature(domain, node.op_type, wanted[domain])
            if other is None or (one is not None and one.since_version != other.since_version):
                text = f"{node.op_type} is another operator at version {wanted[domain]} of {domain or 'ai.onnx'}"
                raise DiagnosticError([_refused(text, node)])


def _refused(message: str, node: NodeProto) -> Diagnostic:
    return Diagnostic(
        "OW354",
        message,
        reason=f"the model calls {node.op_type}, compiled for another import",
        help="leave `opset_imports` out, or ask for the opset that the function's operators are of",
    )
