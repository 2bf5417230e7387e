"""`opwright new function` with `--from` and `--from-onnxscript`: parts of models and sources of onnxscript as specs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import helper, parser

from tests.cli.conftest import Ran, run_command

MODEL = """
<ir_version: 10, opset_import: ["": 18, "local": 1]>
g (float[N, 4] x, bool[1] flag) => (float[N, 4] y, float[N, 4] r)
<float[4] scale = {1.0, 2.0, 3.0, 4.0}, float[20] far = {
1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0}> {
  [mean] m = ReduceMean<keepdims: int = 1>(x)
  h = local.Half<k = 2.0>(x)
  [sub] d = Sub(h, m)
  [mul] s = Mul(d, scale)
  [choose] y = If(flag) <
    then_branch = t () => (a) { a = Add(s, m) },
    else_branch = e () => (b) { b = Identity(s) }>
  [late] r = Relu(y)
  q = Abs(far)
  [two] w = Constant<value_floats: floats = [1.0, 2.0]>()
  [neg] v = Neg(w)
}
<domain: "local", opset_import: ["": 18]> Nothing (a) => () { c = Abs(a) }
<domain: "local", opset_import: ["": 18]> Half <k: float = 0.5>(a) => (b) {
  c = Constant<value_float: float = @k>()
  b = local.Times(a, c)
}
<domain: "local", opset_import: ["": 18]> Times (a, b) => (c) { c = Mul(a, b) }
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library without functions, in which the commands stand, and the model beside it."""
    monkeypatch.chdir(tmp_path)
    assert run_command("new", "library", "acme-ops").status == 0
    model = parser.parse_model(MODEL)
    for node in model.graph.node:  # a name that Python would not take
        node.input[:] = ["d.1" if name == "d" else name for name in node.input]
        node.output[:] = ["d.1" if name == "d" else name for name in node.output]
    onnx.save(model, "model.onnx")
    monkeypatch.chdir(tmp_path / "acme-ops")
    library_file = Path("specs/library.yaml")
    library_file.write_text(library_file.read_text().replace('">=13,<=28"', '">=17,<=19"'))
    return tmp_path / "acme-ops"


def begin(name: str, what: str) -> Ran:
    return run_command("new", "function", f"com.acme/{name}", "--from", f"../model.onnx:{what}")


def text(name: str, file: str) -> str:
    return Path(f"specs/com.acme/{name}/{file}").read_text()


def test_nodes_and_functions_of_a_model_become_specs_that_pass(library: Path) -> None:
    for name, what in (
        ("Chosen", "d.1..choose"),
        ("Half", "local::Half"),
        ("Late", "late"),
        ("Tail", "mul,late,choose"),
    ):
        ran = begin(name, what)
        assert (ran.status, "OW655" in ran.out) == (0, False), ran.out
    assert text("Half", "function.py") == (
        "from opwright import opset18 as op\n\n\n"
        "def Half(a, k: float = 0.5):\n    c = op.Constant(value_float=k)\n    b = a * c\n    return b\n"
    )
    assert "attributes: {k: 2.0}" in text("Half", "vectors.yaml")
    chosen = text("Chosen", "spec.yaml")
    assert "inputs:\n  h: float\n  m: float\n  flag: bool\noutputs:\n  y: float\n" in chosen
    assert "inputs:\n  d_1: float\n" in text("Tail", "spec.yaml"), "a value has one name in Python and in YAML"
    assert 'opset: ">=17,<=19"' in text("Half", "spec.yaml")
    tested = run_command("test")
    assert tested.status == 0, tested.out + tested.err
    assert "4 versions" in tested.out


def test_large_constants_become_parameters(library: Path) -> None:
    assert begin("Far", "q").status == 0
    assert "inputs:\n  far: float\n" in text("Far", "spec.yaml")


def test_a_part_that_reads_nothing_is_a_function_without_inputs(library: Path) -> None:
    assert begin("Known", "two..neg").status == 0
    assert "inputs: {}\n" in text("Known", "spec.yaml")
    built = run_command("build")
    assert built.status == 0, built.out + built.err


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("mean,choose", "lies between the nodes that are taken"),
        ("subb", "did you mean sub?"),
        ("late..mean", "no node lies in `late..mean`"),
        ("Halb", "the model has no function and no node Halb"),
        ("Nothing", "`Nothing` gives no output"),
    ],
)
def test_what_is_no_part_of_a_model_is_refused(library: Path, what: str, said: str) -> None:
    ran = begin("Part", what)
    assert ran.status == 1
    assert "OW653" in ran.out
    assert said in ran.out
    assert not Path("specs/com.acme/Part").exists()


def test_a_model_of_another_opset_is_refused(library: Path) -> None:
    graph = onnx.load("../model.onnx").graph
    del graph.node[1:], graph.output[:], graph.initializer[:]
    graph.output.append(helper.make_tensor_value_info("m", onnx.TensorProto.FLOAT, None))
    imports = [helper.make_opsetid("", 21)]
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=10), "../model.onnx")
    ran = begin("Mean", "mean")
    assert (ran.status, "the model is of opset 21, which is none of 17 to 19" in ran.out) == (1, True)


def test_a_function_that_no_runtime_runs_has_no_row(library: Path) -> None:
    model = onnx.load("../model.onnx")
    model.graph.node[0].op_type = "NoSuch"
    model.graph.node[0].domain = "far"
    model.opset_import.append(helper.make_opsetid("far", 1))
    onnx.save(model, "../model.onnx")
    ran = begin("Unknown", "mean")
    assert (ran.status, "OW655" in ran.out) == (0, True)
    assert text("Unknown", "vectors.yaml") == "schema: 1\nrows: []\n"


THEIRS = """\
# Copyright, somebody
import math
import onnxscript
from onnxscript import FLOAT, script
from onnxscript.onnx_opset import opset18 as op

