"""What the comparison forgives, what it finds, and where it says that two sides part."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import opwright
import pytest
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper
from opwright import Comparison, DiagnosticError, compare
from opwright.protos.difference import DifferenceKind, Part

Kind = DifferenceKind
HEAD = '<ir_version: 10, opset_import: ["": 18, "d": 1]>'


def function(text: str, opset: int = 18, attributes: str = "", name: str = "F") -> FunctionProto:
    imports = f'<domain: "com.acme", opset_import: ["": {opset}, "d": 1]>'
    return onnx.parser.parse_function(f"{imports}\n{name} {attributes} {text}")


def model(text: str, head: str = HEAD) -> ModelProto:
    return onnx.parser.parse_model(f"{head} {text}")


def parted(left: object, right: object) -> tuple[DifferenceKind, str, str, str]:
    """What differs, the way to it, and both sides' text; both orders of the sides agree on what differs."""
    difference = compare(left, right).difference
    turned = compare(right, left).difference
    assert difference is not None and turned is not None
    assert (turned.kind, turned.left, turned.right) == (difference.kind, difference.right, difference.left)
    return difference.kind, ", ".join(map(str, difference.path)), difference.left, difference.right


class TestForgiven:
    def test_names_order_and_the_identity_of_the_two(self) -> None:
        one = function("(x, y) => (z) { a = Abs(x) b = Neg(y) z = Add(a, b) }")
        other = function("(p, q) => (r) { n = Neg(q) m = Abs(p) r = Add(m, n) }", name="G")
        assert compare(one, other)

    def test_documentation_metadata_and_types_of_inner_values(self) -> None:
        one = function("(x) => (z) { a = Abs(x) z = Neg(a) }")
        other = FunctionProto.FromString(one.SerializeToString())
        other.doc_string = "doc"
        other.node[0].doc_string = other.node[0].name = "node"
        other.node[0].metadata_props.add(key="k", value="v")
        other.value_info.append(helper.make_tensor_value_info("a", TensorProto.FLOAT, [1]))
        assert compare(one, other)

    def test_a_default_that_is_left_out(self) -> None:
        one = function("(x) => (z) { z = LeakyRelu<alpha = 0.01>(x) }")
        assert compare(one, function("(x) => (z) { z = LeakyRelu(x) }"))

    def test_an_opset_at_which_nothing_means_anything_else(self) -> None:
        assert compare(function("(x) => (z) { z = Abs(x) }", 14), function("(x) => (z) { z = Abs(x) }", 20))

    def test_pure_nodes_that_nothing_reads(self) -> None:
        one = function("(x) => (z) { z = Abs(x) }")
        assert compare(one, function("(x) => (z) { z = Abs(x) u = Neg(z) }"))

    def test_absent_inputs_at_the_end(self) -> None:
        one = function("(x) => (z) { z = Clip(x) }")
        assert compare(one, function('(x) => (z) { z = Clip(x, "", "") }'))

    def test_the_form_of_a_tensor(self) -> None:
        array = np.array([1.5, -0.0], np.float32)
        raw = numpy_helper.from_array(array)
        typed = helper.make_tensor("name", TensorProto.FLOAT, [2], array.tolist())
        sides = [
            helper.make_function("d", "F", [], ["y"], [helper.make_node("Constant", [], ["y"], value=tensor)], IMPORTS)
            for tensor in (raw, typed)
        ]
        assert compare(*sides)

    def test_an_output_that_is_an_input_is_an_identity(self) -> None:
        one = function("(x) => (x) { }")
        assert compare(one, function("(x) => (y) { y = Identity(x) }"))
        assert opwright.digest(one) == opwright.digest(function("(x) => (y) { y = Identity(x) }"))

    def test_names_of_symbolic_dimensions(self) -> None:
        one = model("g (float[N] x) => (float[N] y) { y = Abs(x) }")
        assert compare(one, model("g (float[M] a) => (float[K] b) { b = Abs(a) }"))

    def test_initializers_that_nothing_reads_and_their_names(self) -> None:
        one = model("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}, float[1] u = {0}> { y = Add(x, w) }")
        assert compare(one, model("g (float[2] x) => (float[2] y) <float[2] k = {1, 2}> { y = Add(x, k) }"))

    def test_names_of_the_functions_that_a_model_carries(self) -> None:
        body = '<domain: "d", opset_import: ["": 18]> {} (x) => (y) {{ y = Abs(x) }}'
        call = "g (float[2] x) => (float[2] y) {{ t = d.{}(x) y = d.{}(t) }}"
        one = model(call.format("F", "F") + body.format("F"))
        other = model(call.format("G", "H") + body.format("G") + body.format("H") + body.format("Unused"))
        assert compare(one, other)


