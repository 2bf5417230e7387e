"""Models of each kind become scripts, and the scripts the same models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser
from opwright import Decompiled, DiagnosticError, compare, decompile
from opwright.decompiler.recompile_check import check_model
from opwright.link.metadata import IDENTITY

from tests.decompiler.make_models import make
from tests.decompiler.roundtrip import equal, imports_of, interface_of, run_ort, run_reference

FOLDER = "decompiled"


def parsed(text: str, header: str = '<ir_version: 8, opset_import: ["": 18]>') -> ModelProto:
    return parser.parse_model(f"{header} {text}")


def back(
    model: ModelProto, folder: Path, *given: Any, faithful: bool = False, full: bool = True
) -> tuple[str, ModelProto]:
    """The text, and the model that it makes, which has been judged beside the original: in `full`, unless it has values
    of which nobody knows the types."""
    made: Decompiled = decompile(model, side_file=f"{FOLDER}.npz", faithful=faithful)
    made.write(folder / f"{FOLDER}.py")
    again = make(folder / f"{FOLDER}.py")
    assert isinstance(again, ModelProto)
    assert interface_of(again) == interface_of(model)
    assert imports_of(again) == imports_of(model)
    onnx.checker.check_model(again, full_check=full)
    if given:
        for one, other in zip(run_ort(model, given), run_ort(again, given), strict=True):
            assert equal(one, other), (one, other)
    return made.text, again


LOOP = """agraph (int64 n, float[2] x) => (float[2] y, float[2] z) {
    one = Constant <value: tensor = float {2.0}> ()
    go = Constant <value: tensor = bool {1}> ()
    y, z = Loop (n, go, x, x) <body: graph = body (int64 i, bool going, float[2] a, float[2] b)
        => (bool going_out, float[2] a_out, float[2] b_out) {
        going_out = Identity (going)
        step = Cast <to = 1> (i)
        both = Add (a, step)
        a_out = Identity (b)
        b_out = Mul (both, one)
    }>
}"""


def test_a_loop_that_is_counted(tmp_path: Path) -> None:
    model = parsed(LOOP)
    for trips in (0, 1, 4):
        text, _ = back(model, tmp_path, np.array(trips), np.array([1, 2], np.float32))
    assert "    for i in range(n):\n" in text
    assert "going" not in text


def test_a_loop_that_ends_by_its_condition(tmp_path: Path) -> None:
    model = parsed(
        """agraph (float x) => (float y) {
        most = Constant <value: tensor = float {10.0}> ()
        first = Less (x, most)
        y = Loop ("", first, x) <body: graph = body (int64 i, bool going, float a) => (bool again, float b) {
            b = Add (a, a)
            again = Less (b, most)
        }>
        }"""
    )
    for value in (1, 11):
        text, _ = back(model, tmp_path, np.array(value, np.float32))
    assert "    while goes_on:\n" in text


WHILE = """agraph (int64 n, float x) => (float y) {
    most = Constant <value: tensor = float {10.0}> () go = Constant <value: tensor = bool {1}> ()
    trips = Constant <value: tensor = int64 {9223372036854775807}> () more = Less (x, most)
    y = Loop (%s, %s, x) <body: graph = body (int64 i, bool going, float a) => (bool again, float b) {
        also = Identity (going) step = Cast <to = 1> (%s) c = Add (a, step) b = Add (c, c) low = Less (b, most)
        again = And (low, also)
    }>
}"""


@pytest.mark.parametrize(
    ("trips", "condition", "step", "written"),
    [
        ("n", "go", "i", "    for i in range(n):\n"),
        ("n", '""', "i", "        if ~again:\n            break\n"),
        ("trips", "go", "going", "    goes_on = BOOL(True)\n    while goes_on:\n"),
        ("trips", "more", "most", "    goes_on = more\n    while goes_on:\n"),
        ('""', "go", "most", "    goes_on = BOOL(True)\n    while goes_on:\n"),
        ("trips", "go", "i", "    for i in range(9223372036854775807):\n"),
        ("n", "more", "i", "op.Loop(n, more, x, body=body)"),
    ],
)
def test_loops_that_may_end_before(trips: str, condition: str, step: str, written: str, tmp_path: Path) -> None:
    model = parsed(WHILE % (trips, condition, step))
    for count in (0, 1, 2, 5):
        for value in (1, 4, 11):
            text, _ = back(model, tmp_path, np.array(count), np.array(value, np.float32))
    assert written in text
    assert "op.Loop" not in text or "op.Loop" in written


def test_a_loop_that_goes_on_by_its_state(tmp_path: Path) -> None:
    model = parsed(
        """agraph (int64 n, bool x, bool z) => (bool y, bool w) {
        y, w = Loop (n, "", x, z) <body: graph = body (int64 i, bool g, bool a, bool c) => (bool a, bool b, bool a) {
            b = And (a, c)
        }>
        }"""
    )
    model.graph.node[0].attribute[0].g.output[2].name = "a"
    for x in (True, False):
        for z in (True, False):
            text, _ = back(model, tmp_path, np.array(3), np.array(x), np.array(z))
    assert "        if ~again:\n" in text


def test_the_index_of_a_loop_divides_as_tensors_do(tmp_path: Path) -> None:
    model = parsed(
        """agraph (int64 n, int64 x) => (int64 y) {
        y = Loop (n, "", x) <body: graph = body (int64 i, bool going, int64 a) => (bool out, int64 b) {
            out = Identity (going)
            two = Constant <value: tensor = int64 {2}> ()
            half = Div (i, two)
            b = Add (a, half)
        }>
        }"""
    )
    text, _ = back(model, tmp_path, np.array(6), np.array(0))
    assert "for i in range(n)" in text


def test_branches_in_branches(tmp_path: Path) -> None:
    model = parsed(
        """agraph (bool p, bool q, float[N] x) => (float[N] y) {
        y = If (p) <then_branch: graph = yes () => (float[N] a) {
            a = If (q) <then_branch: graph = inner () => (float[N] b) { b = Neg (x) },
                        else_branch: graph = other () => (float[N] b) { c = Exp (x) b = Add (c, x) }>
        }, else_branch: graph = no () => (float[N] a) { a = Identity (x) }>
        }"""
    )
    x = np.array([1, 2], np.float32)
    for p in (True, False):
        for q in (True, False):
            text, _ = back(model, tmp_path, np.array(p), np.array(q), x)
    assert "        if q:\n" in text
    assert "op.If" not in text
    faithful, again = back(model, tmp_path, np.array(True), np.array(True), x, faithful=True)
    assert "op.If(p, " in faithful
    assert [node.op_type for node in again.graph.node] == ["If"]


def test_names_that_python_lacks(tmp_path: Path) -> None:
    model = parsed(
        'agraph (float[N] "x:0", float[N] class, float[N] op) => (float[N] "y/out") '
        '{ "op.1" = Add ("x:0", class) "y/out" = Mul ("op.1", op) }'
    )
    given = [np.array([value, 2], np.float32) for value in (1, 3, 5)]
    text, _ = back(model, tmp_path, *given)
    assert 'names={"x_0": "x:0", "class_": "class", "op_1": "op", "y_out": "y/out"}' in text


def test_outputs_that_are_inputs_or_initializers(tmp_path: Path) -> None:
    model = parsed(
        'agraph (float[N] "x:0", float[2] d) => (float[N] "x:0", float[N] y, float[2] d, float[3] w) '
        '<float[2] d = {0.5, 2}, float[3] w = {1, 2, 3}> { y = Abs ("x:0") }'
    )
    for faithful in (False, True):
        text, again = back(model, tmp_path, np.array([-1, 2], np.float32), faithful=faithful)
        assert "    x_0_out = x_0\n" in text
        assert compare(model, again) or not faithful
        assert "Identity" not in {node.op_type for node in again.graph.node}


def test_initializers_of_every_kind(tmp_path: Path) -> None:
    model = parsed(
        "agraph (float[N, 40] x, float[40] bias) => (float[N, 40] y, float[2] w) "
        "{ a = Mul (x, scale) b = Add (a, bias) y = Add (b, large) }"
    )
    large = np.linspace(-1, 1, 40, dtype=np.float32)
    for array, name in (
        (np.float32(0.1), "scale"),
        (large, "large"),
        (large[::-1].copy(), "bias"),
        (np.array([np.nan, -np.inf], np.float32), "w"),
    ):
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
    text, again = back(model, tmp_path, np.ones((3, 40), np.float32), large)
    assert "x * 0.1" in text
    assert [item.name for item in again.graph.initializer] == ["large", "bias"]
    assert sorted(decompile(model).arrays) == ["bias", "large"]
    onnx.checker.check_model(again)


def test_initializers_stay_in_a_faithful_script(tmp_path: Path) -> None:
    model = parsed("agraph (float[N] x) => (float[N] y) <float scale = {0.5}> { y = Mul (x, scale) }")
    _, again = back(model, tmp_path, np.ones(2, np.float32), faithful=True)
    assert compare(model, again)


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1, -128]], np.int8),
        np.array([1.5, 2.0**-24], np.float16),
        np.array([0.1, 3e38, np.inf], ml_dtypes.bfloat16),
        np.array([0.5, -448, np.nan], ml_dtypes.float8_e4m3fn),
        np.array([-8, 7, 3], ml_dtypes.int4),
        np.array([0.5, 6], ml_dtypes.float4_e2m1fn),
        np.array([1 + 2j, complex(np.nan, 0)], np.complex64),
        np.array([True, False]),
        np.array(["a\n\"'", "é\\"], object),
        np.array(2**64 - 1, np.uint64),
        np.zeros((2, 0), np.float64),
        np.array([0x7FC00001, 0xFF800000], np.uint32).view(np.float32),
        np.arange(50).astype(ml_dtypes.uint4),
        np.array([str(item) for item in range(40)], object),
    ],
    ids=lambda array: f"{array.dtype}{array.size}",
)
def test_constants_keep_their_bits(array: np.ndarray[Any, Any], tmp_path: Path) -> None:
    tensor = numpy_helper.from_array(array, "value")
    node = helper.make_node("Constant", [], ["y"], value=tensor)
    output = helper.make_tensor_value_info("y", tensor.data_type, array.shape)
    graph = helper.make_graph([node], "constant", [], [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=13)
    for faithful in (False, True):
        _, again = back(model, tmp_path, faithful=faithful)
        assert compare(model, again)


def test_functions_and_overloads(tmp_path: Path) -> None:
    model = parsed(
        """agraph (float[N] x) => (float[N] y) { a = my.scale:twice <by = 2.0> (x) y = my.scale:plain (a) }
        <domain: "my", overload: "twice", opset_import: ["": 18, "my": 1]> scale <by: float = 3.0> (x) => (y) {
            c = Constant <value_float: float = @by> () d = CastLike (c, x) e = Mul (x, d) y = my.scale:plain (e)
        }
        <domain: "my", overload: "plain", opset_import: ["": 18]> scale (x) => (y) { y = Add (x, x) }""",
        '<ir_version: 10, opset_import: ["": 18, "my": 1]>',
    )
    text, again = back(model, tmp_path, faithful=True)
    assert compare(model, again)
    assert 'overload="twice"' in text
    assert sorted(item.overload for item in again.functions) == ["plain", "twice"]


@pytest.mark.parametrize("faithful", [False, True])
def test_calls_that_leave_inputs_of_functions_out(faithful: bool, tmp_path: Path) -> None:
    model = parsed(
        """agraph (float[N] x, float low) => (float[N] y) {
            a = my.clip <scale = 2> (x) b = my.clip <scale = 3> (a, "", low) y = my.clip <scale = 4> (b, low)
        }
        <domain: "my", opset_import: ["": 18]> clip <scale> (x, low, high) => (y) {
            c = Constant <value_int: int = @scale> () d = CastLike (c, x) e = Mul (x, d) y = Clip (e, low, high)
        }""",
        '<ir_version: 10, opset_import: ["": 18, "my": 1]>',
    )
    given = (np.array([-2, 3], np.float32), np.array(1, np.float32))
    text, again = back(model, tmp_path, *given, faithful=faithful)
    assert "def clip(x, low=None, high=None, *, scale: int):" in text
    assert not faithful or compare(model, again)
    assert len(run_reference(again, given)[0]) == 2


MY_HEADER = '<ir_version: 10, opset_import: ["": 18, "my": 1]>'
MY_IMPORTS = '<domain: "my", opset_import: ["": 18, "my": 1]>'
REQUIRED = {
    "what no node reads": (
        'my.F <s = 0.5, m = "a", axes = [1]> (x)',
        "F <s, m, axes> (x) => (y) { y = Neg (x) }",
        "",
        "def F(x, s: float, m: str, axes: Sequence[int]):",
    ),
    "what is handed on to where no node reads it": (
        "my.F <s = 0.5> (x)",
        "F <s> (x) => (y) { y = my.G <k = @s> (x) }",
        "G <k> (x) => (y) { y = Neg (x) }",
        "def G(x, k: float):",
    ),
    "what comes from where no node reads it": (
        "my.F <s = 0.5> (x)",
        "F <s> (x) => (y) { z = my.G <k = @s> (x) y = my.G <k = 0.25> (z) }",
        "G <k> (x) => (y) { y = LeakyRelu <alpha: float = @k> (x) }",
        "def F(x, s: float):",
    ),
    "what is handed on to an attribute with a default": (
        "my.F <s = 0.5> (x)",
        "F <s> (x) => (y) { y = my.G <k = @s> (x) }",
        "G <k: float = 0.25> (x) => (y) { y = Neg (x) }",
        "def F(x, s: float):",
    ),
    "what is read without a type": (
        "my.F <s = 0.5> (x)",
        "F <s> (x) => (y) { y = LeakyRelu <alpha = @s> (x) }",
        "",
        "def F(x, s: float):",
    ),
}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize(("call", "one", "other", "declared"), REQUIRED.values(), ids=REQUIRED)
def test_attributes_have_the_types_that_calls_give_them(
    call: str, one: str, other: str, declared: str, faithful: bool, tmp_path: Path
) -> None:
    functions = " ".join(f"{MY_IMPORTS} {text}" for text in (other, one) if text)
    model = parsed(f"agraph (float[N] x) => (float[N] y) {{ y = {call} }} {functions}", MY_HEADER)
    text, _ = back(model, tmp_path, np.array([-2, 3], np.float32), faithful=faithful)
    assert declared in text


def test_an_attribute_of_which_calls_give_values_of_two_types_is_refused() -> None:
    graph = "agraph (float[N] x) => (float[N] y) { z = my.F <s = 0.5> (x) y = my.F <s = 1> (z) }"
    with pytest.raises(DiagnosticError, match="'s' of the function F cannot be declared") as caught:
        decompile(parsed(f"{graph} {MY_IMPORTS} F <s> (x) => (y) {{ y = Neg (x) }}", MY_HEADER))
    (found,) = caught.value.diagnostics
    assert (found.code, found.reason) == (
        "OW590",
        "no node of the function says its type, and others say FLOAT and INT",
    )


def test_everything_about_a_model(tmp_path: Path) -> None:
    model = parsed("agraph (float[N] x) => (float[N] y) { y = Abs (x) }")
    model.doc_string, model.graph.doc_string, model.graph.name = 'a "doc"\nof two lines', "of the graph", "torch-graph"
    model.producer_name, model.producer_version, model.domain, model.model_version = "maker", "1.2", "com.acme", 7
    helper.set_model_props(model, {"author": "nobody"})
    _, again = back(model, tmp_path)
    model.graph.ClearField("node")
    again.graph.ClearField("node")
    assert again == model


@pytest.mark.parametrize(
    "text",
    [
        "Plain.",
        'Of "two" words',
        '"quoted"',
        " spaced ",
        "of\ttabs",
        "Two\n  lines,\n\nindented \n",
        "\n    from the second line on\n    to the end",
        "x = 1 + " * 40 + "\nlong",
        'a\n"""\n',
        "back\\slash\nline",
        "bell\a\r\nline",
    ],
)
def test_documentation_of_functions(text: str, tmp_path: Path) -> None:
    model = parsed(
        "agraph (float[N] x) => (float[N] y) { y = d.f (x) } "
        '<domain: "d", opset_import: ["": 18]> f (x) => (y) { y = Abs (x) }',
        '<ir_version: 8, opset_import: ["": 18, "d": 1]>',
    )
    model.functions[0].doc_string = model.graph.doc_string = text
    written, again = back(model, tmp_path)
    assert again.functions[0].doc_string == text
    assert again.graph.doc_string == text
    assert "\\n" not in written or not text.replace("\n", "").isprintable() or "\\" in text or '"""' in text