COEF = math.sqrt(2.0 / math.pi)


@script(default_opset=op)
def _inner(x):
    return x + COEF * 0.044715  # kept as it is


@onnxscript.script()
def Fast(x: FLOAT["N"], bias: onnxscript.FLOAT[...], alpha: float = 0.5):
    \"\"\"The "fast" one.\"\"\"
    y = _inner(x) * alpha
    return onnxscript.opset18.Tanh(y) + bias
"""


def test_a_source_for_onnxscript_keeps_its_text(library: Path) -> None:
    Path("theirs.py").write_text(THEIRS)
    ran = run_command("new", "function", "com.acme/Fast", "--from-onnxscript", "theirs.py")
    assert ran.status == 0, ran.out
    expected = THEIRS.replace("from onnxscript.onnx_opset", "from opwright").replace("onnxscript", "opwright")
    expected = expected.replace("@opwright.script()\n", "").replace("@script(default_opset=op)", "@script()")
    assert text("Fast", "function.py") == expected
    spec = text("Fast", "spec.yaml")
    assert "inputs: {x: float, bias: float}\noutputs: {result: float}\n" in spec
    assert 'summary: "The \\"fast\\" one."' in spec
    rows = (
        "schema: 1\nrows:\n  - name: zero\n    inputs: {x: [0.0], bias: [2.0]}\n    outputs: {result: [2.0178368123]}\n"
    )
    Path("specs/com.acme/Fast/vectors.yaml").write_text(rows)
    tested = run_command("test")
    assert tested.status == 0, tested.out + tested.err


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("from onnxscript import evaluator, script\n", "1:1: error OW654: opwright has nothing for `evaluator`"),
        ("import onnxscript.testing\n", "1:1: error OW654: opwright has nothing for the module onnxscript.testing"),
        ("import onnxscript as o\n\nx = o.proto_str\n", "3:5: error OW654: opwright has nothing for `proto_str`"),
        ("from onnxscript.function_libs.torch_lib import ops\n", "nothing for `ops` of onnxscript.function_libs"),
        ("def Fas(x):\n    return x\n", "its functions are: Fas"),
        ("def Fast(:\n", "OW301"),
    ],
)
def test_what_cannot_be_taken_is_told_at_its_place(library: Path, source: str, said: str) -> None:
    Path("theirs.py").write_text(source)
    ran = run_command("new", "function", "com.acme/Fast", "--from-onnxscript", "theirs.py")
    assert ran.status == 1
    assert said in ran.out
    assert not Path("specs/com.acme/Fast").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["function", "com.acme/X", "--like", "Y", "--from", "m.onnx:a"],
        ["library", "x-ops", "--from", "m.onnx:a"],
        ["version", "com.acme/X", "--from-onnxscript", "f.py"],
    ],
)
def test_options_that_make_no_sense_together(library: Path, words: list[Any]) -> None:
    assert run_command("new", *words).status == 2
