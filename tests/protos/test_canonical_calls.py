"""Calls and subgraphs in the canonical form."""

from __future__ import annotations

import onnx
import onnx.parser
import pytest
from onnx import FunctionProto, TensorProto, helper
from opwright.protos.canonical import Callee, CanonicalBody, canonicalise
from opwright.protos.canonical_tensors import RefusedError

from tests.protos.canonical_texts import (
    canonical,
    digest,
    function,
    parsed,
)


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