def test_what_is_said_of_nodes(tmp_path: Path) -> None:
    model = parsed(
        "agraph (float[N] x) => (float[N] y) { a = Abs (x) c = Constant <value_float = 1.0> () y = Add (a, c) }"
    )
    for node, text in zip(model.graph.node, ("of two\r\n\nlines:", "nothing", 'a """ mark\x0c\u2028 \\'), strict=True):
        node.doc_string = text
    text, _ = back(model, tmp_path, np.array([-1, 2], np.float32))
    assert "    # of two\n    #\n    # lines:\n    a = op.Abs(x)\n    # a " in text
    assert "nothing" not in text
    back(model, tmp_path, faithful=True)


def test_attributes_that_say_what_an_operator_does_anyway(tmp_path: Path) -> None:
    model = parsed(
        "agraph (float[2, 3] x) => (float[2, 1] y) "
        "{ a = Softmax <axis = -1> (x) b = Flatten <axis = 0> (a) c = Reshape (b, s) "
        "y = ReduceMax <keepdims = 1> (c, k) }"
    )
    model.graph.initializer.append(numpy_helper.from_array(np.array([2, -1]), "s"))
    model.graph.initializer.append(numpy_helper.from_array(np.array([1]), "k"))
    text, _ = back(model, tmp_path, np.ones((2, 3), np.float32))
    assert "    a = op.Softmax(x)\n    b = op.Flatten(a, axis=0)\n" in text
    assert "y = op.ReduceMax(c, [1])\n" in text
    faithful, again = back(model, tmp_path, faithful=True)
    assert "axis=-1" in faithful
    assert compare(model, again)


