"""onnxruntime loads one node of each kind, and still refuses what it refuses of the whole model."""

from __future__ import annotations

from typing import Any

import pytest
from onnx import ModelProto, TensorProto, checker, helper
from opwright.graphs.walk import all_nodes
from opwright.link import check
from opwright.link.apply import attach_libraries
from opwright.link.distinct_calls import with_distinct_calls

from tests.link.conftest import make_acme, parse

HEADER = '<ir_version: 10, opset_import: ["": 18, "d": 1]> '
FUNCTION = """<domain: "d", opset_import: ["": 18]> F <a: int = 1> (x, s) => (y) {
    t = Cast <to: int = @a> (x) y = Reshape (x, s)
}"""


def kept(text: str, functions: str = FUNCTION) -> list[str]:
    """The first outputs of the nodes that stay."""
    made = with_distinct_calls(parse(f"{HEADER}{text}\n{functions}"))
    checker.check_model(made)
    return [node.output[0] for node in made.graph.node]


def test_alike_are_calls_with_equal_attributes_on_equal_types() -> None:
    text = """g (float[N] x, double[N] z, int64[1] s) => (float[M] y) {
        a = d.F <a = 1> (x, s) b = d.F <a = 1> (a, s) c = d.F <a = 1> (b, s)
        e = d.F <a = 11> (c, s) f = d.F <a = 1> (z, s) k = d.F <a = 1> (z, s) y = Add (c, e)
    }"""
    assert kept(text) == ["a", "e", "f", "y"]


def test_what_is_left_out_is_an_input_where_it_is_read() -> None:
    made = with_distinct_calls(
        parse(f"""{HEADER}g (float[N] x, int64[1] s, bool c) => (float[M] y) {{
            a = d.F (x, s) b = d.F (a, s) e = d.F (b, s) u = d.F (b, s)
            y = If (c) <then_branch = p () => (b) {{}}, else_branch = q () => (r) {{ r = Neg(e) }}>
        }}
        {FUNCTION}""")
    )
    assert [node.output[0] for node in made.graph.node] == ["a", "y"]
    assert [value.name for value in made.graph.input] == ["x", "s", "c", "b", "e"]
    assert {value.type.tensor_type.elem_type for value in made.graph.input[3:]} == {TensorProto.FLOAT}


def test_integers_that_may_be_sizes_tell_calls_apart() -> None:
    text = """g (float[N] x) => (float[M] y) <int64[1] s = {2}, int64[1] same = {2}, int64[2] t = {2, 3}> {
        k = Constant <value = int64[1] {4}> () a = d.F (x, s) b = d.F (x, same) c = d.F (x, t) e = d.F (x, k)
        f = d.G (w) h = d.G (v) y = Add (b, h)
    }"""
    both = f'{FUNCTION} <domain: "d", opset_import: ["": 18]> G (x) => (y) {{ y = Neg (x) }}'
    made = parse(f"{HEADER}{text}\n{both}")
    for index, name in enumerate("wv"):
        made.graph.initializer.append(helper.make_tensor(name, TensorProto.FLOAT, [9], [float(index)] * 9))
    assert [node.output[0] for node in with_distinct_calls(made).graph.node] == ["k", "a", "c", "e", "f", "y"]


@pytest.mark.parametrize("constant", ["value_ints = [{}]", "value = int64[1] {{{}}}"])
def test_constants_that_may_be_sizes_tell_calls_apart(constant: str) -> None:
    one, two = (f"Constant <{constant.format(number)}> ()" for number in (4, 2))
    text = f"""g (float[N] x) => (float[M] y) {{
        k = {one} same = {one} l = {two} a = d.F (x, k) b = d.F (x, same) c = d.F (x, l) y = Add (b, c)
    }}"""
    assert kept(text) == ["k", "same", "l", "a", "c", "y"]


def test_plain_nodes_are_alike_as_calls_are_but_for_constants() -> None:
    text = """g (float[N] x, double[N] z, int64[1] s) => (float[M] y) {
        k = Constant <value = int64[1] {4}> () l = Constant <value = int64[1] {4}> ()
        a = Neg (x) b = Neg (a) c = Neg (z) e = Elu <alpha = 0.5> (b) f = Elu <alpha = 0.25> (e)
        h = d.F (f, l) i = d.F (h, k) y = Add (i, b)
    }"""
    assert kept(text) == ["k", "l", "a", "c", "e", "f", "h", "i", "y"]


def test_nodes_with_graphs_are_alike_whatever_their_values_are_called() -> None:
    branch = """If (c) <then_branch = t () => ({0}) {{ {0}0 = Neg({1}) {0} = {2} }},
        else_branch = e () => ({0}e) {{ {0}e = Exp({1}) }}>"""
    nodes = [
        f"{name} = {branch.format(f'{name}i', given, f'{operator} ({name}i0, {given})')}"
        for name, given, operator in (
            ("p", "x", "Add"),
            ("q", "p", "Add"),
            ("r", "q", "Mul"),
            ("u", "z", "Add"),
            ("v", "u", "Add"),
        )
    ]
    text = f"""g (float[N] x, double[N] z, bool c, int64[1] s) => (float[M] y) {{
        {" ".join(nodes)} a = d.F (r, s) b = d.F (a, s) y = Add (b, r)
    }}"""
    assert kept(text) == ["p", "r", "u", "a", "y"]


def test_outputs_and_doubled_names_stay() -> None:
    text = """g (float[N] x, int64[1] s) => (float[M] y, float[M] z) {
        a = d.F (x, s) b = d.F (x, s) y = d.F (x, s) [twice] c = d.F (x, s) [twice] e = d.F (x, s) z = Add (b, e)
    }"""
    assert kept(text) == ["a", "y", "c", "e", "z"]


def test_a_model_without_such_calls_is_itself() -> None:
    for text in (
        "g (float[N] x, int64[1] s) => (y) { a = Neg (x) y = d.F (a, s) }",
        "g (float[N] x) => (y) { y = Neg (x) }",
    ):
        model = parse(f"{HEADER}{text}\n{FUNCTION}")
        assert with_distinct_calls(model) is model


@pytest.mark.parametrize("inline", [False, True])
def test_what_onnxruntime_loads_does_not_grow_with_the_calls(inline: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[ModelProto] = []

    def refusal(onnxruntime: Any, model: ModelProto) -> str:
        loaded.append(model)
        return refuse(onnxruntime, model)

    refuse = check._refusal
    monkeypatch.setattr(check, "_refusal", refusal)
    for count in (3, 30, 300):
        nodes = " ".join(f"v{index + 1} = acme.Swish (v{index})" for index in range(count))
        model = parse(
            f'<ir_version: 10, opset_import: ["": 18, "com.acme": 1]> g (float[N] v0) => (float[N] y) '
            f"{{ {nodes.replace('acme.', 'com.acme.')} y = Neg (v{count}) }}"
        )
        attach_libraries(model, [make_acme()], inline=inline)
    assert len(loaded) == 3
    assert len({sum(1 for _ in all_nodes(model.graph.node)) for model in loaded}) == 1
