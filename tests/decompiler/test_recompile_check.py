"""`opwright decompile --check` compiles the text, and compares what it makes with the model."""

from __future__ import annotations

import linecache
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, parser
from opwright import DiagnosticError, decompile
from opwright.commands import main
from opwright.decompiler.recompile_check import check_functions, check_model
from opwright.graphs.drawn_runs import run_limited
from opwright.live import function_source

from tests.diagnostics.examples.link import LIBRARY
from tests.shares import one_in

HEADER = '<ir_version: 8, opset_import: ["": 18]>'
TEXT = """agraph (float[N, 3] x, bool c) => (float[N, 3] y) <float[2] w = {0.5, 2}>
{
    a = Mul (x, x)
    k = Gather <axis = 0> (w, z)
    b = Add (a, k)
    z = Constant <value_int = 0> ()
    y = If (c) <
        then_branch: graph = yes () => (float[N, 3] p) { p = Sub (b, x) },
        else_branch: graph = no () => (float[N, 3] p) { p = Identity (b) }
    >
}"""


def model(text: str = TEXT) -> ModelProto:
    made = parser.parse_model(f"{HEADER} {text}")
    nodes = sorted(made.graph.node, key=lambda node: node.op_type != "Constant")
    del made.graph.node[:]
    made.graph.node.extend(nodes)
    return made


def reason_of(text: str, original: ModelProto) -> str:
    with pytest.raises(DiagnosticError) as error:
        list(check_model(replace(decompile(original), text=text), original))
    assert error.value.diagnostics[0].code == "OW593"
    return error.value.diagnostics[0].reason


WITHOUT_CONDITION = """agraph (float[3] x, int64 n) => (float[3] y, float[M, 3] all)
{{
    y, all = Loop <body: graph = step (int64 i, bool go, float[3] a) => (bool on, float[3] b, float[3] c) {{
        on = Identity (go)
        b = {node}
        c = Neg (b)
    }}> (n, , x)
}}"""
INNER_LOOP = """Loop <body: graph = inner (int64 j, bool more, float[3] d) => (bool again, float[3] e) {
    again = Identity (more) e = Add (d, x) }> (n, , a)"""
CALLED = """agraph (float[3] x, int64 n) => (float[3] y) {{ y = my.F (x, n) }}
<domain: "my", opset_import: ["": 18]> F (x, n) => (y) {{ y = {} }}""".format(INNER_LOOP.replace(", a)", ", x)"))


def test_nothing_is_kept_of_a_text_that_has_been_checked() -> None:
    original = model()
    before = {*linecache.cache, *function_source._PARSED}
    assert list(check_model(decompile(original), original)) == []
    assert {*linecache.cache, *function_source._PARSED} <= before


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize(
    "text", [WITHOUT_CONDITION.format(node="Add (a, x)"), WITHOUT_CONDITION.format(node=INNER_LOOP), CALLED]
)
def test_a_loop_without_a_condition_is_not_accused(text: str, faithful: bool) -> None:
    """onnx's reference evaluator makes no trip of it."""
    original = parser.parse_model(f'<ir_version: 8, opset_import: ["": 18, "my": 1]> {text}')
    made = decompile(original, faithful=faithful)
    assert list(check_model(made, original)) == []
    given = original.SerializeToString()
    found, *_ = run_limited(original, {"x": np.ones(3, np.float32), "n": np.array(2)})
    assert found[0] > 2
    assert original.SerializeToString() == given
    with pytest.raises(DiagnosticError, match="results differ"):
        list(check_model(replace(made, text=made.text.replace(" + ", " * ")), original))


@pytest.mark.parametrize("faithful", [False, True])
def test_a_model_that_comes_back(faithful: bool) -> None:
    assert list(check_model(decompile(model(), faithful=faithful), model())) == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("b - x", "x - b", "results differ"),
        ("x * x", "x + x", "results differ"),
        ("0.5", "0.25", "results differ"),
        ('x: FLOAT["N", 3]', 'x: FLOAT["M", 3]', "the inputs"),
        ('-> FLOAT["N", 3]', "-> FLOAT[None, 3]", "the outputs"),
        ('{"": 18}', '{"": 17}', "the opsets"),
        ("ir_version=8", "ir_version=9", "the IR version"),
        ('producer_name=""', 'producer_name="x"', "the names and texts"),
        ("def model()", "def other()", "AttributeError"),
        ("x * x", "x *", "SyntaxError"),
        ("x * x", "x * nothing", "OW302"),
        ("op.", "other.", "text"),
    ],
)
def test_a_text_that_says_something_else(old: str, new: str, reason: str) -> None:
    text = decompile(model()).text
    assert old in text or old == "op."
    changed = text.replace(old, new) if old != "op." else text.replace("x * x", "other.Mul(x, x)")
    assert reason in reason_of(changed, model())