IMPORTS = [helper.make_opsetid("", 18)]


class TestFound:
    @pytest.mark.parametrize(
        ("left", "right", "expected"),
        [
            (
                "(x, y) => (z) { a = Abs(x) z = Sub(a, y) }",
                "(x, y) => (z) { a = Abs(x) z = Sub(y, a) }",
                (Kind.VALUE, "output 0 (z), input 0 of Sub", "a = Abs(x)", "input 1 (y)"),
            ),
            (
                "(x) => (z) { a = Abs(x) b = Log(a) z = Neg(b) }",
                "(x) => (z) { a = Exp(x) b = Log(a) z = Neg(b) }",
                (Kind.OPERATOR, "output 0 (z), input 0 of Neg, input 0 of Log", "a = Abs(x)", "a = Exp(x)"),
            ),
            (
                "(x) => (z) { z = LeakyRelu<alpha = 0.5>(x) }",
                "(x) => (z) { z = LeakyRelu(x) }",
                (Kind.ATTRIBUTE, "output 0 (z)", "alpha = 0.5", "alpha = 0.00999999978 (the default)"),
            ),
            (
                "(x) => (z) { a = Abs(x) z = Add(a, a) }",
                "(x) => (z) { a = Abs(x) b = Abs(x) z = Add(a, b) }",
                (
                    Kind.SHARING,
                    "output 0 (z), input 1 of Add",
                    "a = Abs(x), used before",
                    "b = Abs(x), here for the first time",
                ),
            ),
            (
                '(x, m) => (z) { z = Clip(x, "", m) }',
                "(x, m) => (z) { z = Clip(x, m) }",
                (Kind.ARGUMENTS, "output 0 (z)", "z = Clip(x, , m)", "z = Clip(x, m)"),
            ),
            (
                '(x, m) => (z) { z = Clip(x, "", m) }',
                "(x, m) => (z) { z = Clip(x, m, m) }",
                (Kind.ARGUMENTS, "output 0 (z), input 1 of Clip", "absent", "m"),
            ),
            (
                "(x) => (z) { z, m = Dropout(x) }",
                "(x) => (z) { z = Dropout(x) }",
                (Kind.RESULTS, "output 0 (z)", "z, m = Dropout(x)", "z = Dropout(x)"),
            ),
            (
                "(x) => (z) { z, i = TopK(x, x) }",
                "(x) => (z) { i, z = TopK(x, x) }",
                (Kind.VALUE, "output 0 (z)", "z, i = TopK(x, x)", "i, z = TopK(x, x)"),
            ),
            (
                "(x) => (z) { z = Abs(x) }",
                "(x, y) => (z) { z = Abs(x) }",
                (Kind.INPUTS, "", "1: x", "2: x, y"),
            ),
            (
                "(x) => (z) { z = Abs(x) }",
                "(x) => (z, y) { z = Abs(x) y = Neg(x) }",
                (Kind.OUTPUTS, "", "1: z", "2: z, y"),
            ),
            (
                "(x) => (z) { z = Abs(x) }",
                "(x) => (z) { z = Abs(x) u = d.Effect(x) }",
                (Kind.EFFECTS, "", "none", "u = d.Effect(x)"),
            ),
        ],
    )
    def test_where_two_functions_part(self, left: str, right: str, expected: tuple[object, ...]) -> None:
        assert parted(function(left), function(right)) == expected

    def test_another_version_of_an_operator(self) -> None:
        kind, _, left, right = parted(
            function("(x) => (z) { z = Relu(x) }", 13), function("(x) => (z) { z = Relu(x) }", 14)
        )
        assert (kind, left, right) == (Kind.OPERATOR, "z = Relu (version 13)(x)", "z = Relu (version 14)(x)")

    def test_random_nodes_that_nothing_reads_keep_their_order(self) -> None:
        text = "(x) => (z) {{ z = Abs(x) {} }}"
        draws = ("a = RandomNormalLike<seed = 1.0>(x)", "b = RandomNormalLike<seed = 2.0>(x)")
        one, other = (function(text.format(" ".join(order))) for order in (draws, draws[::-1]))
        assert parted(one, other) == (Kind.ATTRIBUTE, "unread node 0", "seed = 1", "seed = 2")

    def test_the_attributes_of_functions(self) -> None:
        one = function("(x) => (z) { z = Abs(x) }", attributes="<alpha: float = 1.0, beta>")
        other = function("(x) => (z) { z = Abs(x) }", attributes="<beta, alpha: float = 2.0>")
        assert parted(one, other)[0] is Kind.ATTRIBUTES
        assert compare(one, function("(x) => (z) { z = Abs(x) }", attributes="<beta, alpha: float = 1.0>"))

    def test_a_reference_to_another_attribute(self) -> None:
        one = function("(x) => (z) { z = LeakyRelu<alpha: float = @a>(x) }", attributes="<a, b>")
        other = function("(x) => (z) { z = LeakyRelu<alpha: float = @b>(x) }", attributes="<a, b>")
        assert parted(one, other) == (Kind.ATTRIBUTE, "output 0 (z)", "alpha = @a", "alpha = @b")

    def test_a_function_and_a_model_cannot_be_compared(self) -> None:
        with pytest.raises(TypeError, match="cannot compare FunctionProto with ModelProto"):
            compare(function("(x) => (z) { z = Abs(x) }"), ModelProto())
        with pytest.raises(DiagnosticError, match="OW578: an object of int is no model"):
            compare(1, 2)  # type: ignore[arg-type]

    def test_the_text_of_a_result(self) -> None:
        one = function("(x) => (z) { a = Abs(x) z = Neg(a) }")
        assert compare(one, one).explain() == "the two are equal"
        assert compare(one, function("(x) => (z) { a = Exp(x) z = Neg(a) }")).explain() == (
            "the two differ in the operator\n"
            "  at output 0 (z), input 0 of Neg\n"
            "  left:  a = Abs(x)\n"
            "  right: a = Exp(x)"
        )