def test_arrays_stand_together(tmp_path: Path) -> None:
    model = parsed("agraph (float[40] x) => (float[40] y) { y = Add (x, large) }")
    bias = numpy_helper.from_array(np.linspace(0, 1, 20, dtype=np.float32), "bias")
    model.graph.node.insert(0, helper.make_node("Constant", [], ["c"], value=bias))
    model.graph.node.insert(1, helper.make_node("Concat", ["c", "c"], ["both"], axis=0))
    model.graph.node.insert(2, helper.make_node("Mul", ["x", "both"], ["z"]))
    model.graph.node[3].input[0] = "z"
    model.graph.initializer.append(numpy_helper.from_array(np.array(2, np.float32), "large"))
    text, _ = back(model, tmp_path, np.ones(40, np.float32))
    assert "C_DATA = np.array([0.0, " in text
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.ones(40, np.float32), "large"))
    text, _ = back(model, tmp_path, np.ones(40, np.float32))
    assert 'C_DATA = ARRAYS["C_DATA"]\n' in text


def test_names_that_are_underscores_and_digits(tmp_path: Path) -> None:
    """Python keeps those that begin with two underscores for itself, and none begins with a digit."""
    text, _ = back(
        parsed("""__0 (double[2] x) => (double[2] y) {
            __1 = Constant <value: tensor = double[2] {1, 2}> () two = Add (__1, __1) y = Add (x, two)
        }"""),
        tmp_path,
        np.array([1, 2], np.float64),
    )
    assert "def v0_(" in text and "v1__DATA = " in text


