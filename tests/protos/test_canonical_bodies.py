"""What has no canonical form, the bodies of the ONNX standard itself, and what it costs."""

from __future__ import annotations

from functools import partial

import onnx
import onnx.parser
import pytest
from onnx import FunctionProto, helper
from opwright.protos.canonical import canonicalise

from tests.protos.canonical_texts import (
    SOFTPLUS,
    context_at,
    function,
    parsed,
    reason,
)
from tests.work import calls_of


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("(x) => (y) { y = Neg(z) }", "'z' is not defined"),
            ("(x) => (y) { }", "'y' is not defined"),
            ("(x) => (y) {\n y = Neg(x)\n y = Abs(x)\n}", "'y' is defined twice"),
            ("(x) => (y) {\n x = Neg(x)\n y = Abs(x)\n}", "'x' is defined twice"),
            ("(x) => (y) {\n a = Neg(b)\n b = Neg(a)\n y = Add(a, x)\n}", "depends on itself"),
            ("(x) => (y) { y = Sigmod(x) }", "ai.onnx has no operator Sigmod at opset 18"),
            ("(x) => (y) { y = com.acme.G(x) }", "domain com.acme, which it does not import"),
            ("(x) => (y) { y = body1.G(x) }", "which is no digest"),
            ("(x) => (y) { y = Constant<value_float: float = @a>() }", "refers to the attribute a"),
            ("(x, x) => (y) { y = Neg(x) }", "two inputs have one name"),
        ],
    )
    def test_what_has_no_canonical_form(self, text: str, words: str) -> None:
        assert words in reason(function(text))

    def test_an_opset_that_onnx_does_not_know(self) -> None:
        newest = onnx.defs.onnx_opset_version()
        assert f"knows versions up to {newest}" in reason(function(SOFTPLUS, newest + 1))

    def test_an_attribute_twice(self) -> None:
        proto = function("(x) => (y) { y = Softmax<axis = 1>(x) }")
        proto.node[0].attribute.append(proto.node[0].attribute[0])
        assert "the attribute axis twice" in reason(proto)

    def test_a_custom_operator_counts_by_its_domains_version(self) -> None:
        def body(version: int) -> str:
            proto = function("(x) => (y) { y = com.vendor.Op(x) }")
            proto.opset_import.add(domain="com.vendor", version=version)
            return canonicalise(proto, callees={}).digest

        assert body(1) != body(2)


def standard_functions() -> list[FunctionProto]:
    """The bodies that the standard itself has for its function operators."""
    found = []
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.has_function:
            for version in schema.function_opset_versions:
                found.append(FunctionProto.FromString(schema.get_function_with_opset_version(version)))
    return found


class TestStandardBodies:
    def test_each_keeps_its_meaning_and_is_a_fixpoint(self) -> None:
        functions = standard_functions()
        assert len(functions) >= 40
        for proto in functions:
            body = canonicalise(proto, callees={})
            again = canonicalise(parsed(body), callees={})
            assert (again.digest, again.proto) == (body.digest, body.proto), proto.name
            assert parsed(body).SerializeToString(deterministic=True) == body.proto, proto.name
            named = parsed(body)
            named.domain, named.name = "d", proto.name
            opset = max(item.version for item in named.opset_import if item.domain == "")
            onnx.checker.check_function(named, context_at(opset))


class TestCost:
    def test_ten_thousand_nodes_are_linear(self) -> None:
        def chain(length: int) -> FunctionProto:
            nodes = [helper.make_node("Relu", [f"v{index}"], [f"v{index + 1}"]) for index in range(length)]
            return helper.make_function("d", "F", ["v0"], [f"v{length}"], nodes, [helper.make_opsetid("", 18)])

        short, long = (calls_of(partial(canonicalise, chain(length), callees={})) for length in (1_000, 10_000))
        assert long < 11 * short
