"""What the canonical form promises, on bodies written by hand and on those of the ONNX standard itself."""

from __future__ import annotations

import hashlib
import time

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import AttributeProto, FunctionProto, TensorProto, helper, numpy_helper
from opwright.protos.canonical import Callee, CanonicalBody, canonicalise
from opwright.protos.tensors import RefusedError

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


def context_at(opset: int) -> onnx.checker.C.CheckerContext:
    context = onnx.checker.C.CheckerContext()
    context.ir_version = 10
    context.opset_imports = {"": opset}
    return context


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


class TestTensors:
    def test_raw_and_typed_data_are_equal_for_every_element_type(self) -> None:
        for name, values in TYPED_VALUES.items():
            kind = getattr(TensorProto, name)
            typed = helper.make_tensor("t", kind, [len(values)], values)
            raw = numpy_helper.from_array(numpy_helper.to_array(typed), "u")
            raw.data_type = kind
            assert raw.HasField("raw_data") != typed.HasField("raw_data")
            assert constant_digest(raw) == constant_digest(typed), name

    def test_packed_elements_ignore_the_spare_bits(self) -> None:
        one = TensorProto(data_type=TensorProto.INT4, dims=[3], raw_data=b"\x21\x03")
        other = TensorProto(data_type=TensorProto.INT4, dims=[3], raw_data=b"\x21\xf3")
        assert constant_digest(one) == constant_digest(other)

    def test_nan_payloads_are_kept(self) -> None:
        quiet, signalling = (
            TensorProto(data_type=TensorProto.FLOAT, dims=[1], raw_data=bits)
            for bits in (b"\0\0\xc0\x7f", b"\1\0\x80\x7f")
        )
        assert constant_digest(quiet) != constant_digest(signalling)
        typed = TensorProto.FromString(b"\x08\x01\x10\x01\x22\x04\x01\x00\x80\x7f")
        assert constant_digest(typed) == constant_digest(signalling)

    def test_nan_payloads_of_float_attributes_are_kept(self) -> None:
        def body(bits: bytes, tag: bytes, kind: int) -> CanonicalBody:
            proto = function("() => (z) { z = Constant<value_float = 1.0>() }")
            name = b"\x0a\x0bvalue_float"
            attribute = AttributeProto.FromString(name + tag + bits + b"\xa0\x01" + bytes((kind,)))
            proto.node[0].attribute[0].CopyFrom(attribute)
            return canonicalise(proto, callees={})

        for tag, kind in ((b"\x15", AttributeProto.FLOAT), (b"\x3d", AttributeProto.FLOATS)):
            signalling = body(b"\1\0\x80\x7f", tag, kind)
            assert signalling.digest != body(b"\1\0\xc0\x7f", tag, kind).digest
            assert b"\1\0\x80\x7f" in signalling.proto

    def test_shape_type_and_value_matter(self) -> None:
        arrays = [
            np.zeros((2, 3), np.float32),
            np.zeros((3, 2), np.float32),
            np.zeros((6,), np.float32),
            np.zeros((2, 3), np.int32),
            np.array([[0, 0, 0], [0, 0, -0.0]], np.float32),
            np.zeros((0, 3), np.float32),
            np.zeros((), np.float32),
            np.array(["a", "bc"], dtype=object),
            np.array(["ab", "c"], dtype=object),
        ]
        digests = [constant_digest(numpy_helper.from_array(array)) for array in arrays]
        assert len(set(digests)) == len(arrays)

    def test_sparse_tensors(self) -> None:
        def body(values: list[float], dims: list[int]) -> str:
            sparse = helper.make_sparse_tensor(
                helper.make_tensor("v", TensorProto.FLOAT, [2], values),
                helper.make_tensor("i", TensorProto.INT64, [2], [0, 3]),
                dims,
            )
            node = helper.make_node("Constant", [], ["y"], sparse_value=sparse)
            proto = helper.make_function("d", "F", [], ["y"], [node], [helper.make_opsetid("", 18)])
            result = canonicalise(proto, callees={})
            assert canonicalise(parsed(result), callees={}).proto == result.proto
            return result.digest

        assert len({body([1, 2], [5]), body([1, 3], [5]), body([1, 2], [6])}) == 3

    def test_types_as_attributes_forget_symbols(self) -> None:
        def body(*dims: int | str | None) -> str:
            kind = helper.make_tensor_type_proto(TensorProto.FLOAT, dims)
            node = helper.make_node("Optional", [], ["y"], type=helper.make_sequence_type_proto(kind))
            return canonicalise(
                helper.make_function("d", "F", [], ["y"], [node], [helper.make_opsetid("", 18)]), callees={}
            ).digest

        assert body("N", 3) == body("M", 3) == body(None, 3)
        assert len({body("N", 3), body("N", 4), body(3), body()}) == 4

    @pytest.mark.parametrize(
        ("tensor", "words"),
        [
            (TensorProto(data_type=1, dims=[1], data_location=TensorProto.EXTERNAL), "another file"),
            (TensorProto(data_type=1, dims=[2], raw_data=b"\0\0\0\0"), "4 bytes instead of 8"),
            (TensorProto(data_type=99, dims=[1], raw_data=b"\0"), "unknown element type 99"),
            (TensorProto(data_type=1, dims=[-1], raw_data=b""), "negative dimension"),
            (TensorProto(data_type=1, dims=[1 << 62] * 999, raw_data=b""), "more elements"),
            (TensorProto(data_type=3, dims=[1], int32_data=[300]), "out of range"),
            (TensorProto(data_type=8, dims=[2], string_data=[b"a"]), "do not fit"),
            (TensorProto(data_type=1, dims=[1], segment=TensorProto.Segment(begin=0)), "segments"),
        ],
    )
    def test_refusals(self, tensor: TensorProto, words: str) -> None:
        assert words in reason(with_constant(tensor))