OPEN_CONDITION = """go = Less (x, half)
    y, s = Loop (n, go, v) <body: graph = b (int64 i, bool c, float[2] t) => (bool c2, float[2] u, float w) {
        c2 = Identity (c) u = Add (t, t) w = ReduceSum <keepdims = 0> (t)
    }>"""
CONSTANTS = "n = Constant <value: tensor = int64 {3}> () half = Constant <value: tensor = float {0.5}> ()"
OPEN_CONDITIONS = {
    "in a graph": f"agraph (float[2] x, float[2] v) => (float[2] y, float[k] s) {{ {CONSTANTS} {OPEN_CONDITION} }}",
    "in a function": f"""agraph (float[2] x, float[2] v) => (float[2] y, float[k] s) {{ y, s = f.F (x, v) }}
        <domain: "f", opset_import: ["": 18]> F (x, v) => (y, s) {{ {CONSTANTS} {OPEN_CONDITION} }}""",
}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("text", OPEN_CONDITIONS.values(), ids=list(OPEN_CONDITIONS))
def test_a_condition_whose_rank_its_loop_alone_says(text: str, faithful: bool, tmp_path: Path) -> None:
    """onnxruntime does not run a loop whose body takes a condition of unknown rank."""
    model = parsed(text, '<ir_version: 8, opset_import: ["": 18, "f": 1]>')
    model.graph.input[0].type.tensor_type.ClearField("shape")
    made = decompile(model, faithful=faithful)
    assert "(i, c: BOOL, t)" in made.text or "(i: INT64, c: BOOL, t: FLOAT[2])" in made.text
    made.write(tmp_path / "module.py")
    again = make(tmp_path / "module.py")
    assert isinstance(again, ModelProto)
    given = [np.array(0, np.float32), np.array([1, 2], np.float32)]
    for one, other in zip(run_ort(model, given), run_ort(again, given), strict=True):
        assert equal(one, other), (one, other)


@pytest.mark.parametrize("faithful", [False, True])
def test_an_input_of_unknown_rank_beside_a_scan(faithful: bool, tmp_path: Path) -> None:
    model = parsed("""agraph (float[2, 3] x, float[2] w) => (float[2] y, float[2] z) {
        y = Scan <num_scan_inputs: int = 1, body = b (float[3] r) => (float m) { m = ReduceSum <keepdims = 0> (r) }> (x)
        z = Abs (w)
    }""")
    for value in (model.graph.input[1], model.graph.output[1]):
        value.type.tensor_type.ClearField("shape")
    made = decompile(model, faithful=faithful)
    made.write(tmp_path / "module.py")
    again = make(tmp_path / "module.py")
    assert isinstance(again, ModelProto)
    assert interface_of(again) == interface_of(model)
    given = [np.arange(6, dtype=np.float32).reshape(2, 3), np.array(-1, np.float32)]
    for one, other in zip(run_ort(model, given), run_ort(again, given), strict=True):
        assert equal(one, other), (one, other)


OLD_IR = {
    "functions": (
        '<ir_version: 7, opset_import: ["": 13, "f": 1]>',
        """agraph (float[2] x) => (float[2] y) { y = f.F (x) }
        <domain: "f", opset_import: ["": 13]> F (v) => (w) { w = Elu (v) }""",
    ),
    "defaults of attributes": (
        '<ir_version: 8, opset_import: ["": 18, "f": 1]>',
        """agraph (float[2] x) => (float[2] y) { y = f.F (x) }
        <domain: "f", opset_import: ["": 18]> F <a: float = 0.1> (v) => (w) { w = Elu <alpha: float = @a> (v) }""",
    ),
    "types": (
        '<ir_version: 8, opset_import: ["": 19]>',
        "agraph (float[2] x) => (float[2] y) { a = Cast <to = 17> (x) y = Cast <to = 1> (a) }",
    ),
    "types of tensors": (
        '<ir_version: 8, opset_import: ["": 21]>',
        """agraph (float[2] x) => (float[2] y) {
            c = Constant <value: tensor = int4[2] {3, 4}> () d = Cast <to = 1> (c) y = Add (x, d)
        }""",
    ),
}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize(("header", "text"), OLD_IR.values(), ids=list(OLD_IR))
def test_an_ir_version_below_what_the_model_uses(header: str, text: str, faithful: bool, tmp_path: Path) -> None:
    model = parsed(text, header)
    made = decompile(model, faithful=faithful)
    made.write(tmp_path / "module.py")
    again = make(tmp_path / "module.py")
    assert isinstance(again, ModelProto)
    assert again.ir_version == model.ir_version
    assert list(check_model(made, model)) == []