BRANCHES = (
    "(p, x) => (z) {{ a = Abs(x) z = If<then_branch = t () => (u) {{ {} }}, else_branch = e () => (v) {{ {} }}>(p) }}"
)


class TestSubgraphs:
    def test_names_and_captures(self) -> None:
        one = function(BRANCHES.format("u = Neg(a)", "w = Neg(x) v = Exp(w)"))
        other = onnx.parser.parse_function(
            onnx.printer.to_text(one).replace("a = Abs", "q = Abs").replace("(a)", "(q)")
        )
        assert compare(one, other)

    def test_another_capture(self) -> None:
        one = function(BRANCHES.format("u = Neg(a)", "v = Exp(x)"))
        other = function(BRANCHES.format("u = Neg(x)", "v = Exp(x)"))
        kind, path, left, right = parted(one, other)
        assert (kind, left, right) == (Kind.VALUE, "a = Abs(x)", "input 1 (x)")
        assert path == "output 0 (z), graph then_branch of If, output 0 (u), input 0 of Neg"

    def test_branches_exchanged(self) -> None:
        one = function(BRANCHES.format("u = Neg(a)", "v = Exp(x)"))
        other = function(BRANCHES.format("u = Exp(x)", "v = Neg(a)"))
        assert parted(one, other)[0] is Kind.OPERATOR

    def test_a_value_of_a_sister_graph_is_another_value(self) -> None:
        one = function(BRANCHES.format("b = Neg(x) u = Exp(b)", "b = Neg(x) v = Exp(b)"))
        other = function(BRANCHES.format("c = Neg(x) u = Exp(c)", "d = Neg(x) v = Exp(d)"))
        assert compare(one, other)

    def test_inside_or_outside_of_a_graph_differs(self) -> None:
        one = function(BRANCHES.format("u = Neg(a)", "v = Exp(x)"))
        other = function(BRANCHES.format("c = Abs(x) u = Neg(c)", "v = Exp(x)"))
        assert parted(one, other)[0] is Kind.VALUE

    def test_types_and_initializers_of_graphs(self) -> None:
        loop = (
            "(n, x) => (z) {{ z = Loop<body = b (int64 i, bool c, {} a) => (bool k, float[2] r)"
            ' <float[2] w = {{1, {}}}> {{ k = Identity(c) r = Add(a, w) }}>(n, "", x) }}'
        )
        one = function(loop.format("float[2]", 2))
        assert compare(one, function(loop.format("float[2]", 2)))
        kind, path, left, right = parted(one, function(loop.format("float[2]", 3)))
        assert (kind, left, right) == (Kind.INITIALIZER, "float[2] {1.0, 2.0}", "float[2] {1.0, 3.0}")
        assert path.endswith("graph body of Loop, output 1 (r), input 1 of Add")
        kind, path, left, right = parted(one, function(loop.format("float[3]", 2)))
        assert (kind, left, right) == (Kind.TYPE, "a: float[2]", "a: float[3]")
        assert path.endswith("input 2 (a)")


