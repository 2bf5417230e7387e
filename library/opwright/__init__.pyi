"""The public names, as type checkers see them. `__init__.py` loads each on first use."""

from opwright.bundle.format import (
    Bundle,
)
from opwright.bundle.read import (
    find_bundle,
    read_bundle,
)
from opwright.diagnostics.model import (
    Diagnostic,
    DiagnosticError,
)
from opwright.functions import (
    OnnxFunction,
    graph,
    script,
)
from opwright.link.apply import (
    attach,
)
from opwright.link.detach import (
    detach,
)
from opwright.link.inspect import (
    inspect,
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
    "Bundle",
    "Comparison",
    "Diagnostic",
    "DiagnosticError",
    "OnnxFunction",
    "Opset",
    "Tensor",
    "__version__",
    "attach",
    "compare",
    "detach",
    "digest",
    "find_bundle",
    "graph",
    "inspect",
    "read_bundle",
    "script",
]