TYPED_VALUES: dict[str, list[object]] = {
    "FLOAT": [1.5, -0.0, float("inf")],
    "DOUBLE": [1.5, -0.0, 1e300],
    "FLOAT16": [1.5, -0.0, 6e4],
    "BFLOAT16": [1.5, -0.0, 2.0],
    "INT8": [-128, 0, 127],
    "INT16": [-(2**15), 0, 2**15 - 1],
    "INT32": [-(2**31), 0, 2**31 - 1],
    "INT64": [-(2**63), 0, 2**63 - 1],
    "UINT8": [0, 255],
    "UINT16": [0, 2**16 - 1],
    "UINT32": [0, 2**32 - 1],
    "UINT64": [0, 2**64 - 1],
    "BOOL": [True, False],
    "COMPLEX64": [1 + 2j, -0.5j],
    "COMPLEX128": [1 + 2j, -0.5j],
    "INT4": [-8, 7, 3],
    "UINT4": [0, 15, 3],
    "FLOAT8E4M3FN": [1.0, -2.0],
    "FLOAT8E5M2": [1.0, -2.0],
}


class TestCalls:
    LEAF = Callee("body1:" + "ab" * 32, ("alpha", "beta"))

    def caller(self, text: str, domain: str = "com.acme") -> FunctionProto:
        proto = function(text)
        proto.opset_import.add(domain=domain, version=1)
        return proto

    def test_a_callee_is_its_digest(self) -> None:
        one = canonicalise(
            self.caller("(x) => (y) { y = com.acme.G<beta = 1.0>(x) }"), callees={("com.acme", "G", ""): self.LEAF}
        )
        other = canonicalise(
            self.caller("(x) => (y) { y = org.other.H<b = 1.0>(x) }", "org.other"),
            callees={("org.other", "H", ""): Callee(self.LEAF.digest, ("a", "b"))},
        )
        assert one.digest == other.digest
        assert one.calls == (self.LEAF.digest,)
        [node] = parsed(one).node
        assert (node.domain, node.op_type, node.overload) == ("body1", "ab" * 32, "")
        assert [attribute.name for attribute in node.attribute] == ["a1"]

    def test_overloads_are_told_apart(self) -> None:
        proto = self.caller("(x) => (y) {\n u = com.acme.G(x)\n y = com.acme.G(u)\n}")
        proto.node[1].overload = "T=float"
        other = Callee("body1:" + "cd" * 32)
        callees = {("com.acme", "G", ""): self.LEAF, ("com.acme", "G", "T=float"): other}
        assert canonicalise(proto, callees=callees).calls == (self.LEAF.digest, other.digest)

    def test_padding_does_not_matter(self) -> None:
        callees = {("com.acme", "G", ""): self.LEAF}
        padded = self.caller('(x) => (y) { y = com.acme.G(x, "") }')
        padded.node[0].output.append("")
        assert canonicalise(padded, callees=callees) == canonicalise(
            self.caller("(x) => (y) { y = com.acme.G(x) }"), callees=callees
        )

    def test_a_callee_may_have_a_standard_operators_name(self) -> None:
        proto = self.caller("(x) => (y) { y = opwright.ai.onnx.Relu(x) }", "opwright.ai.onnx")
        body = canonicalise(proto, callees={("opwright.ai.onnx", "Relu", ""): self.LEAF})
        assert body.calls == (self.LEAF.digest,)

    def test_graphs_are_in_the_order_of_their_positions(self) -> None:
        def body(first: str, second: str) -> str:
            graphs = [
                helper.make_graph(
                    [helper.make_node("Neg", [name], ["r"])], "g", [], [helper.make_empty_tensor_value_info("r")]
                )
                for name in ("u", "v")
            ]
            nodes = [
                helper.make_node("Abs", ["x"], ["u"]),
                helper.make_node("Exp", ["x"], ["v"]),
                helper.make_node("G", [], ["y"], domain="d", **{first: graphs[0], second: graphs[1]}),
            ]
            imports = [helper.make_opsetid("", 18), helper.make_opsetid("d", 1)]
            callee = Callee(self.LEAF.digest, (first, second))
            function = helper.make_function("d", "F", ["x"], ["y"], nodes, imports)
            return canonicalise(function, callees={("d", "G", ""): callee}).digest

        assert body("a", "b") == body("z", "b")

    def test_an_unknown_attribute_is_refused(self) -> None:
        proto = self.caller("(x) => (y) { y = com.acme.G<gamma = 1.0>(x) }")
        with pytest.raises(RefusedError, match="with the attribute gamma"):
            canonicalise(proto, callees={("com.acme", "G", ""): self.LEAF})

    def test_a_body_is_its_own_canonical_form(self) -> None:
        proto = self.caller("(x) => (y) { y = com.acme.G<beta = 1.0>(x) }")
        body = canonicalise(proto, callees={("com.acme", "G", ""): self.LEAF})
        again = canonicalise(parsed(body), callees={})
        assert (again.digest, again.proto, again.calls) == (body.digest, body.proto, body.calls)


