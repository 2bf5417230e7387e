"""Function bodies as text, and what becomes of them."""

from __future__ import annotations

import onnx
import onnx.parser
import pytest
from onnx import FunctionProto, TensorProto, helper
from opwright.protos.canonical import CanonicalBody, canonicalise
from opwright.protos.canonical_tensors import RefusedError

SOFTPLUS = "(X) => (Y) {\n a = Abs(X)\n n = Neg(a)\n e = Exp(n)\n r = Relu(X)\n l = Log(e)\n Y = Add(l, r)\n}"


def function(text: str, opset: int = 18, attributes: str = "") -> FunctionProto:
    return onnx.parser.parse_function(f'<domain: "com.acme", opset_import: ["": {opset}]>\nF {attributes} {text}')


def canonical(text: str, opset: int = 18, attributes: str = "") -> CanonicalBody:
    return canonicalise(function(text, opset, attributes), callees={})


def digest(text: str, opset: int = 18, attributes: str = "") -> str:
    return canonical(text, opset, attributes).digest


def parsed(body: CanonicalBody) -> FunctionProto:
    return FunctionProto.FromString(body.proto)


def reason(proto: FunctionProto) -> str:
    with pytest.raises(RefusedError) as caught:
        canonicalise(proto, callees={})
    return str(caught.value)


def with_constant(tensor: TensorProto) -> FunctionProto:
    node = helper.make_node("Constant", [], ["y"], value=tensor)
    return helper.make_function("d", "F", [], ["y"], [node], [helper.make_opsetid("", 18)])


def constant_digest(tensor: TensorProto) -> str:
    return canonicalise(with_constant(tensor), callees={}).digest


def context_at(opset: int) -> onnx.checker.C.CheckerContext:
    context = onnx.checker.C.CheckerContext()
    context.ir_version = 10
    context.opset_imports = {"": opset}
    return context