OLD_CONSTANTS = {
    "of a node": """agraph (float[3] x) => (float[2] y) {
        i = Constant <value: tensor = int64[2] {0, 2}> () y = Gather (x, i)
    }""",
    "an output": """agraph (float[3] x) => (float[3] y, int64[2] z) {
        y = Abs (x) z = Constant <value: tensor = int64[2] {0, 2}> ()
    }""",
    "of branches": """agraph (float[3] x) => (float[3] y, int64[2] z) {
        y = Abs (x)
        all = ReduceSum <keepdims = 0> (x)
        no = Constant <value: tensor = float {0}> ()
        c = Less (all, no)
        z = If (c) <then_branch: graph = t () => (int64[2] a) { a = Constant <value: tensor = int64[2] {0, 2}> () },
                    else_branch: graph = e () => (int64[2] b) { b = Constant <value: tensor = int64[2] {5, 6}> () }>
    }""",
    "of a branch in a loop": """agraph (float[3] x) => (float y, int64[3] z) {
        y0 = ReduceSum <keepdims = 0> (x)
        first = Cast <to = 7> (x)
        half = Constant <value: tensor = float {2}> ()
        most = Constant <value: tensor = float {20}> ()
        few = Constant <value: tensor = float {4}> ()
        more = Less (y0, most)
        y, z = Loop ("", more, y0, first) <body: graph = body (int64 i, bool c, float q, int64[3] s)
            => (bool c2, float q2, int64[3] out) {
            q2 = Mul (q, half)
            c2 = Less (q2, most)
            p = Less (few, q)
            add = If (p) <
                then_branch: graph = t () => (int64[3] a) { a = Constant <value: tensor = int64[3] {1, 2, 3}> () },
                else_branch: graph = e () => (int64[3] b) { b = Add (s, first) }>
            out = Add (s, add)
        }>
    }""",
    "of a loop without a condition": """agraph (float[3] x) => (float[3] y, int64 z) {
        trips = Constant <value: tensor = int64 {3}> ()
        y, z = Loop (trips, "", x, trips) <body: graph = body (int64 i, bool c, float[3] s, int64 n)
            => (bool c2, float[3] out, int64 m) {
            c2 = Identity (c) out = Add (s, s) m = Add (n, i)
        }>
    }""",
    "that ends a loop": """agraph (float[3] x) => (float[3] y) {
        all = ReduceSum <keepdims = 0> (x)
        no = Constant <value: tensor = float {0}> ()
        go = Less (no, all)
        y = Loop ("", go, x) <body: graph = body (int64 i, bool c, float[3] s) => (bool c2, float[3] out) {
            c2 = Constant <value: tensor = bool {0}> () out = Add (s, s)
        }>
    }""",
}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("ir_version", [3, 4])
@pytest.mark.parametrize("text", OLD_CONSTANTS.values(), ids=list(OLD_CONSTANTS))
def test_constants_that_the_opset_does_not_hold(text: str, ir_version: int, faithful: bool, tmp_path: Path) -> None:
    """They become initializers that are no inputs, as IR versions from 4 on have them."""
    model = parsed(text, f'<ir_version: {ir_version}, opset_import: ["": 8]>')
    made = decompile(model, faithful=faithful)
    assert list(check_model(made, model)) == []
    made.write(tmp_path / "module.py")
    again = make(tmp_path / "module.py")
    assert isinstance(again, ModelProto)
    assert again.ir_version == 4
    assert [value.name for value in again.graph.output] == [value.name for value in model.graph.output]
    onnx.checker.check_model(again, full_check=True)
    given = [np.array([1, 0.25, 0], np.float32)]
    for one, other in zip(run_ort(model, given), run_ort(again, given), strict=True):
        assert equal(one, other), (one, other)


def test_initializers_that_the_ir_version_does_not_know(tmp_path: Path) -> None:
    """Runtimes take them, and so the version stays."""
    text = "agraph (float[3] x) => (float[3] y) <int64[2] i = {0, 2}> { y = Abs (x) z = Gather (x, i) }"
    model = parsed(text, '<ir_version: 3, opset_import: ["": 8]>')
    made = decompile(model, faithful=True)
    assert list(check_model(made, model)) == []
    assert "    made.ir_version = 3\n" in made.text


def test_an_ir_version_below_what_the_opset_came_with(tmp_path: Path) -> None:
    back(
        parsed("agraph (float[N] x) => (float[N] y) { y = Abs (x) }", '<ir_version: 6, opset_import: ["": 18]>'),
        tmp_path,
    )


@pytest.mark.parametrize(
    "text",
    [
        "agraph (float[N] x) => (float[N] y, float[N] y) { y = Abs (x) }",
        "agraph (map(int64, tensor(float)) x) => (float[N] y) { y = Abs (z) }",
    ],
)
def test_what_a_script_cannot_say_is_refused(text: str) -> None:
    model = parsed(text) if "map" not in text else ModelProto()
    if "map" in text:
        model.graph.input.add(name="x").type.map_type.key_type = TensorProto.INT64
    with pytest.raises(DiagnosticError, match="OW590"):
        decompile(model)


def _on_devices(where: str) -> ModelProto:
    """A model whose configuration, or a node in that place, says on which devices it runs."""
    text = """agraph (float[N] x, bool c) => (float[N] y) { z = f.high (x) y = If (c) <
        then_branch: graph = yes () => (float[N] p) { p = Neg (z) },
        else_branch: graph = no () => (float[N] r) { r = Abs (z) }>}
        <domain: "f", opset_import: ["": 18]> high (v) => (w) { w = Neg (v) }"""
    model = parsed(text, '<ir_version: 11, opset_import: ["": 18, "f": 1]>')
    nodes = {
        "a node": model.graph.node[0],
        "a node with graphs": model.graph.node[1],
        "of a branch": model.graph.node[1].attribute[0].g.node[0],
        "of a function": model.functions[0].node[0],
    }
    if where == "a large node":
        nodes[where] = nodes["a node with graphs"]
        nodes[where].attribute[0].g.doc_string = "x" * 5000
    if where in nodes:
        nodes[where].device_configurations.add(configuration_id="two")
    else:
        model.configuration.add(name="two", num_devices=2)
    return model


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize(
    "where", ["the model", "a node", "a node with graphs", "a large node", "of a branch", "of a function"]
)
def test_a_model_for_several_devices_is_refused(where: str, faithful: bool) -> None:
    with pytest.raises(DiagnosticError, match="OW590: a model for several devices"):
        decompile(_on_devices(where), faithful=faithful)


def test_what_is_said_of_types_that_types_hold(tmp_path: Path) -> None:
    model = parsed(
        """agraph (seq(float[N, 2]) x, map(int64, float) z) => (seq(float[N, 2]) y, int64[1, 1] w) {
            y = Identity (x) w = ai.onnx.ml.CastMap <cast_to = "TO_INT64"> (z)
        }""",
        '<ir_version: 10, opset_import: ["": 25, "ai.onnx.ml": 3]>',
    )
    for value in (*model.graph.input[:1], *model.graph.output[:1]):
        value.type.denotation = "SEQUENCE"
        item = value.type.sequence_type.elem_type
        item.denotation = "IMAGE"
        item.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
        item.tensor_type.shape.dim[1].dim_value = -1
    model.graph.input[1].type.map_type.value_type.denotation = "WORD"
    _, again = back(model, tmp_path, full=False)
    assert [*again.graph.input, *again.graph.output] == [*model.graph.input, *model.graph.output]


