"""What the canonical form is, what it keeps of a body and what it does not, on bodies written by hand."""

from __future__ import annotations

import hashlib

import onnx
import onnx.parser
import pytest
from onnx import AttributeProto, TensorProto, helper
from opwright.protos.canonical import canonicalise

from tests.protos.canonical_texts import (
    SOFTPLUS,
    canonical,
    context_at,
    digest,
    function,
    parsed,
)


class TestForm:
    def test_the_digest_of_format_1_never_changes(self) -> None:
        body = canonical(SOFTPLUS)
        assert body.digest == "body1:9a7a9b7268050973ec74605023ba903aa89e5a8b9cb8254fdbdb46047602bb2e"

    def test_the_digest_is_over_the_documented_encoding(self) -> None:
        meaning = b"\0" + b"\0" + b"\x09LeakyRelu" + b"\x10"
        alpha = b"\x05alpha" + b"\0" + b"\1" + b"\0\0\0\x3f"
        node = meaning + b"\1" + b"\x02i0" + b"\1" + alpha + b"\1" + b"\x02o0"
        encoding = b"body1" + b"\1\0\1" + b"\1" + node
        expected = f"body1:{hashlib.sha256(encoding).hexdigest()}"
        assert digest("(x) => (y) { y = LeakyRelu<alpha = 0.5>(x) }") == expected

    def test_names_are_positions_and_nodes_stand_depth_first(self) -> None:
        text = onnx.printer.to_text(parsed(canonical(SOFTPLUS)))
        lines = [line.strip() for line in text.splitlines() if "=" in line]
        assert lines == [
            '"" (i0) => (o0)',
            "v0 = Abs (i0)",
            "v1 = Neg (v0)",
            "v2 = Exp (v1)",
            "v3 = Log (v2)",
            "v4 = Relu (i0)",
            "o0 = Add (v3, v4)",
        ]

    def test_nothing_but_the_body_is_kept(self) -> None:
        proto = function(SOFTPLUS)
        proto.doc_string = "doc"
        proto.metadata_props.add(key="k", value="v")
        proto.value_info.append(helper.make_tensor_value_info("a", TensorProto.FLOAT, ["N"]))
        proto.node[0].name = "n"
        proto.node[0].doc_string = "d"
        proto.node[0].metadata_props.add(key="place", value="f.py:3")
        body = canonicalise(proto, callees={})
        assert body.digest == digest(SOFTPLUS)
        assert {field.name for field, _ in parsed(body).ListFields()} == {"input", "output", "node", "opset_import"}

    def test_bytes_are_those_of_deterministic_protobuf(self) -> None:
        body = canonical(SOFTPLUS)
        assert parsed(body).SerializeToString(deterministic=True) == body.proto

    def test_the_import_is_the_lowest_opset_of_the_class(self) -> None:
        low, high = canonical(SOFTPLUS, 14), canonical(SOFTPLUS, 27)
        assert low == high
        assert [(item.domain, item.version) for item in parsed(low).opset_import] == [("", 14)]

    def test_operators_of_other_versions_make_another_body(self) -> None:
        assert digest(SOFTPLUS, 13) != digest(SOFTPLUS, 14)  # Add and Relu changed at 14

    def test_a_named_body_passes_the_checker(self) -> None:
        proto = parsed(canonical(SOFTPLUS))
        proto.domain, proto.name = "d", "F"
        onnx.checker.check_function(proto, context_at(18))

    def test_own_names_are_given_in_the_bodys_order(self) -> None:
        body = canonical(
            "(X, Z) => (Y) {\n c = Constant<value_float: float = @alpha>()\n Y = Add(X, c)\n}",
            attributes="<alpha: float = 0.5, k>",
        )
        assert (body.inputs, body.attributes) == (("X", "Z"), ("k", "alpha"))
        assert list(parsed(body).attribute) == ["a0", "a1"]
        [value] = parsed(body).node[0].attribute
        assert (value.ref_attr_name, value.type) == ("a1", AttributeProto.FLOAT)