class TestSubgraphs:
    LOOP = """(x, n) => (y, s) {
        t = Constant<value = bool {1}>()
        k = Exp(x)
        y, s = Loop(n, t, x)<body = b (int64 i, bool c, float[N] a) => (bool d, float[N] e, float[N] f) {
            d = Identity(c)
            u = Neg(k)
            e = Add(a, u)
            f = Mul(e, w)
        }>
        w = Sin(x)
    }"""

    def test_names_scopes_and_captures(self) -> None:
        body = canonical(self.LOOP)
        text = onnx.printer.to_text(parsed(body))
        assert [node.op_type for node in parsed(body).node] == ["Constant", "Exp", "Sin", "Loop"]
        assert "v7 = Neg (v1)" in text
        assert "v9 = Mul (v8, v2)" in text
        renamed = """(p, q) => (a, b) {
            u = Sin(p)
            n = Exp(p)
            m = Constant<value = bool {1}>()
            a, b = Loop(q, m, p)<body = graph (int64 t, bool z, float[N] k) => (bool d1, float[N] d2, float[N] d3) {
                y = Neg(n)
                d2 = Add(k, y)
                d3 = Mul(d2, u)
                d1 = Identity(z)
            }>
        }"""
        assert digest(renamed) == body.digest

    def test_symbols_of_dimensions_do_not_matter(self) -> None:
        assert digest(self.LOOP.replace("[N]", "[M]")) == digest(self.LOOP)
        assert digest(self.LOOP.replace("[N]", "[3]")) != digest(self.LOOP)

    @pytest.mark.parametrize(
        ("old", "new"), [("Neg(k)", "Neg(x)"), ("Add(a, u)", "Add(u, a)"), ("Mul(e, w)", "Mul(w, e)"), ("Sin", "Cos")]
    )
    def test_what_is_inside_matters(self, old: str, new: str) -> None:
        assert old in self.LOOP
        assert digest(self.LOOP.replace(old, new)) != digest(self.LOOP)

    def test_a_name_may_be_used_again_inside(self) -> None:
        one = (
            "(x, p) => (y) { y = If(p)<then_branch = t () => (r) { r = Neg(x) },"
            " else_branch = e () => (r) { r = Abs(x) }> }"
        )
        other = one.replace("e () => (r) { r =", "e () => (q) { q =")
        assert digest(one) == digest(other)

    def test_attributes_inside_refer_to_the_function(self) -> None:
        text = (
            "(x, p) => (y) { y = If(p)<then_branch = t () => (r) { r = Constant<value_float: float = @u>() },"
            " else_branch = e () => (q) { q = Constant<value_float: float = @v>() }> }"
        )
        assert digest(text, attributes="<u, v>") != digest(text, attributes="<v, u>")
        assert digest(text, attributes="<u, v>") == digest(
            text.replace("@u", "@p").replace("@v", "@q"), attributes="<p, q>"
        )

    def test_initializers_are_ordered_by_use(self) -> None:
        def body(names: list[str], unused: bool = False) -> CanonicalBody:
            tensors = {
                "p": helper.make_tensor("p", TensorProto.FLOAT, [1], [1]),
                "q": helper.make_tensor("q", TensorProto.FLOAT, [1], [2]),
                "r": helper.make_tensor("r", TensorProto.FLOAT, [1], [3]),
            }
            output = helper.make_empty_tensor_value_info("o")
            graph = helper.make_graph(
                [helper.make_node("Add", ["p", "q"], ["o"])], "g", [], [output], [tensors[name] for name in names]
            )
            node = helper.make_node("If", ["c"], ["y"], then_branch=graph, else_branch=graph)
            return canonicalise(
                helper.make_function("d", "F", ["c"], ["y"], [node], [helper.make_opsetid("", 18)]), callees={}
            )

        assert body(["p", "q"]) == body(["q", "p"]) == body(["r", "q", "p"])
        assert canonicalise(parsed(body(["p", "q"])), callees={}).proto == body(["p", "q"]).proto

    def test_a_body_is_its_own_canonical_form(self) -> None:
        body = canonical(self.LOOP)
        again = canonicalise(parsed(body), callees={})
        assert (again.digest, again.proto) == (body.digest, body.proto)
        assert parsed(body).SerializeToString(deterministic=True) == body.proto

    def test_thirty_nested_graphs(self) -> None:
        inner = helper.make_node("Neg", ["x"], ["r0"])
        for level in range(1, 31):
            graphs = [
                helper.make_graph([node], "g", [], [helper.make_empty_tensor_value_info(node.output[0])])
                for node in (inner, helper.make_node("Abs", ["x"], [f"e{level}"]))
            ]
            inner = helper.make_node("If", ["c"], [f"r{level}"], then_branch=graphs[0], else_branch=graphs[1])
        proto = helper.make_function("d", "F", ["x", "c"], ["r30"], [inner], [helper.make_opsetid("", 18)])
        body = canonicalise(proto, callees={})
        assert canonicalise(parsed(body), callees={}).digest == body.digest


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

        def seconds(proto: FunctionProto) -> float:
            started = time.process_time()
            canonicalise(proto, callees={})
            return time.process_time() - started

        short, long = chain(1_000), chain(10_000)
        least_short, least_long = (min(seconds(proto) for _ in range(3)) for proto in (short, long))
        assert least_long < 40 * least_short + 0.01