def test_tensors_that_cannot_be_read() -> None:
    for tensor in (
        TensorProto(name="w", data_type=TensorProto.STRING, dims=[1], string_data=[b"\xff"]),
        TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3], raw_data=b"abcd"),
        TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3], data_location=TensorProto.EXTERNAL),
        TensorProto(name="w", data_type=99, dims=[3]),
    ):
        model = parsed("agraph (float[3] x) => (float[3] y) { y = Add (x, w) }")
        model.graph.initializer.append(tensor)
        with pytest.raises(DiagnosticError, match="OW590"):
            decompile(model)


def test_a_tensor_of_an_awkward_name(tmp_path: Path) -> None:
    model = parsed("agraph (float[40] x) => (float[40] y) { y = Add (x, file) }")
    model.graph.initializer.append(numpy_helper.from_array(np.arange(40, dtype=np.float32), "file"))
    back(model, tmp_path, np.ones(40, np.float32))


def test_long_chains_and_deep_nesting(tmp_path: Path) -> None:
    nodes = [helper.make_node("Neg", [f"v{index}"], [f"v{index + 1}"]) for index in range(20_000)]
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]) for name in ("v0", "v20000")]
    graph = helper.make_graph(nodes, "chain", value[:1], value[1:])
    made = decompile(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]))
    assert made.text.count("\n    v") == 20_000
    inner = helper.make_graph([helper.make_node("Neg", ["x"], ["y30"])], "g30", [], [value_like("y30")])
    for depth in range(29, -1, -1):
        other = helper.make_graph(
            [helper.make_node("Abs", ["x"], [f"y{depth}"])], "other", [], [value_like(f"y{depth}")]
        )
        node = helper.make_node("If", ["p"], [f"y{depth}"], then_branch=inner, else_branch=other)
        inner = helper.make_graph([node], f"g{depth}", [], [value_like(f"y{depth}")])
    inner.input.append(value_like("x"))
    inner.input.append(helper.make_tensor_value_info("p", TensorProto.BOOL, []))
    deep = decompile(helper.make_model(inner, opset_imports=[helper.make_opsetid("", 18)])).text
    compile(deep, "deep", "exec")


