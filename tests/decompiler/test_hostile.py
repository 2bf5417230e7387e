"""Hostile names and texts at every place of a model: the text is Python, and the model comes back. `nox -s roundtrip`
puts every text at every place."""

from __future__ import annotations

import ast

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper, numpy_helper, parser
from opwright import DiagnosticError, decompile
from opwright.decompiler.recompile_check import check_model

from tests.decompiler.hostile import LONG, PLACES, TEXTS, base, everywhere, hostile_failures
from tests.shares import one_in

EVERY = 6


def test_the_models_are_valid_ones() -> None:
    onnx.checker.check_model(base())
    for shift in range(0, len(TEXTS), 40):
        onnx.checker.check_model(everywhere(shift))
    assert len(PLACES) < len(TEXTS)


@pytest.mark.parametrize("faithful", [False, True])
def test_models_come_back(faithful: bool) -> None:
    failures = list(hostile_failures(range(0, len(TEXTS), EVERY), faithful))
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("place", one_in(3, PLACES))
def test_the_longest_text_at_each_place(place: str) -> None:
    put, texts = PLACES[place]
    longest = max(texts, key=len)
    for faithful in (False, True):
        model = base()
        put(model, longest)
        made = decompile(model, faithful=faithful)
        assert max(map(len, made.text.splitlines())) < LONG // 4 or longest.isidentifier()
        assert list(check_model(made, model)) == []


def parsed(text: str) -> ModelProto:
    return parser.parse_model(f'<ir_version: 8, opset_import: ["": 18]> {text}')


@pytest.mark.parametrize(
    "text",
    [
        "agraph (float[N] x, float[N] x) => (float[N] y) { y = Neg (x) }",
        "agraph (float[N] x) => (float[N] y) <float w = {1}, float w = {2}> { y = Add (x, w) }",
        "agraph (float[N] x) => (float[N] y) { a, a = Split (x) y = Neg (a) }",
        'agraph (float[N] x) => (float[N] y) { y = d.f (x, x) } <domain: "d", opset_import: ["": 18]> '
        "f (a, a) => (b) { b = Neg (a) }",
        'agraph (int64 n, float x) => (float y) { y = Loop (n, "", x) <body: graph = b (int64 i, bool i, float a) => '
        "(bool go, float b) { go = Identity (i) b = Neg (a) }> }",
        'agraph (int64 n, float x) => (float y) { y = Loop (n, "", x) <body: graph = b (int64 "", bool c, float a) '
        "=> (bool go, float b) { go = Identity (c) b = Neg (a) }> }",
        'agraph (bool c, float x) => (float y) { y = If (c) <then_branch: graph = b () => (float "") '
        '{ "" = Neg (x) }, else_branch: graph = e () => (float z) { z = Abs (x) }> }',
        'agraph (float[N] "") => (float[N] y) { y = Neg ("") }',
        'agraph (float[N] x) => (float[N] "") { "" = Neg (x) }',
    ],
)
def test_names_that_no_model_has_are_refused(text: str) -> None:
    model = parsed(text)
    for faithful in (False, True):
        with pytest.raises(DiagnosticError) as error:
            decompile(model, faithful=faithful)
        assert error.value.diagnostics[0].code == "OW590"


@pytest.mark.parametrize("count", [1, 3, 40])
@pytest.mark.parametrize("length", [80, 100, 119, 120, 121, 300, 5000])
def test_string_tensors_that_begin_with_long_texts(count: int, length: int) -> None:
    array = np.array(["a" * length, "b, c = ["] + [f"{index}\0" for index in range(count)], object)
    node = helper.make_node("Constant", [], ["y"], value=numpy_helper.from_array(array, "value"))
    output = helper.make_tensor_value_info("y", 8, array.shape)
    graph = helper.make_graph([node], "g", [], [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    for faithful in (False, True):
        made = decompile(model, faithful=faithful)
        ast.parse(made.text)
        assert list(check_model(made, model)) == []


@pytest.mark.parametrize("sign", ["**", " ** ", " = ", ", ", " + ", "(", "**("])
def test_documentation_that_looks_like_code(sign: str) -> None:
    model = parsed("agraph (float[N] x) => (float[N] y) { y = Neg (x) }")
    model.doc_string = f"a{sign}b" * 500
    model.graph.doc_string = f"{sign}\n" * 300
    model.graph.name = f"{sign}b" * 60
    made = decompile(model)
    ast.parse(made.text)
    assert list(check_model(made, model)) == []


def test_many_names_that_are_alike() -> None:
    """Each gets a name, and none waits for all others."""
    names = [chr(0x4E00 + index) * (2 + index % 7) for index in range(5000)]
    nodes = [helper.make_node("Neg", [one], [other]) for one, other in zip(["x", *names], [*names, "y"], strict=True)]
    x, y = (helper.make_tensor_value_info(name, 1, ["N"]) for name in ("x", "y"))
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=[helper.make_opsetid("", 18)])
    made = decompile(model)
    assert made.text.count(" = -") == len(nodes)
    assert list(check_model(made, model)) == []


def test_texts_that_are_not_utf_8_are_refused() -> None:
    for put in (
        lambda item: setattr(item, "s", b"\xff"),
        lambda item: item.strings.append(b"\xff"),
    ):
        model = everywhere(0)
        put(model.functions[0].attribute_proto[1])
        model.functions[0].attribute_proto[1].type = 8 if model.functions[0].attribute_proto[1].strings else 3
        with pytest.raises(DiagnosticError, match="OW590"):
            decompile(model)
    for name, value in (("value_string", b"\xff"), ("value_strings", [b"a", b"\xff"])):
        model = parsed("agraph () => (string[N] y) { y = Identity (c) }")
        model.graph.node.insert(0, helper.make_node("Constant", [], ["c"], **{name: value}))
        with pytest.raises(DiagnosticError, match="OW590"):
            decompile(model)


def test_an_attribute_may_be_called_as_the_text_calls_something() -> None:
    """Names that the text can do without, and an input of the attribute's name."""
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["": 18, "min": 1]> agraph (float[N] x) => (float[N] y) {
            y = min.f <min = 0.5, ARRAYS = "a", onnx = 2, model = 3, f = 4> (x)
        }
        <domain: "min", opset_import: ["": 18]> f <min, ARRAYS, onnx, model, f> (x) => (y) {
            y = LeakyRelu <alpha: float = @min> (x)
            a = Constant <value_int: int = @onnx> () b = Constant <value_int: int = @model> ()
            c = Constant <value_string: string = @ARRAYS> () d = Constant <value_int: int = @f> ()
        }"""
    )
    for faithful in (False, True):
        assert list(check_model(decompile(model, faithful=faithful), model)) == []
