"""Inlining keeps names apart, resolves attributes, and ends."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import ModelProto, helper
from onnx.reference import ReferenceEvaluator
from opwright import DiagnosticError
from opwright.graphs.inline import inline_model

from tests.link.conftest import parse, refused

HEADER = '<ir_version: 10, opset_import: ["": 18, "my": 1]> '
MY = '<domain: "my", opset_import: ["": 18, "my": 1]>'


def inlined(text: str) -> onnx.ModelProto:
    model = parse(HEADER + text)
    inline_model(model)
    assert not model.functions
    onnx.checker.check_model(model, full_check=True)
    return model


def run(model: onnx.ModelProto, **feeds: object) -> list[float]:
    arrays = {
        name: np.asarray(value, np.bool_ if isinstance(value, bool) else np.float32) for name, value in feeds.items()
    }
    return [float(value) for value in ReferenceEvaluator(model).run(None, arrays)]


def test_defaults_of_attributes_hold_where_the_call_leaves_them_out() -> None:
    text = f"""g (float x) => (float y) {{ y = my.F(x) }}
    {MY} F <alpha: float = 0.5> (x) => (y) {{ y = LeakyRelu<alpha: float = @alpha>(x) }}"""
    assert run(inlined(text), x=-2) == [-1]


def test_an_attribute_that_nobody_gives_is_left_out() -> None:
    text = f"""g (float x) => (float y) {{ y = my.F(x) }}
    {MY} F <alpha> (x) => (y) {{ y = LeakyRelu<alpha: float = @alpha>(x) }}"""
    model = inlined(text)
    assert not model.graph.node[0].attribute
    assert run(model, x=-2) == pytest.approx([-0.02])


def test_attributes_pass_through_two_functions_into_a_subgraph() -> None:
    text = f"""g (float x, bool c) => (float y) {{ y = my.F<alpha = 0.25>(x, c) }}
    {MY} F <alpha> (x, c) => (y) {{ y = my.G<slope: float = @alpha>(x, c) }}
    {MY} G <slope: float = 9.0> (x, c) => (y) {{
        y = If (c) <then_branch = p () => (float a) {{ a = LeakyRelu<alpha: float = @slope>(x) }},
                    else_branch = q () => (float b) {{ b = Neg(x) }}> }}"""
    model = inlined(text)
    assert (run(model, x=-4, c=True), run(model, x=-4, c=False)) == ([-1], [4])


def test_one_argument_for_two_parameters_beside_an_inner_name_like_one_of_them() -> None:
    # Inside the branch `a` is a value of its own; `b` is still the argument.
    text = f"""g (float x, bool c) => (float y) {{ y = my.F(x, x, c) }}
    {MY} F (a, b, c) => (y) {{
        y = If (c) <then_branch = p () => (float r) {{ a = Constant<value_float = 10.0>() r = Add(a, b) }},
                    else_branch = q () => (float s) {{ s = Add(a, b) }}> }}"""
    model = inlined(text)
    assert (run(model, x=1, c=True), run(model, x=1, c=False)) == ([11], [2])


def test_absent_inputs_and_unnamed_outputs() -> None:
    text = f"""g (float x) => (float y) {{ y = my.F(x) }}
    {MY} F (x, low, high) => (y, z) {{ y = Clip(x, low, high) z = Neg(x) }}"""
    model = inlined(text)
    assert list(model.graph.node[0].input) == ["x", "", ""]
    assert run(model, x=3) == [3]


def test_outputs_that_are_inputs_or_the_same_value_twice() -> None:
    text = f"""g (float x) => (float a, float b, float c) {{ a, b, c = my.F(x) }}
    {MY} F (x) => (x, y, y) {{ y = Neg(x) }}"""
    assert run(inlined(text), x=3) == [3, -3, -3]


def test_fresh_names_avoid_every_name_of_the_model() -> None:
    text = f"""g (float t, bool c, float t_0) => (float y, float z) {{
        t_1 = my.F(t)
        z = If (c) <then_branch = p () => (float t_2) {{ t_2 = my.F(t_1) }},
                    else_branch = q () => (float r) {{ r = my.F(t_0) }}>
        y = my.F(t_1)
    }} {MY} F (x) => (y) {{ t = Exp(x) y = Neg(t) }}"""
    model = inlined(text)
    y, z = run(model, t=0, c=True, t_0=1)
    assert (y, z) == pytest.approx((-np.exp(-1), -np.exp(-1)))
    assert run(model, t=0, c=False, t_0=1)[1] == pytest.approx(-np.e)


def test_names_of_calls_lead_the_names_of_their_nodes_and_none_comes_twice() -> None:
    text = f"""g (float x) => (float y) {{ t = my.F(x) u = my.F(t) v = my.F(u) y = Neg(v) }}
    {MY} F (x) => (y) {{ t = Exp(x) u = Exp(t) y = Neg(u) }}"""
    model = parse(HEADER + text)
    model.graph.node[0].name = "call"
    model.graph.node[3].name = "last_0"
    model.functions[0].node[2].name = "last"
    inline_model(model)
    # onnxruntime refuses two nodes of one name; no name at all is no matter.
    assert [node.name for node in model.graph.node] == [
        *("call/Exp", "call/Exp_0", "call/last"),
        *("", "", "last"),
        *("", "", "last_1"),
        "last_0",
    ]
    ort.InferenceSession(model.SerializeToString())


def chain(body: str, length: int) -> onnx.ModelProto:
    """F0 calls F1 (written `F`) and so on; the last one negates."""
    functions = [f"{MY} F{index} (x) => (y) {{ {body.replace('F', f'F{index + 1}')} }}" for index in range(length)]
    last = f"{MY} F{length} (x) => (y) {{ y = Neg(x) }}"
    return parse("\n".join([HEADER, "g (float x) => (float y) { y = my.F0(x) }", *functions, last]))


def test_a_chain_of_thousands() -> None:
    model = chain("y = my.F(x)", 3000)
    inline_model(model)
    assert [node.op_type for node in model.graph.node] == ["Neg"]


IN_BRANCH = "y = If (c) <then_branch = p () => (r) { r = my.F(x, c) }, else_branch = q () => (s) { s = Neg(x) }>"


@pytest.mark.parametrize("body", ["y = my.F(x, c)", IN_BRANCH])
def test_recursion_ends_in_a_finding(body: str) -> None:
    model = parse(f"{HEADER} g (float x, bool c) => (float y) {{ y = my.F(x, c) }} {MY} F (x, c) => (y) {{ {body} }}")
    (found,) = refused(lambda: inline_model(model))
    assert found.code == "OW565"


def test_too_many_nodes_end_in_a_finding() -> None:
    model = chain("t = my.F(x) y = my.F(t)", 40)
    (found,) = refused(lambda: inline_model(model, most_nodes=1000))
    assert (found.code, found.message) == ("OW565", "inlining would make more than 1000 nodes")


@pytest.mark.parametrize("depth", [29, 30, 31])
def test_no_model_is_made_that_protobuf_cannot_read(depth: int) -> None:
    """The call stands in one branch and the function's nodes in as many as `depth`."""
    node = helper.make_node("Relu", ["x"], ["y0"])
    for level in range(1, depth + 1):
        graph = helper.make_graph([node], "inner", [], [helper.make_tensor_value_info(f"y{level - 1}", 1, [2])])
        node = helper.make_node("If", ["c"], [f"y{level}"], then_branch=graph, else_branch=graph)
        if level > 1:
            del node.attribute[1].g.node[:]
            node.attribute[1].g.output[0].name = "x"
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("f", 1)]
    deep = helper.make_function("f", "deep", ["x", "c"], [f"y{depth}"], [node], imports)
    call = helper.make_node("deep", ["x", "c"], ["z"], domain="f")
    other = helper.make_node("Neg", ["x"], ["w"])
    sides = [
        helper.make_graph([one], "side", [], [helper.make_tensor_value_info(one.output[0], 1, [2])])
        for one in (call, other)
    ]
    branch = helper.make_node("If", ["c"], ["y"], then_branch=sides[0], else_branch=sides[1])
    values = [helper.make_tensor_value_info(*item) for item in (("x", 1, [2]), ("c", 9, []), ("y", 1, [2]))]
    graph = helper.make_graph([branch], "g", values[:2], values[2:])
    model = helper.make_model(graph, functions=[deep], opset_imports=imports, ir_version=9)
    if depth < 31:
        inline_model(model)
        assert ModelProto.FromString(model.SerializeToString()) == model
    else:
        with pytest.raises(DiagnosticError) as error:
            inline_model(model)
        assert error.value.diagnostics[0].code == "OW565"