def value_like(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"])


@pytest.mark.parametrize("faithful", [False, True])
def test_functions_that_nothing_calls_stay(faithful: bool, tmp_path: Path) -> None:
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["": 18, "f": 1]> agraph (float[2] x) => (float[2] y) { y = f.used (x) }
        <domain: "f", opset_import: ["": 18]> used (x) => (y) { y = Relu (x) }
        <domain: "f", opset_import: ["": 18, "f": 1]> outer <alpha: float = 0.5> (x) => (y) {
            a = f.inner (x)
            y = LeakyRelu <alpha: float = @alpha> (a)
        }
        <domain: "f", opset_import: ["": 18]> inner (x) => (y) { y = Neg (x) }"""
    )
    _, again = back(model, tmp_path, np.array([1, -2], np.float32), faithful=faithful)
    made = {item.name: item for item in again.functions}
    assert made.keys() == {"used", "outer", "inner"}
    for item in model.functions:
        assert [node.op_type for node in made[item.name].node] == [node.op_type for node in item.node]
        assert made[item.name].attribute_proto == item.attribute_proto
        assert {one.domain: one.version for one in made[item.name].opset_import} == imports_of_function(item)


DEAD_CALLS = {
    "a node": "dead = f.low (x) y = Neg (x)",
    "of a function": "dead = f.high (x) y = Neg (x)",
    "a result of an If": """y, dead = If (c) <
        then_branch: graph = yes () => (float[2] p, float[2] q) { p = Neg (x) q = f.high (x) },
        else_branch: graph = no () => (float[2] r, float[2] s) { r = Abs (x) s = Neg (x) }>""",
    "a state of a Loop": """y, dead = Loop (n, "", x, x) <body: graph = step
        (int64 i, bool g, float[2] p, float[2] q) => (bool o, float[2] r, float[2] s) {
            o = Identity (g) r = Neg (p) s = f.high (q) }>""",
    "within one": """y = If (c) <
        then_branch: graph = yes () => (float[2] p) { p = Neg (x) dead = f.high (x) },
        else_branch: graph = no () => (float[2] r) { r = Abs (x) }>""",
    "beside another call": "dead = f.high (x) y = f.low (x)",
}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("nodes", DEAD_CALLS.values(), ids=list(DEAD_CALLS))
def test_functions_that_only_dead_nodes_call_stay(nodes: str, faithful: bool, tmp_path: Path) -> None:
    model = parsed(
        f"""agraph (float[2] x, bool c, int64 n) => (float[2] y) {{ {nodes} }}
        <domain: "f", opset_import: ["": 18]> low (v) => (w) {{ w = Exp (v) }}
        <domain: "f", opset_import: ["": 18, "f": 1]> high (v) => (w) {{ t = f.low (v) w = Neg (t) }}""",
        '<ir_version: 10, opset_import: ["": 18, "f": 1]>',
    )
    model.functions[0].metadata_props.add(key="author", value="ada")
    given = (np.array([1, -2], np.float32), np.array(True), np.array(2))
    text, again = back(model, tmp_path, *given, faithful=faithful)
    assert {item.name: [*item.metadata_props] for item in again.functions} == {
        item.name: [*item.metadata_props] for item in model.functions
    }
    assert "kept_functions=[" in text
    assert list(check_model(decompile(model, faithful=faithful), model)) == []


NEVER_ENDING = {
    "a node": "d = Not (c) so = Where (d, x, s)",
    "a branch": """so = If (c) <then_branch: graph = yes () => (float[2] p) { p = Neg (s) },
        else_branch: graph = no () => (float[2] r) { r = Exp (s) }>""",
    "a loop": """so = Loop (n, c, s) <body: graph = inner (int64 j, bool e, float[2] p) => (bool eo, float[2] po) {
        eo = Identity (e) po = Neg (p) }>""",
    "what it gives back": "d = And (c, co) so = Where (d, x, s)",
}


@pytest.mark.parametrize("going_on", ["bool {1}", "bool[1] {1}"])
@pytest.mark.parametrize("condition", ['""', "t"])
@pytest.mark.parametrize("nodes", NEVER_ENDING.values(), ids=list(NEVER_ENDING))
def test_a_loop_that_never_ends_and_reads_its_condition(
    nodes: str, condition: str, going_on: str, tmp_path: Path
) -> None:
    model = parsed(
        f"""agraph (float[2] x, int64 n, bool t) => (float[2] y) {{
            y = Loop (n, {condition}, x) <body: graph = b (int64 i, bool c, float[2] s) => (bool co, float[2] so) {{
                co = Constant <value: tensor = {going_on}> () {nodes}
            }}>
        }}"""
    )
    for go in (True, False):
        back(model, tmp_path, np.array([1, -2], np.float32), np.array(2), np.array(go))


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize(
    ("sizes", "node"),
    [
        (
            "2",
            """y, "" = If (c) <
            then_branch: graph = yes () => (float[2] p, float[2] q) { p = Neg (x) q = Exp (x) },
            else_branch: graph = no () => (float[2] r, float[2] s) { r = Abs (x) s = Neg (x) }>""",
        ),
        (
            "K, 2",
            """"", y, "" = Loop (n, c, x) <body: graph = step (int64 i, bool g, float[2] p) =>
            (bool o, float[2] q, float[2] r, float[2] s) { o = Identity (g) q = Neg (p) r = Exp (x) s = Abs (p) }>""",
        ),
        ("1", 'y, "" = Split <num_outputs = 2, axis = 0> (x)'),
    ],
)
def test_absent_results_of_nodes_that_give_any_number(sizes: str, node: str, faithful: bool, tmp_path: Path) -> None:
    model = parsed(f"agraph (float[2] x, bool c, int64 n) => (float[{sizes}] y) {{ {node} }}")
    _, again = back(model, tmp_path, faithful=faithful)
    given = (np.array([1, -2], np.float32), np.array(True), np.array(2))
    assert all(map(equal, run_reference(again, given), run_reference(model, given)))


@pytest.mark.parametrize(
    ("model_opset", "opset", "node", "is_same"),
    [
        (20, 12, "Softmax (v)", False),
        (12, 20, "Softmax (v)", False),
        (20, 12, "Neg (v)", True),
        (20, 18, "Softmax (v)", True),
        (20, 12, "f.low (v)", True),
        (18, 20, "Gelu (v)", False),
        (13, 12, "ReduceSum <axes = [0]> (v)", False),
        (20, 7, "my.Op (v)", True),
    ],
)
def test_a_function_that_imports_another_opset(
    model_opset: int, opset: int, node: str, is_same: bool, tmp_path: Path
) -> None:
    model = parsed(
        f"""agraph (float[2, 3, 4] x) => (float[2, 3, 4] y) {{ y = f.high (x) }}
        <domain: "f", opset_import: ["": {opset}, "f": 1, "my": 1]> high (v) => (w) {{ w = {node} }}
        <domain: "f", opset_import: ["": {model_opset}]> low (v) => (w) {{ w = Neg (v) }}""",
        f'<ir_version: 8, opset_import: ["": {model_opset}, "f": 1, "my": 1]>',
    )
    if is_same:
        decompile(model).write(tmp_path / "module.py")
        make(tmp_path / "module.py")
    else:
        with pytest.raises(DiagnosticError, match=f"OW590: the function high imports opset {opset} of ai.onnx"):
            decompile(model)


def imports_of_function(function: onnx.FunctionProto) -> dict[str, int]:
    return {item.domain: item.version for item in function.opset_import}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "agraph (float[batch, seq] x) => (float[batch, seq] y) { y = Relu (x) }",
        "agraph (float[batch, seq] x) => (float[rows, columns] y) { y = Relu (x) }",
        "agraph (float[2, 3] x) => (float[batch, seq] y) { y = Relu (x) }",
        "agraph (float[batch, seq] x) => (float[2, 3] y) { y = Relu (x) }",
        "agraph (float[batch, 3] x) => (float[?, seq] y, float w) { y = Relu (x) w = ReduceSum<keepdims = 0>(x) }",
        'agraph (float["a b", "2*x + 1"] x) => (float["None", "a -> b"] y) { y = Transpose (x) }',
        "agraph (float[N] x) => (float[N] y) { two = Constant <value_floats = [1.0, 2.0]> () y = Mul (x, two) }",
    ],
)
def test_sizes_keep_their_names(text: str, faithful: bool, tmp_path: Path) -> None:
    back(parsed(text), tmp_path, faithful=faithful)


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("size", [0, 3, 40])
@pytest.mark.parametrize("is_input", [False, True])
def test_initializers_of_an_old_model(is_input: bool, size: int, faithful: bool, tmp_path: Path) -> None:
    """Before IR 4 each was the default of an input; runtimes take those that are none, too."""
    model = parsed(
        "agraph (float[N, S] x) => (float[N, S] y) { y = Add (x, w) }", '<ir_version: 3, opset_import: ["": 7]>'
    )
    array = np.arange(size, dtype=np.float32) if size else np.array(2, np.float32)
    model.graph.initializer.append(numpy_helper.from_array(array, "w"))
    if is_input:
        model.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, array.shape))
    made = decompile(model, faithful=faithful)
    made.write(tmp_path / "old.py")
    again = make(tmp_path / "old.py")
    assert isinstance(again, ModelProto)
    assert (interface_of(again), imports_of(again)) == (interface_of(model), imports_of(model))
    assert not faithful or compare(model, again)
    given = (np.ones((2, max(size, 1)), np.float32),)
    assert equal(run_ort(again, given)[0], run_ort(model, given)[0])


@pytest.mark.parametrize("faithful", [False, True])
def test_domains_that_are_imported_at_0(faithful: bool, tmp_path: Path) -> None:
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["": 18, "f": 0, "odd": 0]>
        agraph (float[2] x) => (float[2] y, float[N] z) { y = f.outer (x) z = odd.Odd (y) }
        <domain: "f", opset_import: ["": 18, "f": 0]> outer (x) => (y) { y = f.inner (x) }
        <domain: "f", opset_import: ["": 18]> inner (x) => (y) { y = Neg (x) }
        <domain: "f", opset_import: ["": 18, "f": 0]> unused (x) => (y) { y = f.inner (x) }"""
    )
    text, again = back(model, tmp_path, faithful=faithful, full=False)
    assert '"f": 0' in text
    assert compare(model, again)


