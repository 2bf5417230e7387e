"""Element types reach the nodes that are served, through every kind of operator, and are never guessed."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
import pytest
from onnx import helper
from opwright.link.propagate import Fact, Propagation, Visit
from opwright.link.value_types import element_of, proto_of, text_of, unwrap, wrap

from tests.link.conftest import parse, refused


class Probe:
    """Serves the nodes of the domain `probe` and keeps what it was told of their inputs."""

    def __init__(self) -> None:
        self.seen: dict[str, list[tuple[Fact, ...]]] = {}

    def visit(self, visit: Visit) -> Sequence[Fact] | None:
        if visit.node.domain != "probe":
            return None
        self.seen.setdefault(visit.node.op_type, []).append(visit.inputs)
        return [visit.inputs[0]] if visit.inputs else [None]


def facts(model: onnx.ModelProto) -> dict[str, list[tuple[Fact, ...]]]:
    probe = Probe()
    Propagation(model, probe).run()
    return probe.seen


HEADER = '<ir_version: 10, opset_import: ["": 21, "ai.onnx.ml": 3, "probe": 1, "my": 1]>'


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("t = Neg(x)", "tensor(float)"),
        ("t = Shape(x)", "tensor(int64)"),
        ("t = Greater(x, x)", "tensor(bool)"),
        ("t = Cast<to = 10>(x)", "tensor(float16)"),
        ("t = CastLike(x, d)", "tensor(double)"),
        ("s = Shape(x) t = ConstantOfShape(s)", "tensor(float)"),
        ("s = Shape(x) t = ConstantOfShape<value = int64[1] {1}>(s)", "tensor(int64)"),
        ("t = Constant<value_int = 3>()", "tensor(int64)"),
        ("t = Constant<value_floats = [1.0]>()", "tensor(float)"),
        ('t = Constant<value_string = "a">()', "tensor(string)"),
        ("t = Constant<value = double[1] {1}>()", "tensor(double)"),
        ("t = EyeLike<dtype = 11>(x)", "tensor(double)"),
        ("t = EyeLike(x)", "tensor(float)"),
        ("t = RandomNormal<shape = [2]>()", "tensor(float)"),
        ("t = QuantizeLinear(x, x)", "tensor(uint8)"),
        ("t = QuantizeLinear<output_dtype = 3>(x, x)", "tensor(int8)"),
        ("t = Where(b, d, d)", "tensor(double)"),
        ("t = Clip(d)", "tensor(double)"),
        ("s = SequenceConstruct(x, x) i = Constant<value_int = 0>() t = SequenceAt(s, i)", "tensor(float)"),
        ("t = SequenceConstruct(x, x)", "seq(tensor(float))"),
        ("t = SplitToSequence(d)", "seq(tensor(double))"),
        ("s = SplitToSequence(d) t = ConcatFromSequence<axis = 0>(s)", "tensor(double)"),
        ("o = Optional(x) t = OptionalGetElement(o)", "tensor(float)"),
        ("t = SequenceEmpty<dtype = 7>()", "seq(tensor(int64))"),
        ("t = ai.onnx.ml.Scaler(d)", "tensor(float)"),
        ('t = ai.onnx.ml.LabelEncoder<keys_floats = [1.0], values_strings = ["a"]>(x)', "tensor(string)"),
        ("t = nowhere.Thing(x)", None),
        ("u = nowhere.Thing(x) t = Add(u, x)", "tensor(float)"),
        ("u = nowhere.Thing(x) t = Neg(u)", None),
        ("u = nowhere.Thing(x) t = Cast<to = 1>(u)", "tensor(float)"),
        ("v, t = TopK(x, k)", "tensor(int64)"),
    ],
)
def test_operators(nodes: str, expected: Fact) -> None:
    model = parse(f"{HEADER} g (float[N] x, double[N] d, bool b, int64[1] k) => (y) {{ {nodes} y = probe.P(t) }}")
    assert facts(model) == {"P": [(expected,)]}


def test_initializers_and_declared_types() -> None:
    text = "g (float[N] x) => (y) <double[1] w = {1}, int64[N] u> { u = nowhere.Thing(x) y = probe.P(w, u, x) }"
    assert facts(parse(HEADER + text)) == {"P": [("tensor(double)", "tensor(int64)", "tensor(float)")]}


def test_what_follows_is_stronger_than_what_is_declared() -> None:
    text = "g (float[N] x) => (y) <double[N] u> { u = Neg(x) y = probe.P(u) }"
    assert facts(parse(HEADER + text)) == {"P": [("tensor(float)",)]}


def test_absent_inputs() -> None:
    model = parse(HEADER + "g (float[N] x) => (y) { y = probe.P(x, x, x) }")
    model.graph.node[0].input[1] = ""
    assert facts(model) == {"P": [("tensor(float)", "", "tensor(float)")]}


def test_branches_see_outer_values_and_give_their_types() -> None:
    text = """g (float[N] x, bool b) => (y) {
        d = Cast<to = 11>(x)
        t = If (b) <then_branch = p () => (a) { a = probe.In(d) }, else_branch = q () => (c) { c = nowhere.Thing(x) }>
        y = probe.Out(t)
    }"""
    assert facts(parse(HEADER + text)) == {"In": [("tensor(double)",)], "Out": [("tensor(double)",)]}


def test_an_inner_name_hides_the_outer_one_inside_only() -> None:
    text = """g (float[N] x, bool b) => (y) {
        t = If (b) <then_branch = p () => (a) { x = Constant<value_int = 1>() a = probe.In(x) },
                    else_branch = q () => (c) { c = probe.Else(x) }>
        y = probe.Out(x)
    }"""
    seen = facts(parse(HEADER + text))
    assert seen == {"In": [("tensor(int64)",)], "Else": [("tensor(float)",)], "Out": [("tensor(float)",)]}


def test_loops() -> None:
    text = """g (double[N] x, int64 m, bool b) => (y) {
        last, scanned = Loop (m, b, x) <body = p (i, c, s) => (cc, n, o) {
            cc = probe.Head(c, i) n = probe.State(s) o = Shape(s)
        }>
        y = probe.Out(last, scanned)
    }"""
    model = parse(HEADER + text)
    assert facts(model) == {
        "Head": [("tensor(bool)", "tensor(int64)")],
        "State": [("tensor(double)",)],
        "Out": [("tensor(double)", "tensor(int64)")],
    }


def test_scan_and_sequence_map() -> None:
    text = """g (double[N] x, float[M, N] z) => (y) {
        last, scanned = Scan<num_scan_inputs = 1, body = p (s, e) => (n, o) {
            n = probe.State(s, e) o = Identity(e)
        }>(x, z)
        q = SequenceConstruct(x)
        r = SequenceMap<body = w (e2) => (o2) { o2 = probe.Item(e2) }>(q)
        y = probe.Out(last, scanned, r)
    }"""
    assert facts(parse(HEADER + text)) == {
        "State": [("tensor(double)", "tensor(float)")],
        "Item": [("tensor(double)",)],
        "Out": [("tensor(double)", "tensor(float)", "seq(tensor(double))")],
    }


LOCAL = """<domain: "my", opset_import: ["": 21, "probe": 1]>
F <to> (a, b) => (r) { t = Cast<to: int = @to>(a) u = probe.In(t, b) r = Identity(t) }"""


def test_functions_of_the_model_are_gone_through_for_each_kind_of_call() -> None:
    text = f"""g (float[N] x) => (y) {{
        d = my.F<to = 11>(x, x) e = my.F<to = 7>(x) f = my.F<to = 11>(d, x) h = my.F<to = 11>(x, x) y = probe.Out(d, e)
    }} {LOCAL}"""
    assert facts(parse(HEADER + text)) == {
        "In": [("tensor(double)", "tensor(float)"), ("tensor(int64)", ""), ("tensor(double)", "tensor(float)")],
        "Out": [("tensor(double)", "tensor(int64)")],
    }


def test_a_function_that_nobody_calls_is_gone_through_once_without_facts() -> None:
    assert facts(parse(f"{HEADER} g (float[N] x) => (y) {{ y = Neg(x) }} {LOCAL}")) == {"In": [(None, None)]}


def test_recursion_of_the_models_functions_is_refused() -> None:
    text = """g (float[N] x) => (y) { y = my.F(x) }
    <domain: "my", opset_import: ["": 21, "my": 1]> F (x) => (y) { y = my.G(x) }
    <domain: "my", opset_import: ["": 21, "my": 1]> G (x) => (y) { y = my.F(x) }"""
    (found,) = refused(lambda: facts(parse(HEADER + text)))
    assert found.code == "OW565"


def test_deeply_nested_calls_in_subgraphs_end_in_a_finding_not_in_a_recursion_error() -> None:
    opset = [helper.make_opsetid("", 21)]
    functions = []
    for index in range(100):
        node = helper.make_node(f"F{index - 1}", ["x", "c"], ["y0"], domain="my")
        for level in range(25):
            outputs = [helper.make_tensor_value_info(f"y{level}", 1, None)]
            deep = helper.make_graph([node], "deep", [], outputs)
            flat = helper.make_graph([helper.make_node("Neg", ["x"], [f"y{level}"])], "flat", [], outputs)
            node = helper.make_node("If", ["c"], [f"y{level + 1}"], then_branch=deep, else_branch=flat)
        functions.append(helper.make_function("my", f"F{index}", ["x", "c"], ["y25"], [node], opset))
    model = parse(HEADER + "g (float[N] x, bool c) => (float[N] y) { y = my.F99(x, c) }")
    model.functions.extend(functions)
    (found,) = refused(lambda: facts(model))
    assert found.code == "OW565"


@pytest.mark.parametrize(
    "text", ["tensor(float)", "seq(tensor(int64))", "optional(seq(tensor(string)))", "sparse_tensor(double)"]
)
def test_types_as_text_and_back(text: str) -> None:
    proto = proto_of(text)
    assert proto is not None
    assert text_of(proto) == text


def test_parts_of_types() -> None:
    assert proto_of("map(int64,tensor(float))") is None
    assert element_of("seq(tensor(float))") is None
    assert unwrap(wrap("seq", "tensor(float)")) == "tensor(float)"
    assert unwrap("tensor(float)") is None
    assert text_of(onnx.TypeProto()) is None


def test_an_operator_with_graphs_that_is_no_control_flow_gives_what_its_schema_says() -> None:
    value = helper.make_tensor_value_info
    scores = helper.make_graph(
        [helper.make_node("Identity", ["s"], ["r"])], "scores", [value("s", 10, None)], [value("r", 10, None)]
    )
    nodes = [
        helper.make_node("FlexAttention", ["q", "q", "q"], ["t"], domain="ai.onnx.preview", score_mod=scores),
        helper.make_node("Probe", ["t"], ["u"], domain="probe"),
    ]
    graph = helper.make_graph(nodes, "g", [value("q", 10, [1, 2, 3, 4])], [value("u", 10, None)])
    opsets = [
        helper.make_opsetid(domain, version) for domain, version in (("", 25), ("ai.onnx.preview", 1), ("probe", 1))
    ]
    assert facts(helper.make_model(graph, opset_imports=opsets)) == {"Probe": [("tensor(float16)",)]}
