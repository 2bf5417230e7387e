"""Functions of a model that import other opsets than it does: they are compiled for the model's."""

from __future__ import annotations

from collections.abc import Iterable

from onnx import FunctionProto

from opwright.decompiler.operator_forms import Forms
from opwright.decompiler.refuse import refuse
from opwright.graphs.ids import call_id, function_id
from opwright.graphs.walk import all_nodes
from opwright.opsets.domains import normal_domain
from opwright.opsets.signatures import history, signature


def refuse_other_operators(protos: Iterable[FunctionProto], forms: Forms) -> None:
    """Raises DiagnosticError (OW590) where an operator of a function is another one at the opset that `forms` are of;
    onnx.checker refuses such a model."""
    functions = {function_id(item): item for item in protos}
    for proto in functions.values():
        imports = {normal_domain(item.domain): item.version for item in proto.opset_import}
        others = {domain for domain, version in imports.items() if forms.imports.get(domain, version) != version}
        for node in all_nodes(proto.node) if others else ():
            domain = normal_domain(node.domain)
            if domain not in others or call_id(node) in functions:
                continue
            own, models = imports[domain], forms.imports[domain]
            if not _is_the_same(domain, node.op_type, own, models):
                what = f"the function {proto.name} imports opset {own} of {domain or 'ai.onnx'}, and the model {models}"
                reason = f"{node.op_type} is another operator there, and a function is compiled for the model's opset"
                raise refuse(what, reason, "bring the function to the model's opset first")


def _is_the_same(domain: str, name: str, first: int, second: int) -> bool:
    """Whether a node of the operator does the same at both versions of its domain; so do those of which nothing is
    known."""
    one, other = (signature(domain, name, version) for version in (first, second))
    if one is None or other is None:
        return one is other
    since, until = sorted((one.since_version, other.since_version))
    newer = [version for version in history(domain, name) if since < version <= until]
    record, shared = other.record, one.attributes.keys() & other.attributes.keys()
    return not newer or (
        all(version in record.reviewed and version not in record.steps for version in newer)
        and all(one.attributes[item].default == other.attributes[item].default for item in shared)
    )
