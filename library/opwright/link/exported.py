"""The functions of a library at one opset, as a model would carry them."""

from __future__ import annotations

from onnx import FunctionProto

from opwright.bundle.format import Bundle
from opwright.graphs.ids import function_id
from opwright.link.catalogue import merge_libraries
from opwright.link.flatten import flatten
from opwright.link.instantiate import called, closure, name_body
from opwright.link.naming import Instance, Naming, bodies_at
from opwright.variants import Profile


def functions_at(bundle: Bundle, opset: int, profile: Profile = Profile.PORTABLE) -> list[FunctionProto]:
    """Every function of the library that has a body at that default opset, in its newest version, callees first.

    Functions stand in the domain that they are emitted in, every attribute is written at every call, and chains of
    calls deeper than the checker allows are shortened by inlining. DiagnosticError when the library calls one that is
    not part of it.
    """
    index = bundle.index
    catalogue = merge_libraries([bundle])
    newest = {(entry.domain, entry.name): entry for entry in index.functions}
    roots = [Instance(entry, body) for entry in newest.values() for body in bodies_at(entry, opset)]
    instances = closure(catalogue, roots, opset)
    imports = {domain.mirror: domain.version for domain in index.domains}
    naming = Naming(catalogue, imports, opset, profile, called(catalogue, instances, opset))
    functions = [name_body(naming, instance) for instance in instances]
    made = {function_id(function): function for function in functions}
    return flatten(list(made.values()), {naming.id_of(instance) for instance in roots})
