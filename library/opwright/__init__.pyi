"""The public names, as type checkers see them. `__init__.py` loads each on first use."""

from opwright.bundle.format import Bundle as Bundle
from opwright.bundle.read import find_bundle as find_bundle, read_bundle as read_bundle
from opwright.diagnostics.model import Diagnostic as Diagnostic, DiagnosticError as DiagnosticError
from opwright.link.apply import attach as attach
from opwright.link.detach import detach as detach
from opwright.link.inspect import inspect as inspect
from opwright.types import (
    BFLOAT16 as BFLOAT16,
    BOOL as BOOL,
    COMPLEX128 as COMPLEX128,
    COMPLEX64 as COMPLEX64,
    DOUBLE as DOUBLE,
    FLOAT as FLOAT,
    FLOAT16 as FLOAT16,
    FLOAT4E2M1 as FLOAT4E2M1,
    FLOAT8E4M3FN as FLOAT8E4M3FN,
    FLOAT8E4M3FNUZ as FLOAT8E4M3FNUZ,
    FLOAT8E5M2 as FLOAT8E5M2,
    FLOAT8E5M2FNUZ as FLOAT8E5M2FNUZ,
    FLOAT8E8M0 as FLOAT8E8M0,
    INT16 as INT16,
    INT2 as INT2,
    INT32 as INT32,
    INT4 as INT4,
    INT64 as INT64,
    INT8 as INT8,
    STRING as STRING,
    Tensor as Tensor,
    UINT16 as UINT16,
    UINT2 as UINT2,
    UINT32 as UINT32,
    UINT4 as UINT4,
    UINT64 as UINT64,
    UINT8 as UINT8,
)
from opwright.version import VERSION as __version__

__all__: list[str]
