"""A library at one opset as a plain `ModelProto`: functions and an empty graph, which every ONNX tool reads."""

from __future__ import annotations

from onnx import ModelProto, helper
from opwright.bundle.format import Bundle
from opwright.graphs.inlined_names import keep_apart
from opwright.link.exported import functions_at
from opwright.variants import Profile

PRODUCER = "opwright"

_FUNCTIONS_IR = 10  # the lowest with the metadata of functions


def export_model(bundle: Bundle, opset: int, profile: Profile = Profile.PORTABLE) -> ModelProto:
    """The functions of the library at that default opset (see `functions_at`).

    The IR version is the lowest that the opset and the functions allow. DiagnosticError when the library calls one that
    is not part of it.
    """
    index = bundle.index
    model = ModelProto(producer_name=PRODUCER, producer_version=index.version, doc_string=index.summary)
    model.graph.name = index.library
    model.functions.extend(functions_at(bundle, opset, profile))
    keep_apart(model.functions)
    imports = {domain.mirror: domain.version for domain in index.domains}
    imports |= {item.domain: item.version for function in model.functions for item in function.opset_import}
    imports[""] = opset
    model.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in sorted(imports.items()))
    default = helper.make_opsetid("", opset)
    model.ir_version = max(_FUNCTIONS_IR, helper.find_min_ir_version_for([default], ignore_unknown=True))
    return model
