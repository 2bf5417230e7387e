"""The structure of a body does not hang on names and order, and hangs on everything else."""

from __future__ import annotations

import onnx
import pytest

from tests.corpus.structure import structure

BODY = """
<opset_import: [ "" : 18 ], domain: "d">
F <k>(x, y) => (r) {
    one = Constant <value: tensor = float {1}> ()
    two = Constant <value: tensor = float {2}> ()
    a = Add (x, one)
    b = Mul (y, two)
    c = Greater (a, b)
    r = If (c) <then_branch: graph = t () => (s) { s = Sub (a, two) }, else_branch: graph = e () => (s) { s = Neg (b) }>
}
"""


def _structure(*changes: tuple[str, str]) -> str:
    text = BODY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return structure(onnx.parser.parse_function(text))


ADD, MUL = "    a = Add (x, one)\n", "    b = Mul (y, two)\n"


@pytest.mark.parametrize(
    "changes",
    [
        ((ADD, ""), (MUL, MUL + ADD)),
        (("one", "first"),),
        (("s)", "u)"), ("s =", "u =")),
        ((ADD, ADD + "    d = Neg (x)\n"),),
    ],
    ids=["order", "names", "names inside", "nodes that nothing reads"],
)
def test_the_same(changes: tuple[tuple[str, str], ...]) -> None:
    assert _structure(*changes) == _structure()


def test_a_model_has_the_structure_of_its_graph_and_functions() -> None:
    model = onnx.parser.parse_model(
        """
<ir_version: 10, opset_import: [ "" : 18, "d" : 1 ]>
m (float[N] x, float[N] y) => (float[N] z) { z = d.F <k = 1> (x, y) }
"""
        + BODY
    )
    before = structure(model)
    model.functions[0].node[0].name = "named"
    model.graph.node[0].output[0] = model.graph.output[0].name = "other"
    assert structure(model) == before
    model.functions[0].node[3].op_type = "Div"
    assert structure(model) != before


@pytest.mark.parametrize(
    "changes",
    [
        (("Add (x, one)", "Add (one, x)"),),
        (("float {1}", "float {3}"),),
        (("Greater", "Less"),),
        (("Sub (a, two)", "Sub (b, two)"),),
        (("then_branch", "other_branch"), ("else_branch", "then_branch"), ("other_branch", "else_branch")),
        (("18", "19"),),
        (("<k>", "<m>"),),
        (("(x, y)", "(y, x)"),),
    ],
)
def test_another(changes: tuple[tuple[str, str], ...]) -> None:
    assert _structure(*changes) != _structure()
