"""What the nodes of a graph say of types and names, looked up in one go."""

from __future__ import annotations

from onnx import parser
from opwright import decompile
from opwright.decompiler.element_types import ElementTypes
from opwright.decompiler.nodes import graphs_inside, with_graphs, with_more_outputs
from opwright.decompiler.operator_forms import Forms
from opwright.decompiler.python_names import Names, Taken
from opwright.graphs.node_columns import NodeColumns

_MODEL = """<ir_version: 10, opset_import: ["": 18, "d": 1]>
main (float[N] x, bool c) => (float[N] y, int64[M] i) {
    v, i = TopK (x, k)
    y = If (c) <
        then_branch = left () => (float[N] p) { a = Cast <to = 7> (x) b = Cast <to = 1> (a) p = Neg (b) },
        else_branch = right () => (float[N] q) { a = Neg (x) only = Cast <to = 11> (x) q = Neg (a) }
    >
    w = d.Odd (x)
    last, last = Split (v)
}"""


def _forms() -> Forms:
    return Forms({"": 18, "d": 1}, Taken())


def test_element_types_of_all_outputs_and_graphs() -> None:
    model = parser.parse_model(_MODEL)
    types = ElementTypes(NodeColumns(model.graph.node), {"x": "float"}, _forms(), {})
    found = {name: types.of(name) for name in ("v", "i", "y", "b", "only", "q", "a", "w", "last", "none")}
    assert found == {
        "v": "float",
        "i": "int64",
        "y": "",
        "b": "float",
        "only": "double",
        "q": "",  # of a, which is two values
        "a": "",
        "w": "",
        "last": "",
        "none": "",
    }


def test_graphs_inside_nodes() -> None:
    model = parser.parse_model(_MODEL)
    nodes = NodeColumns(model.graph.node)
    assert [graph.name for graph in graphs_inside(nodes, _forms())] == ["left", "right"]
    assert [node.op_type for node in with_graphs(nodes, _forms())] == ["If", "Odd"]
    assert [node.op_type for node in with_more_outputs(nodes, _forms())] == ["TopK", "If", "Odd", "Split"]


def test_a_name_that_is_taken_leaves_the_others_as_they_are() -> None:
    for listed, expected in (
        (["a", "made", "b"], ["a", "made_1", "b"]),
        (["a", "made", "made_1"], ["a", "made_1", "made_1_1"]),
        (["if", "if_", "b"], ["if_", "if__1", "b"]),
        (["made", "in", "in__2"], ["made_1", "in_", "in__2"]),
    ):
        names = Names(Taken())
        names.add_all(listed)
        assert [names[name] for name in listed] == expected


def test_a_value_called_as_the_module_calls_something() -> None:
    model = parser.parse_model(
        '<ir_version: 10, opset_import: ["": 18]> main (float[N] x) => (float[N] y) '
        "{ made = Neg (x) model = Abs (made) y = Exp (model) }"
    )
    assert "made_1 = -x\n    model_1 = op.Abs(made_1)\n    y = op.Exp(model_1)" in decompile(model).text