class TestModels:
    def test_inputs_by_position_and_type(self) -> None:
        one = model("g (float[2] x, int64 n) => (float[2] y) { y = Abs(x) }")
        assert parted(one, model("g (float[2] x, int32 n) => (float[2] y) { y = Abs(x) }"))[0] is Kind.TYPE
        assert parted(one, model("g (float[2] x) => (float[2] y) { y = Abs(x) }"))[0] is Kind.INPUTS

    def test_initializers(self) -> None:
        text = "g (float[2] x) => (float[2] y) <float[2] w = {{1, {}}}> {{ y = Add(x, w) }}"
        one = model(text.format(2))
        assert parted(one, model(text.format(3)))[2:] == ("float[2] {1.0, 2.0}", "float[2] {1.0, 3.0}")
        shared = "g (float[2] x) => (float[2] y) <float[2] w = {{1, 2}}, float[2] v = {{1, 2}}> {{ y = Add(w, {}) }}"
        assert parted(model(shared.format("w")), model(shared.format("v")))[0] is Kind.SHARING

    def test_defaults_of_inputs(self) -> None:
        one = model("g (float[1] x) => (float[1] y) { y = Abs(x) }")
        other = ModelProto.FromString(one.SerializeToString())
        other.graph.initializer.append(helper.make_tensor("x", TensorProto.FLOAT, [1], [1.0]))
        assert parted(one, other)[0] is Kind.INITIALIZER

    def test_functions_are_compared_where_they_are_called(self) -> None:
        body = ' <domain: "d", opset_import: ["": 18]> F <a: float = 1.0> (x) => (y) {{ y = {}(x) }}'
        call = "g (float[2] x) => (float[2] y) {{ y = d.F{}(x) }}"
        one = model(call.format("<a = 1.0>") + body.format("Abs"))
        assert compare(one, model(call.format("") + body.format("Abs")))
        kind, path, *_ = parted(one, model(call.format("") + body.format("Exp")))
        assert (kind, path) == (Kind.OPERATOR, "function d::F, output 0 (y)")
        assert parted(one, model(call.format("<a = 2.0>") + body.format("Abs")))[0] is Kind.ATTRIBUTE

    def test_a_function_carried_on_one_side_alone(self) -> None:
        call = "g (float[2] x) => (float[2] y) { y = d.F(x) }"
        body = ' <domain: "d", opset_import: ["": 18]> F (x) => (y) { y = Abs(x) }'
        assert compare(model(call), model(call))
        assert parted(model(call), model(call + body))[0] is Kind.OPERATOR
        assert parted(model(call), model(call.replace("d.F", "d.G")))[0] is Kind.OPERATOR

    def test_functions_that_call_in_a_circle_end(self) -> None:
        call = "g (float[2] x) => (float[2] y) { y = d.F(x) }"
        body = ' <domain: "d", opset_import: ["": 18, "d": 1]> F (x) => (y) { y = d.F(x) }'
        assert compare(model(call + body), model(call + body))

    def test_files_and_their_weights(self, tmp_path: Path) -> None:
        weights = numpy_helper.from_array(np.arange(2000, dtype=np.float32), "w")
        one = model("g (float[2000] x) => (float[2000] y) { y = Add(x, w) }")
        one.graph.initializer.append(weights)
        other = ModelProto.FromString(one.SerializeToString())
        other.graph.initializer[0].raw_data = np.arange(1, 2001, dtype=np.float32).tobytes()
        paths = []
        for folder, proto in (("a", one), ("b", other)):
            path = tmp_path / folder / "m.onnx"
            path.parent.mkdir()
            onnx.save(proto, path, save_as_external_data=True, location="weights.bin")
            paths.append(path)
        assert compare(str(paths[0]), paths[0])
        assert parted(*paths)[0] is Kind.INITIALIZER
        apart = onnx.load(paths[0], load_external_data=False)
        with pytest.raises(DiagnosticError, match="OW580"):
            compare(apart, apart)

    def test_a_file_that_is_no_model(self, tmp_path: Path) -> None:
        (tmp_path / "m.onnx").write_bytes(b"\xff")
        with pytest.raises(DiagnosticError, match="OW551"):
            compare(tmp_path / "m.onnx", tmp_path / "m.onnx")


