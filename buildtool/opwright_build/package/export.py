"""A library at one opset as a plain `ModelProto`: functions and an empty graph, which every ONNX tool reads."""

from __future__ import annotations

from onnx import ModelProto, helper
from opwright.bundle.format import Bundle
from opwright.link.catalogue import merge_libraries
from opwright.link.flatten import flatten
from opwright.link.inline import function_id
from opwright.link.instantiate import called, closure, name_body
from opwright.link.naming import Instance, Naming, Profile, bodies_at

PRODUCER = "opwright"

_FUNCTIONS_IR = 10  # the lowest with the overloads and metadata of functions


def export_model(bundle: Bundle, opset: int, profile: Profile = Profile.OVERLOAD) -> ModelProto:
    """Every function of the library that has a body at that default opset, in its newest version, callees first.

    Functions stand in the domain that they are emitted in, every attribute is written at every call, and chains of
    calls deeper than the checker allows are shortened by inlining. The IR version is the lowest that the opset and the
    functions allow. DiagnosticError when the library calls one that is not part of it.
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
    model = ModelProto(producer_name=PRODUCER, producer_version=index.version, doc_string=index.summary)
    model.graph.name = index.library
    model.functions.extend(flatten(list(made.values()), {naming.id_of(instance) for instance in roots}))
    imports |= {item.domain: item.version for function in model.functions for item in function.opset_import}
    imports[""] = opset
    model.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in sorted(imports.items()))
    default = helper.make_opsetid("", opset)
    model.ir_version = max(_FUNCTIONS_IR, helper.find_min_ir_version_for([default], ignore_unknown=True))
    return model