def test_metadata_is_compared() -> None:
    original = model()
    text = decompile(original).text
    original.metadata_props.add(key="a", value="b")
    assert "the metadata" in reason_of(text, original)


def test_metadata_of_outputs_and_functions_is_compared() -> None:
    original = parser.parse_model(f'<ir_version: 10, opset_import: ["": 18, "my": 1]> {CALLED}')
    text = decompile(original).text
    original.graph.output[0].metadata_props.add(key="a", value="b")
    assert "the outputs" in reason_of(text, original)
    original.graph.output[0].ClearField("metadata_props")
    original.functions[0].metadata_props.add(key="a", value="b")
    assert "the metadata of functions" in reason_of(text, original)


def test_another_structure_with_the_same_results_is_fine() -> None:
    original = model("agraph (float[N] x) => (float[N] y) { a = Add (x, x) y = Neg (a) }")
    made = decompile(original)
    assert "-a" in made.text
    assert list(check_model(replace(made, text=made.text.replace("-a", "-(-(-a))")), original)) == []


def test_results_that_cannot_be_compared_are_a_warning() -> None:
    original = parser.parse_model(
        '<ir_version: 8, opset_import: ["": 18, "d": 1]> '
        "agraph (float[N] x) => (float[N] y) { a = d.Odd (x) y = Neg (a) }"
    )
    made = decompile(original)
    found = list(check_model(replace(made, text=made.text.replace("op.Neg(a)", "op.Neg(op.Abs(a))")), original))
    assert [item.code for item in found] == ["OW594"]


def test_functions_of_a_library_are_compared() -> None:
    function = parser.parse_function(
        '<domain: "d", opset_import: ["": 18]> f (x) => (y) { a = Identity (x) y = Neg (a) }'
    )
    other = parser.parse_function('<domain: "d", opset_import: ["": 18]> f (x) => (y) { y = Abs (x) }')
    text = decompile(function).text.replace("def function", "def one") + "\n\ndef functions():\n    return [one()]\n"
    made = replace(decompile(function), text=text)
    check_functions(made, [function])
    for wanted in ([other], [], [function, other]):
        with pytest.raises(DiagnosticError, match="OW593"):
            check_functions(made, wanted)


@pytest.mark.parametrize("options", [[], ["--faithful"]])
def test_the_command(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    onnx.save(model(), "m.onnx")
    assert main(["decompile", "m.onnx", "--check", *options, "-o", "m.py"]) == 0
    assert capsys.readouterr() == ("wrote m.py\n", "")
    Path("a.onnxlib").write_bytes(bytes.fromhex(LIBRARY))
    assert main(["decompile", "a.onnxlib", "--check", *options]) == 0
    onnx.save(model("agraph (float[N] x) => (float[N] y) { y = Neg (x, x) }"), "wrong.onnx")
    assert main(["decompile", "wrong.onnx", "--check", *options, "-o", "wrong.py"]) == 1
    assert "OW593" in capsys.readouterr().err
    assert not Path("wrong.py").exists()


def test_weights_in_other_files(tmp_path: Path) -> None:
    original = model()
    onnx.save(original, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    assert main(["decompile", str(tmp_path / "m.onnx"), "--check", "-o", str(tmp_path / "m.py")]) == 0


LOOP = """agraph (float[N] x, int64 n) => (float[N] y)
{
    t = Constant <value_int = 1099511627776> ()
    c = Constant <value = bool {1}> ()
    y = Loop (t, c, x) <body: graph = step (int64 i, bool k, float[N] v) => (bool o, float[N] w)
        { o = Identity (k) a = Mul (v, v) w = Add (a, x) }>
}"""
GROWING = LOOP.replace("w = Add (a, x)", "w = Concat <axis = 0> (a, a)").replace("1099511627776", "64")


@pytest.mark.parametrize(
    ("text", "old", "new"), one_in(2, [(GROWING, "a, a", "a, a * 1.0"), (LOOP, "+ x", "+ x * 1.0")])
)
def test_a_run_has_an_end(text: str, old: str, new: str) -> None:
    original = model(text)
    made = decompile(original)
    assert old in made.text
    (warning,) = check_model(replace(made, text=made.text.replace(old, new)), original)
    assert warning.code == "OW594"