@pytest.mark.parametrize("faithful", [False, True])
def test_a_domain_that_begins_as_those_of_the_standard(faithful: bool, tmp_path: Path) -> None:
    model = parsed(
        'agraph (float[N] x) => (float[N] y) { a = ai.onnx.contrib.Odd <mode = "text"> (x) y = Neg (a) }',
        '<ir_version: 8, opset_import: ["": 18, "ai.onnx.contrib": 1]>',
    )
    text, again = back(model, tmp_path, faithful=faithful, full=False)
    assert 'Opset("ai.onnx.contrib", 1, open=True)' in text
    assert compare(model, again)
    other = ModelProto.FromString(again.SerializeToString().replace(b"text", b"word"))
    assert not compare(model, other)


def test_what_is_said_of_inputs_and_outputs(tmp_path: Path) -> None:
    model = parsed("agraph (float[N] x) => (float[N] y) { y = Neg (x) }")
    model.graph.input[0].doc_string = "what\ngoes in"
    model.graph.output[0].type.denotation = "IMAGE"
    model.graph.output[0].type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    _, again = back(model, tmp_path)
    assert [*again.graph.input] == [*model.graph.input]
    assert [*again.graph.output] == [*model.graph.output]


@pytest.mark.parametrize("faithful", [False, True])
def test_metadata_of_values_initializers_and_functions(faithful: bool, tmp_path: Path) -> None:
    model = parsed(
        f"""agraph (float[40] x, float[40] given) => (float[40] y) {{ a = my.F (x) b = Add (a, w) y = Mul (b, given) }}
        {MY_IMPORTS} F (a) => (b) {{ b = Neg (a) }} {MY_IMPORTS} unused (a) => (b) {{ b = Abs (a) }}""",
        MY_HEADER,
    )
    model.graph.initializer.extend(
        numpy_helper.from_array(np.arange(40, dtype=np.float32), name) for name in ("w", "given")
    )
    said = [*model.graph.input, *model.graph.output, *model.graph.initializer, *model.functions]
    for number, item in enumerate(said):
        item.doc_string = f"about {number}"
        item.metadata_props.add(key="first", value=str(number))
        item.metadata_props.add(key='an "odd" key', value="two\nlines")
    _, again = back(model, tmp_path, faithful=faithful)
    assert [*again.graph.input] == [*model.graph.input]
    assert [*again.graph.output] == [*model.graph.output]
    for ours, theirs in ((again.graph.initializer, model.graph.initializer), (again.functions, model.functions)):
        found, wanted = ({item.name: (item.doc_string, [*item.metadata_props]) for item in it} for it in (ours, theirs))
        assert found == wanted


def test_values_called_like_what_names_initializers_and_functions(tmp_path: Path) -> None:
    model = parsed(
        f"""functions (float[40] initializers) => (float[40] made) {{ made = my.functions (initializers) }}
        {MY_IMPORTS} functions (a) => (b) {{ b = Neg (a) }}""",
        MY_HEADER,
    )
    model.functions[0].metadata_props.add(key="about", value="it")
    _, again = back(model, tmp_path)
    assert [*again.functions[0].metadata_props] == [*model.functions[0].metadata_props]


def test_metadata_of_a_function(tmp_path: Path) -> None:
    function = parsed(
        f"g () => (float y) {{ y = my.F () }} {MY_IMPORTS} F (x) => (y) {{ y = Neg (x) }}", MY_HEADER
    ).functions[0]
    function.metadata_props.add(key="about", value="it")
    function.metadata_props.add(key=IDENTITY, value="my::F@1")  # a record of `attach`
    decompile(function).write(tmp_path / "function.py")
    assert [*make(tmp_path / "function.py").metadata_props] == [function.metadata_props[0]]


def test_a_size_of_minus_one_is_unknown_and_comes_back(tmp_path: Path) -> None:
    """As older exporters wrote sizes that they did not know."""
    model = parsed("agraph (float[N, 2] x) => (float[N, 2] y) { y = Neg (x) }")
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_value = -1
    text, again = back(model, tmp_path)
    assert "x: FLOAT[None, 2]" in text
    assert [*again.graph.input] == [*model.graph.input]
    assert [*again.graph.output] == [*model.graph.output]


@pytest.mark.parametrize("step", [-(1 << 32), -(1 << 63), 1 - (1 << 32)])
def test_a_step_that_32_bits_do_not_hold_ends(step: int, tmp_path: Path) -> None:
    """ONNX's inference through the elements of shapes never ends there, or reads beyond them."""
    model = parsed("agraph (float[2, 3] x) => (int64[k] y) { s = Shape (x) y = Slice (s, a, b, c, d) }")
    for name, value in (("a", -1), ("b", -9), ("c", 0), ("d", step)):
        model.graph.initializer.append(numpy_helper.from_array(np.array([value]), name))
    back(model, tmp_path)


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("node", ["Split <num_outputs = 1> (x)", "Split (x, all)"])
def test_a_split_into_one_part(node: str, faithful: bool, tmp_path: Path) -> None:
    model = parsed(f"agraph (float[2] x) => (float[2] z) <int64[1] all = {{2}}> {{ y = {node} z = Neg (y) }}")
    text, again = back(model, tmp_path, faithful=faithful)
    assert "(y,) = op.Split(" in text
    given = (np.array([1, -2], np.float32),)
    assert all(map(equal, run_reference(again, given), run_reference(model, given)))


def test_what_a_faithful_text_leaves_out_though_it_is_not_taken_for_pure(tmp_path: Path) -> None:
    """As docs/decompile.md lists it: calls and `SequenceMap` that nothing reads, with the loop that holds them."""
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["": 18, "f": 1]>
        agraph (float[2] x, int64 n, bool c) => (float[2] y) {
            y = Neg (x)
            unread = f.twice (x)
            s = SequenceConstruct (x, y)
            mapped = SequenceMap (s) <body: graph = each (float[2] a) => (float[2] b) { b = Abs (a) }>
            state = Loop (n, c, x) <body: graph = step (int64 i, bool go, float[2] v) => (bool on, float[2] w) {
                on = Identity (go)
                w = Exp (v)
                inside = f.twice (v)
            }>
        }
        <domain: "f", opset_import: ["": 18]> twice (x) => (y) { y = Add (x, x) }"""
    )
    _, again = back(model, tmp_path, np.ones(2, np.float32), np.array(2), np.array(True), faithful=True)
    assert [node.op_type for node in again.graph.node] == ["Neg"]
    assert not compare(model, again)