@pytest.mark.parametrize(
    "text",
    [
        "(x) => (z) { z = Abs(nothing) }",
        "(x) => (z) { z = Abs(x) z = Neg(x) }",
        "(x, x) => (z) { z = Abs(x) }",
        "(x) => (z) { z = Nothing(x) }",
        "(x) => (z) { z = LeakyRelu<alpha = 0.5, alpha = 0.5>(x) }",
    ],
)
def test_what_is_malformed_is_refused(text: str) -> None:
    with pytest.raises(DiagnosticError, match="OW580"):
        compare(function(text), function(text))
    with pytest.raises(DiagnosticError, match="OW580"):
        opwright.digest(function(text))


class TestSize:
    def test_a_long_chain(self) -> None:
        one, other = chain(10_000), chain(10_000)
        assert compare(one, other)
        other.node[0].op_type = "Exp"
        difference = compare(one, other).difference
        assert difference is not None
        assert len(difference.path) == 10_000
        assert "... 9,988 steps ..." in str(difference)

    @pytest.mark.long
    def test_deep_graphs(self) -> None:
        one, other = nested(1000, "Abs"), nested(1000, "Abs")
        assert compare(one, other)
        difference = compare(one, nested(1000, "Neg")).difference
        assert difference is not None
        assert sum(step.part is Part.GRAPH for step in difference.path) == 1000

    def test_work_is_linear(self) -> None:
        assert calls(lambda: compare(chain(4_000), chain(4_000))) < 2.1 * calls(
            lambda: compare(chain(2_000), chain(2_000))
        )

    def test_many_functions_called_in_many_pairs(self) -> None:
        """Functions are told apart by fewer comparisons than there are functions."""
        one, other = carrying(60, lambda call: call % 60), carrying(60, lambda call: call * 7 % 60)
        assert compare(one, other)


def calls(run: Callable[[], object]) -> int:
    """How many functions a run calls: its cost, on every machine the same."""
    count = 0

    def count_call(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(count_call)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def chain(length: int) -> FunctionProto:
    proto = helper.make_function("d", "F", ["v0"], [f"v{length}"], [], IMPORTS)
    for index in range(length):
        node = proto.node.add()
        node.op_type = "Neg"
        node.input.append(f"v{index}")
        node.output.append(f"v{index + 1}")
    return proto


def nested(depth: int, innermost: str) -> FunctionProto:
    """If in If, made in place: no parser reads it, but a program may hold it."""
    proto = helper.make_function("d", "F", ["p", "x"], ["r0"], [], IMPORTS)
    nodes = proto.node
    for level in range(depth):
        node = nodes.add()
        node.op_type = "If"
        node.input.append("p")
        node.output.append(f"r{level}")
        for name in ("else_branch", "then_branch"):
            attribute = node.attribute.add()
            attribute.name, attribute.type = name, AttributeProto.GRAPH
            attribute.g.output.add().name = f"r{level + 1}" if name == "then_branch" else f"e{level}"
            if name == "else_branch":
                attribute.g.node.add(op_type="Neg", input=["x"], output=[f"e{level}"])
        nodes = node.attribute[1].g.node
    nodes.add(op_type=innermost, input=["x"], output=[f"r{depth}"])
    return proto


def carrying(count: int, called: Callable[[int], int]) -> ModelProto:
    functions = [
        helper.make_function("d", f"F{index}", ["x"], ["y"], [helper.make_node("Abs", ["x"], ["y"])], IMPORTS)
        for index in range(count)
    ]
    nodes: list[NodeProto] = [
        helper.make_node(f"F{called(index)}", [f"v{index}"], [f"v{index + 1}"], domain="d")
        for index in range(4 * count)
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("v0", f"v{4 * count}")]
    graph: GraphProto = helper.make_graph(nodes, "g", ends[:1], ends[1:])
    return helper.make_model(graph, functions=functions, opset_imports=[*IMPORTS, helper.make_opsetid("d", 1)])


def test_a_comparison_is_true_or_false() -> None:
    assert Comparison()
    assert bool(compare(chain(1), chain(2))) is False
