"""The public names, as type checkers see them. `__init__.py` loads each on first use."""

from opwright.builder.graph_builder import (
    GraphBuilder,
)
from opwright.bundle.format import (
    Bundle,
)
from opwright.bundle.read import (
    find_bundle,
    read_bundle,
)
from opwright.decompiler.decompile import (
    decompile,
)
from opwright.decompiler.modules import (
    Decompiled,
)
from opwright.decompiler.side_file import (
    load_arrays,
)
from opwright.diagnostics.diagnostic import (
    Diagnostic,
    DiagnosticError,
    DiagnosticWarning,
)
from opwright.downlevel.rewrite import (
    convert,
    polyfill,
)
from opwright.eager.failures import (
    explain_failures,
)
from opwright.functions import (
    OnnxFunction,
    graph,
    script,
)
from opwright.link.apply import (
    attach,
)
from opwright.link.attachment import (
    AttachPlan,
    plan_attach,
)
from opwright.link.detach import (
    detach,
)
from opwright.link.inspect import (
    inspect,
)
from opwright.link.upgrade import (
    UpgradePlan,
    plan_upgrade,
    upgrade,
)
from opwright.live.proto_functions import (
    proto_function,
)
from opwright.live.source_text import (
    compile_source,
)
from opwright.opsets import (
    latest,
    opset1,
    opset2,
    opset3,
    opset4,
    opset5,
    opset6,
    opset7,
    opset8,
    opset9,
    opset10,
    opset11,
    opset12,
    opset13,
    opset14,
    opset15,
    opset16,
    opset17,
    opset18,
    opset19,
    opset20,
    opset21,
    opset22,
    opset23,
    opset24,
    opset25,
    opset26,
    opset27,
    opset28,
    opset_ai_onnx_ml1,
    opset_ai_onnx_ml2,
    opset_ai_onnx_ml3,
    opset_ai_onnx_ml4,
    opset_ai_onnx_ml5,
    opset_ai_onnx_preview1,
    opset_ai_onnx_preview_training1,
)
from opwright.opsets.opset import (
    Opset,
)
from opwright.protos.compare import (
    compare,
)
from opwright.protos.difference import (
    Comparison,
)
from opwright.protos.digest import (
    digest,
)
from opwright.types import (
    BFLOAT16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT4E2M1,
    FLOAT6E2M3,
    FLOAT6E3M2,
    FLOAT8E4M3FN,
    FLOAT8E4M3FNUZ,
    FLOAT8E5M2,
    FLOAT8E5M2FNUZ,
    FLOAT8E8M0,
    FLOAT16,
    INT2,
    INT4,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    UINT2,
    UINT4,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    Graph,
    Map,
    Optional,
    OptionalValue,
    Sequence,
    Tensor,
)

__version__: str
__all__ = [
    "BFLOAT16",
    "BOOL",
    "COMPLEX64",
    "COMPLEX128",
    "DOUBLE",
    "FLOAT",
    "FLOAT4E2M1",
    "FLOAT6E2M3",
    "FLOAT6E3M2",
    "FLOAT8E4M3FN",
    "FLOAT8E4M3FNUZ",
    "FLOAT8E5M2",
    "FLOAT8E5M2FNUZ",
    "FLOAT8E8M0",
    "FLOAT16",
    "INT2",
    "INT4",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "STRING",
    "UINT2",
    "UINT4",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "AttachPlan",
    "Bundle",
    "Comparison",
    "Decompiled",
    "Diagnostic",
    "DiagnosticError",
    "DiagnosticWarning",
    "Graph",
    "GraphBuilder",
    "Map",
    "OnnxFunction",
    "Opset",
    "Optional",
    "OptionalValue",
    "Sequence",
    "Tensor",
    "UpgradePlan",
    "__version__",
    "attach",
    "compare",
    "compile_source",
    "convert",
    "decompile",
    "detach",
    "digest",
    "explain_failures",
    "find_bundle",
    "graph",
    "inspect",
    "latest",
    "load_arrays",
    "opset1",
    "opset2",
    "opset3",
    "opset4",
    "opset5",
    "opset6",
    "opset7",
    "opset8",
    "opset9",
    "opset10",
    "opset11",
    "opset12",
    "opset13",
    "opset14",
    "opset15",
    "opset16",
    "opset17",
    "opset18",
    "opset19",
    "opset20",
    "opset21",
    "opset22",
    "opset23",
    "opset24",
    "opset25",
    "opset26",
    "opset27",
    "opset28",
    "opset_ai_onnx_ml1",
    "opset_ai_onnx_ml2",
    "opset_ai_onnx_ml3",
    "opset_ai_onnx_ml4",
    "opset_ai_onnx_ml5",
    "opset_ai_onnx_preview1",
    "opset_ai_onnx_preview_training1",
    "plan_attach",
    "plan_upgrade",
    "polyfill",
    "proto_function",
    "read_bundle",
    "script",
    "upgrade",
]
