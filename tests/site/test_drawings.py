"""Drawings of bodies: layers, places that do not overlap, graphs inside of nodes; formulas."""

from __future__ import annotations

import random
from itertools import pairwise
from xml.etree import ElementTree

import onnx.parser
import pytest
from opwright_build.site.body_drawing import body_drawing
from opwright_build.site.body_graph import Names, body_graph
from opwright_build.site.error_plot import error_plot
from opwright_build.site.formula_markup import formula_markup
from opwright_build.site.formulas import formulas
from opwright_build.site.layered_layout import layered_layout
from opwright_build.site.site_record import Callee
from opwright_build.verify.facts.numerics import Measured, Row

NAMES = Names({"i0": "X", "o0": "Y"}, {"a0": "alpha"}, {"abc": Callee("com.acme::Swish@1", "functions/com.acme/Swish")})
HEAD = '<domain: "body1", opset_import: ["": 18, "body1": 1]>'


def body(text: str) -> onnx.FunctionProto:
    return onnx.parser.parse_function(f"{HEAD} f {text}")


@pytest.mark.parametrize("seed", range(5))
def test_nodes_stand_below_what_they_read_and_apart(seed: int) -> None:
    drawn = random.Random(seed)
    reads = [tuple(sorted(drawn.sample(range(node), min(node, drawn.randrange(3))))) for node in range(60)]
    sizes = [(drawn.uniform(20, 120), drawn.uniform(20, 60)) for _ in reads]
    layout = layered_layout(sizes, reads)
    assert layout == layered_layout(sizes, reads)
    for node, sources in enumerate(reads):
        for source in sources:
            above = layout.boxes[source]
            assert above.y + above.height < layout.boxes[node].y
    drawn_edges = {(edge.source, edge.target) for edge in layout.edges} | {
        (stub.source, stub.target) for stub in layout.stubs
    }
    assert drawn_edges == {(source, node) for node, sources in enumerate(reads) for source in sources}
    rows: dict[float, list[tuple[float, float]]] = {}
    for box in layout.boxes:
        rows.setdefault(round(box.y + box.height / 2, 3), []).append((box.x - box.width / 2, box.x + box.width / 2))
    for row in rows.values():
        for (_, right), (left, _) in pairwise(sorted(row)):
            assert right < left
    assert all(edge.points[-1][1] > edge.points[0][1] for edge in layout.edges)


def test_an_edge_over_many_layers_is_named() -> None:
    count = 30
    reads = [(), *[(node,) for node in range(count - 1)], (0, count - 1)]
    layout = layered_layout([(20.0, 20.0)] * len(reads), reads)
    assert [(stub.source, stub.target) for stub in layout.stubs] == [(0, count)]


def test_a_body_with_a_call_and_a_graph_inside() -> None:
    function = body(
        """<alpha> (i0) => (o0) {
            two = Constant <value = float {2.0}> ()
            c = Greater (i0, two)
            s = body1.abc (i0)
            o0 = If (c) <then_branch = t () => (a) { a = Mul (i0, two) }, else_branch = e () => (b) { b = Neg (s) }>
        }"""
    )
    graph = body_graph(function, NAMES)
    operators = [(node.operator, node.kind, node.details) for node in graph.nodes]
    assert operators == [
        ("X", "input", ()),
        ("Greater", "operator", ("2",)),
        ("Swish@1", "call", ()),
        ("If", "operator", ()),
        ("Y", "output", ()),
    ]
    inner = dict(graph.nodes[3].inside)
    assert [node.operator for node in inner["then_branch"].nodes] == ["X", "Mul", "a"]
    assert graph.nodes[3].reads == (1, 0, 2)  # what the branches read too
    assert [node.operator for node in inner["else_branch"].nodes] == ["Swish@1", "Neg", "b"]
    drawing = body_drawing(graph, 'a "title"', {"functions/com.acme/Swish": "../Swish.html"})
    tree = ElementTree.fromstring(drawing.svg)
    assert tree.attrib["aria-label"] == 'a "title"'
    assert [link.attrib["href"] for link in tree.iter("a")] == ["../Swish.html"]
    assert any(text.text == "then_branch of If" for text in tree.iter("text"))


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("(i0) => (o0) { n = Neg (i0) e = Exp (n) one = Constant <value_float = 1.0> () a = Add (one, e)"
         " o0 = Div (i0, a) }", ["Y = X / (1 + Exp(neg(X)))"]),
        ("(i0) => (o0) { a = Cast <to = 11> (i0) b = Mul (a, a) c = Sqrt (b) o0 = CastLike (c, i0) }",
         ["Y = sqrt(X * X)"]),
        ("(i0) => (o0) { a = Cast <to = 7> (i0) o0 = Sub (a, a) }", ["t1 = Cast(X, to = int64)", "Y = t1 - t1"]),
        ("<a0> (i0) => (o0) { k = Constant <value_float = @a0> () m = Max (i0, k) o0 = Softmax <axis = 1> (m) }",
         ["Y = Softmax(Max(X, alpha), axis = 1)"]),
    ],
)  # fmt: skip
def test_formulas(text: str, formula: list[str]) -> None:
    found = formulas(body(text), NAMES, of_floats=True)
    assert [f"{item.name} = {_plain(item.term)}" for item in found] == formula
    for item in found:
        ElementTree.fromstring(formula_markup(item).replace("&minus;", "-"))


def _plain(term: object) -> str:
    from opwright_build.site.site_record import Term

    assert isinstance(term, Term)
    if not term.parts:
        return term.text
    parts = [_plain(part) for part in term.parts]
    if term.form in ("+", "-", "*", "/"):
        left, right = (f"({part})" if " + " in part and term.form != "+" else part for part in parts)
        return f"{left} {term.form} {right}"
    return f"{term.text or term.form}({', '.join(parts)})"


def test_a_long_body_is_no_formula() -> None:
    lines = " ".join(f"v{number + 1} = Neg (v{number})" for number in range(40))
    assert formulas(body(f"(i0) => (o0) {{ v0 = Neg (i0) {lines} o0 = Neg (v40) }}"), NAMES, of_floats=True) == ()


def test_a_plot_of_errors_tells_its_figures() -> None:
    row = Row("f", "float", (), (), 1, 0, 10, Measured(0.0, 0.5, 0, 3), Measured(1e-7, 4e6, 0, 5))
    for measure, told in (("absolute", "float: 0 here, 1e-07 in the standard"), ("ulp", "float: 0.5 here, 4e+06")):
        tree = ElementTree.fromstring(error_plot([row], measure))
        assert told in tree.attrib["aria-label"]
        ours, standard = (float(item.attrib["cx"]) for item in reversed(list(tree.iter("circle"))))
        assert ours < standard
