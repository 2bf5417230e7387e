"""A library at one opset as a plain `ModelProto`: functions and an empty graph, which every ONNX tool reads."""

from __future__ import annotations

from onnx import ModelProto, helper
from opwright.bundle.format import Bundle
from opwright.link.instantiate import instantiate
from opwright.link.naming import Profile, bodies_at

PRODUCER = "opwright"


def export_model(bundle: Bundle, opset: int, profile: Profile = Profile.OVERLOAD) -> ModelProto:
    """Every function of the library that has a body at that default opset, in its newest version, callees first.

    Functions stand in the domain that they are emitted in. The IR version is the lowest that the opset and the
    functions' overloads allow. A function without a body at that opset is left out.
    """
    index = bundle.index
    mirrors = {domain.name: domain for domain in index.domains}
    functions = {entry.identity: entry for entry in index.functions}
    newest = {(entry.domain, entry.name): entry for entry in index.functions}
    model = ModelProto(producer_name=PRODUCER, producer_version=index.version)
    model.doc_string = index.summary
    model.graph.name = index.library
    made: dict[tuple[str, str, str], bytes] = {}
    for entry in newest.values():
        for body in bodies_at(entry, opset):
            emitted = mirrors[entry.domain].mirror
            for function in instantiate(
                functions, bundle.bodies, entry, body, opset=opset, domain=emitted, profile=profile
            ):
                key = (function.domain, function.name, function.overload)
                if key not in made:
                    made[key] = function.SerializeToString(deterministic=True)
                    model.functions.add().CopyFrom(function)
    imports = [helper.make_opsetid("", opset)]
    imports += [helper.make_opsetid(domain.mirror, domain.version) for domain in index.domains]
    model.opset_import.extend(imports)
    model.ir_version = max(10, helper.find_min_ir_version_for([imports[0]], ignore_unknown=True))
    return model
