"""Opwright: ONNX functions written in Python, built into libraries, attached to models.

Everything here is loaded on first use: `import opwright` imports neither onnx nor numpy.
"""

from opwright.first_use import load_module, settle
from opwright.version import OPSETS, VERSION

__version__ = VERSION

_TYPES = (
    "Graph",
    "Map",
    "Optional",
    "OptionalValue",
    "Sequence",
    "Tensor",
    "FLOAT",
    "DOUBLE",
    "FLOAT16",
    "BFLOAT16",
    "FLOAT8E4M3FN",
    "FLOAT8E4M3FNUZ",
    "FLOAT8E5M2",
    "FLOAT8E5M2FNUZ",
    "FLOAT8E8M0",
    "FLOAT4E2M1",
    "FLOAT6E2M3",
    "FLOAT6E3M2",
    "INT2",
    "INT4",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "UINT2",
    "UINT4",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "BOOL",
    "STRING",
    "COMPLEX64",
    "COMPLEX128",
)
_HOMES = dict.fromkeys(_TYPES, "opwright.types") | {
    "AttachPlan": "opwright.link.attachment",
    "Bundle": "opwright.bundle.format",
    "Comparison": "opwright.protos.difference",
    "Diagnostic": "opwright.diagnostics.diagnostic",
    "DiagnosticError": "opwright.diagnostics.diagnostic",
    "DiagnosticWarning": "opwright.diagnostics.diagnostic",
    "GraphBuilder": "opwright.builder.graph_builder",
    "OnnxFunction": "opwright.functions",
    "compile_source": "opwright.live.source_text",
    "convert": "opwright.downlevel.rewrite",
    "Opset": "opwright.opsets.opset",
    "attach": "opwright.link.apply",
    "compare": "opwright.protos.compare",
    "Decompiled": "opwright.decompiler.modules",
    "decompile": "opwright.decompiler.decompile",
    "detach": "opwright.link.detach",
    "digest": "opwright.protos.digest",
    "explain_failures": "opwright.eager.failures",
    "find_bundle": "opwright.bundle.read",
    "graph": "opwright.functions",
    "inspect": "opwright.link.inspect",
    "latest": "opwright.opsets",
    "load_arrays": "opwright.decompiler.side_file",
    "plan_attach": "opwright.link.attachment",
    "plan_upgrade": "opwright.link.upgrade",
    "polyfill": "opwright.downlevel.rewrite",
    "proto_function": "opwright.live.proto_functions",
    "read_bundle": "opwright.bundle.read",
    "script": "opwright.functions",
    "upgrade": "opwright.link.upgrade",
    "UpgradePlan": "opwright.link.upgrade",
}
for _prefix, _newest in OPSETS.items():
    _HOMES |= {f"{_prefix}{_version}": "opwright.opsets" for _version in range(1, _newest + 1)}

# What the objects among them do when they are used. They stand below it: compiler and eager mode know them.
settle(
    {
        "binary": "opwright.eager.operations",
        "call_function": "opwright.eager.python_execution",
        "call_library_function": "opwright.eager.one_node",
        "call_operator": "opwright.eager.operations",
        "call_proto_function": "opwright.builder.one_call",
        "digest": "opwright.protos.digest",
        "find_operator": "opwright.opsets.operator",
        "find_opset": "opwright.opsets",
        "function_proto": "opwright.live.protos",
        "function_protos": "opwright.live.protos",
        "given_model": "opwright.graphs.model_forms",
        "has_operator": "opwright.opsets.operator",
        "instantiate": "opwright.link.instantiate",
        "make_scalar": "opwright.eager.operations",
        "model_proto": "opwright.model.of_script",
        "one_shape_of_branches": "opwright.opsets.branch_rules",
        "onnxscript_protos": "opwright.live.onnxscript_callees",
        "operator_names": "opwright.opsets.operator",
        "printable": "opwright.diagnostics.text",
        "refuse": "opwright.eager.operations",
        "render": "opwright.diagnostics.text",
        "scalar_beside_unknown": "opwright.opsets.branch_rules",
        "subscript": "opwright.eager.operations",
        "tensor_of": "opwright.eager.tensor",
        "transposed": "opwright.eager.operations",
        "trees_of_nodes": "opwright.opsets.tree_rules",
        "unary": "opwright.eager.operations",
    }
)

_PUBLIC = ["__version__", *sorted(_HOMES)]
globals()["__all__"] = _PUBLIC  # a checker reads the names in __init__.pyi; of those made here it would know none


def __getattr__(name: str) -> object:
    home = _HOMES.get(name) or ("opwright.opsets" if name.startswith("opset") and name[-1].isdigit() else None)
    if home is None:
        from opwright.suggest import nearest

        near = "" if name.startswith("_") else nearest(name, _PUBLIC)
        hint = f". Did you mean: {near!r}?" if near else ""
        # The module is left out, or Python would guess a second time.
        raise AttributeError(f"module 'opwright' has no attribute {name!r}{hint}", name=name, obj=None)
    value = getattr(load_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(_PUBLIC)