class TestWhatDoesNotMatter:
    @pytest.mark.parametrize(
        "text",
        [
            "(x) => (y) {\n p = Abs(x)\n q = Neg(p)\n w = Exp(q)\n r = Relu(x)\n l = Log(w)\n y = Add(l, r)\n}",
            "(X) => (Y) {\n r = Relu(X)\n a = Abs(X)\n n = Neg(a)\n e = Exp(n)\n l = Log(e)\n Y = Add(l, r)\n}",
            SOFTPLUS.replace("Y = Add(l, r)", "Y = Add(l, r)\n z = Exp(l)"),
        ],
        ids=["names", "order of independent nodes", "an unused pure node"],
    )
    def test_for_the_digest(self, text: str) -> None:
        assert digest(text) == digest(SOFTPLUS)

    def test_a_default_written_or_not(self) -> None:
        assert digest("(x) => (y) { y = Softmax<axis = -1>(x) }") == digest("(x) => (y) { y = Softmax(x) }")
        assert digest("(x) => (y) { y = Softmax<axis = 1>(x) }") != digest("(x) => (y) { y = Softmax(x) }")

    def test_trailing_absent_inputs(self) -> None:
        assert digest('(x) => (y) { y = Clip(x, "", "") }') == digest("(x) => (y) { y = Clip(x) }")
        assert digest('(x, m) => (y) { y = Clip(x, "", m) }') != digest("(x, m) => (y) { y = Clip(x, m) }")

    def test_trailing_absent_outputs_unless_their_number_means_something(self) -> None:
        proto = function("(x) => (y) { y = MaxPool<kernel_shape = [2]>(x) }")
        padded = function("(x) => (y) { y = MaxPool<kernel_shape = [2]>(x) }")
        padded.node[0].output.append("")
        assert canonicalise(padded, callees={}) == canonicalise(proto, callees={})
        one, two = function("(x) => (y) { y = Split(x) }"), function("(x) => (y) { y = Split(x) }")
        two.node[0].output.append("")
        assert canonicalise(one, callees={}).digest != canonicalise(two, callees={}).digest

    def test_the_two_spellings_of_the_default_domain(self) -> None:
        proto = function(SOFTPLUS)
        proto.opset_import[0].domain = "ai.onnx"
        for node in proto.node:
            node.domain = "ai.onnx"
        assert canonicalise(proto, callees={}) == canonical(SOFTPLUS)

    def test_an_implicit_or_explicit_identity(self) -> None:
        assert digest("(x) => (x, x) { }") == digest("(x) => (a, b) {\n b = Identity(x)\n a = Identity(x)\n}")
        assert digest("(x) => (y, y) { y = Neg(x) }") == digest("(x) => (y, z) {\n y = Neg(x)\n z = Identity(y)\n}")


class TestWhatMatters:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("(x, y) => (z) { z = Sub(x, y) }", "(x, y) => (z) { z = Sub(y, x) }"),
            ("(x, y) => (z) { z = Add(x, x) }", "(x, y) => (z) { z = Add(x, y) }"),
            ("(x) => (z) { z = Neg(x) }", "(x) => (z) { z = Abs(x) }"),
            ("(x) => (z) { z = Neg(x) }", "(x, y) => (z) { z = Neg(x) }"),
            ("(x) => (z) { z = Neg(x) }", "(x) => (z, w) {\n z = Neg(x)\n w = Neg(x)\n}"),
            ("(x) => (z, w) {\n z = Neg(x)\n w = Abs(x)\n}", "(x) => (w, z) {\n z = Neg(x)\n w = Abs(x)\n}"),
            ("(x) => (z) { z = Softmax<axis = 0>(x) }", "(x) => (z) { z = Softmax<axis = 1>(x) }"),
            ("() => (z) { z = Constant<value_float = 0.0>() }", "() => (z) { z = Constant<value_float = -0.0>() }"),
            ("() => (z) { z = Constant<value_float = 1.0>() }", "() => (z) { z = Constant<value_int = 1>() }"),
            ('() => (z) { z = Constant<value_string = "a">() }', '() => (z) { z = Constant<value_string = "b">() }'),
            ("() => (z) { z = Constant<value_ints = [1, 2]>() }", "() => (z) { z = Constant<value_ints = [12]>() }"),
            (
                "(x) => (z) {\n a = Relu(x)\n z = Add(a, a)\n}",
                "(x) => (z) {\n a = Relu(x)\n b = Relu(x)\n z = Add(a, b)\n}",
            ),
        ],
    )
    def test_for_the_digest(self, one: str, other: str) -> None:
        assert digest(one) != digest(other)

    def test_which_attribute_is_referred_to(self) -> None:
        text = "() => (z) { z = Constant<value_float: float = @%s>() }"
        assert digest(text % "p", attributes="<p, q>") != digest(text % "q", attributes="<p, q>")
        assert digest(text % "p", attributes="<p, q>") == digest(text % "u", attributes="<u, v>")

    def test_an_unused_random_node_stays(self) -> None:
        with_random = canonical("(x) => (z) {\n r = RandomNormalLike(x)\n z = Neg(x)\n}")
        assert [node.op_type for node in parsed(with_random).node] == ["Neg", "RandomNormalLike"]

    def test_random_nodes_are_never_merged(self) -> None:
        body = canonical("(x) => (z) {\n a = RandomNormalLike(x)\n b = RandomNormalLike(x)\n z = Add(a, b)\n}")
        assert [node.op_type for node in parsed(body).node] == ["RandomNormalLike", "RandomNormalLike", "Add"]
