"""What the peer's library of functions imports from elsewhere, under the same names, for the files compiled here."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any, TypeVar

import opwright
from opwright import OnnxFunction, Opset, Tensor, script

DOMAIN = "peer.torch_lib"


class Unused:
    """Stands for what only functions need that are not compiled here."""

    def __getattr__(self, name: str) -> Unused:
        return self

    def __call__(self, *arguments: object, **keywords: object) -> Unused:
        return self


torch = common_ops = Unused()
ir = importlib.import_module("onnx_ir")
onnxscript = SimpleNamespace(script=script, values=SimpleNamespace(Opset=Opset))
_constants = SimpleNamespace(DOMAIN=DOMAIN)
tensor_typing = sys.modules[__name__]


class version_utils:
    """Which PyTorch is installed decides whether some functions are scripted: an older one."""

    @staticmethod
    def torch_older_than(version: str) -> bool:
        return True


def torch_op(
    name: str | tuple[str, ...], *, trace_only: bool = False, private: bool = False, complex: bool = False
) -> Callable[[FunctionType], Any]:
    """Compiles what is scripted; what is traced there stays a plain function."""

    def decorate(function: FunctionType) -> FunctionType | OnnxFunction:
        return function if trace_only else script(Opset(DOMAIN, 1))(function)

    return decorate


# A bare `INT64` annotates tensors of every rank there; here it would say rank 0.
BFLOAT16 = opwright.BFLOAT16[...]
BOOL = opwright.BOOL[...]
COMPLEX64 = opwright.COMPLEX64[...]
COMPLEX128 = opwright.COMPLEX128[...]
DOUBLE = opwright.DOUBLE[...]
FLOAT = opwright.FLOAT[...]
FLOAT16 = opwright.FLOAT16[...]
INT8 = opwright.INT8[...]
INT16 = opwright.INT16[...]
INT32 = opwright.INT32[...]
INT64 = opwright.INT64[...]
STRING = opwright.STRING[...]
UINT8 = opwright.UINT8[...]

TensorType = Tensor
_Floats = FLOAT16 | FLOAT | DOUBLE | BFLOAT16
IntType = INT8 | INT16 | INT32 | INT64
RealType = _Floats | IntType
_Any = RealType | BOOL | COMPLEX64 | COMPLEX128 | UINT8

TTensor = TypeVar("TTensor", bound=_Any)
TTensor2 = TypeVar("TTensor2", bound=_Any)
TTensorOrString = TypeVar("TTensorOrString", bound=_Any | STRING)
TFloat = TypeVar("TFloat", bound=_Floats)
TFloatOrUInt8 = TypeVar("TFloatOrUInt8", bound=FLOAT | FLOAT16 | DOUBLE | INT8 | UINT8)
TInt = TypeVar("TInt", bound=IntType)
TReal = TypeVar("TReal", bound=RealType)
TRealUnlessInt16OrInt8 = TypeVar("TRealUnlessInt16OrInt8", bound=_Floats | INT32 | INT64)
TRealUnlessFloat16OrInt8 = TypeVar("TRealUnlessFloat16OrInt8", bound=DOUBLE | FLOAT | INT16 | INT32 | INT64)
TRealOrUInt8 = TypeVar("TRealOrUInt8", bound=RealType | UINT8)
TFloatHighPrecision = TypeVar("TFloatHighPrecision", bound=FLOAT | DOUBLE)
