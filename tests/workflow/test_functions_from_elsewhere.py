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


EMPTY = """
<ir_version: 8, opset_import: ["": 18]>
g (float[2, 3] x, int64[0, 2] none) => (float[K, 3] y, int64[0, 2] z) <bool[2] mask = {0, 0}> {
  [take] y = Compress<axis = 0>(x, mask)
  [kept] z = Neg(none)
}
"""

SCANNED = """
<ir_version: 8, opset_import: ["": 18]>
g (float[M] s, float[N, M] x, float[M] k, float[M] o) => (float[M] f, float[N, M] ys, float[M] p) {
  [scan] f, ys = Scan<num_scan_inputs = 1, body = b (float[M] before, float[M] row) => (float[M] after, float[M] y) {
    t = Mul(row, k)
    after = Add(before, t)
    y = Neg(after)
  }>(s, x)
  [other] p = Neg(o)
}
"""

NAMED = """
<ir_version: 8, opset_import: ["": 18]>
g (float[2] null, float[2] true, int64[2] n) => (float[2] false, string[2] s) {
  [add] false = Add(null, true)
  [text] s = Cast<to = 8>(n)
}
"""

LOOPED = """
<ir_version: 8, opset_import: ["": 18]>
g (int64 n, float[2] x) => (float[2] f, float[K, 2] ys) {
  [loop] f, ys = Loop<body = b (int64 i, bool c, float[2] a) => (bool d, float[2] e, float[2] y) {
    d = Identity(c)
    e = Add(a, x)
    y = Neg(a)
  }>(n, "", x)
}
"""


@pytest.mark.parametrize(
    ("model", "what", "spec", "row"),
    [
        (EMPTY, "take", "x: float", "outputs: {y: {shape: [0, 3]}}"),
        (EMPTY, "kept", "none: int64", "inputs: {none: {shape: [0, 2]}}"),
        (SCANNED, "scan", "s: {type: float, rank: 1}\n  x: {type: float, rank: 2}\n  k: {type: float, rank: 1}\n", ""),
        (SCANNED, "other", "o: float\n", ""),
        (NAMED, "add", '"null": float\n  "true": float\noutputs:\n  "false": float\n', 'outputs: {"false": ['),
        (NAMED, "text", "s: string\n", 'outputs: {s: ["'),
        (LOOPED, "loop", "n: int64\n", "inputs: {n: 2, x:"),
    ],
    ids=["empty_output", "empty_input", "scan", "no_scan", "null", "texts", "trips"],
)
def test_a_row_says_what_was_computed(library: Path, model: str, what: str, spec: str, row: str) -> None:
    onnx.save(parser.parse_model(model), "../model.onnx")
    ran = begin("Part", what)
    assert (ran.status, "OW655" in ran.out) == (0, False), ran.out
    assert spec in text("Part", "spec.yaml")
    assert row in text("Part", "vectors.yaml")
    tested = run_command("test")
    assert tested.status == 0, tested.out + tested.err


SPLIT = """
<ir_version: 8, opset_import: ["": 18]>
g (float[6] x) => (float[2] y) {
  [split] p, none, q = Split<axis = 0, num_outputs = 3>(x)
  [add] y = Add(p, q)
}
"""


def test_a_runtime_that_crashes_costs_the_row_alone(library: Path) -> None:
    """onnxruntime does over a Split whose output in the middle is left out."""
    model = parser.parse_model(SPLIT)
    model.graph.node[0].output[1] = ""
    onnx.save(model, "../model.onnx")
    ran = begin("Parts", "split..add")
    assert ran.status == 0
    assert "onnxruntime/off crashed (signal 11)" in ran.out
    assert text("Parts", "vectors.yaml") == "schema: 1\nrows: []\n"


DRAWN = """
<ir_version: 8, opset_import: ["": 18]>
g (float[3] x) => (float[3] y) {
  [draw] r = RandomUniformLike(x)
  [add] y = Add(x, r)
}
"""


def test_what_draws_random_numbers_gets_no_row(library: Path) -> None:
    onnx.save(parser.parse_model(DRAWN), "../model.onnx")
    ran = begin("Noisy", "draw..add")
    assert ran.status == 0
    assert "it draws random numbers" in ran.out
    assert text("Noisy", "vectors.yaml") == "schema: 1\nrows: []\n"


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


def taken(source: str, name: str = "Fast", encoding: str = "utf-8") -> str:
    """The spec of a function of a source, which builds."""
    Path("theirs.py").write_text(source, encoding=encoding)
    ran = run_command("new", "function", f"com.acme/{name}", "--from-onnxscript", "theirs.py")
    assert ran.status == 0, ran.out
    built = run_command("build")
    assert built.status == 0, built.out + built.err
    return text(name, "spec.yaml")


HEAD = "from onnxscript import BOOL, DOUBLE, FLOAT, INT64, graph, script\nfrom onnxscript import opset17 as op\n\n\n"

SCAN = """\
@script()
def Fast(x: FLOAT["N"]):
    @graph()
    def total(before, item):
        after = before + item
        return after, op.Identity(after)

    last, sums = op.Scan(op.Constant(value_floats=[0.0]), x, body=total, num_scan_inputs=1)
    return sums
"""


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (SCAN, "inputs: {x: float}\noutputs: {sums: float}\n"),
        (
            "from typing import Sequence\n\n\n@script()\n"
            'def Fast(xs: Sequence[FLOAT["N"]], k: INT64) -> FLOAT["N"]:\n    return op.SequenceAt(xs, k)\n',
            "inputs: {xs: seq(float), k: int64}\noutputs: {result: float}\n",
        ),
        (
            "from typing import Sequence\n\n\n@script()\n"
            'def Fast(x: FLOAT["N"]) -> Sequence[FLOAT["K"]]:\n    return op.SplitToSequence(x, keepdims=0)\n',
            "outputs: {result: seq(float)}\n",
        ),
        (
            'from typing import Optional\n\n\n@script()\ndef Fast(x: FLOAT["N"], low: Optional[FLOAT] = None):\n'
            "    return op.Clip(x, low)\n",
            "inputs: {x: float, low: float}\n",
        ),
        (
            'from typing import TypeVar\n\nV = TypeVar("V", FLOAT, DOUBLE)\n\n\n@script()\n'
            "def Fast(x: V, y: V) -> V:\n    return op.Add(x, y)\n",
            "inputs: {x: V, y: V}\noutputs: {result: V}\ntypes: {V: [float, double]}\n",
        ),
        (
            'from typing import Union\n\nReal = Union[FLOAT["N"], DOUBLE["N"]]\n\n\n@script()\n'
            "def Fast(x: Real):\n    return op.Neg(x)\n",
            "inputs: {x: T}\noutputs: {result: T}\ntypes: {T: [float, double]}\n",
        ),
        (
            'Vector = FLOAT["N"]\n\n\n@script()\ndef Fast(x: Vector) -> Vector:\n    return op.Neg(x)\n',
            "inputs: {x: float}\noutputs: {result: float}\n",
        ),
        (
            '@script()\ndef Fast(mask: BOOL["N"], x: FLOAT["N"]):\n    return op.Where(mask, x, 0.0), x > 1.0\n',
            "outputs: {result: float, result_1: bool}\n",
        ),
        (
            '@script()\ndef Fast(x: FLOAT["n + 1"]) -> FLOAT["n + 1"]:\n    return op.Neg(x)\n',
            "inputs: {x: float}\noutputs: {result: float}\n",
        ),
        (
            "@script()\ndef Fast(null: FLOAT, true: FLOAT):\n    return op.Add(null, true)\n",
            '{"null": float, "true": float}',
        ),
    ],
    ids=["scan", "sequence", "to_sequence", "optional", "type_variable", "union", "alias", "inferred", "sizes", "null"],
)
def test_types_are_those_of_the_source(library: Path, source: str, said: str) -> None:
    assert said in taken(HEAD + source)


@pytest.mark.parametrize(
    ("source", "opset"),
    [
        ("# Unlike that of opset19.\nfrom onnxscript import FLOAT, script, opset17 as op\n\n\n@script()\n{}", 17),
        ("# Not in opset17.\nfrom onnxscript import FLOAT, script, opset18 as op\n\n\n@script()\n{}", 18),
        ("from onnxscript import FLOAT, opset19, script, opset18 as op\n\n\n@script()\n{}", 18),
        ("import onnxscript\nfrom onnxscript import FLOAT, script\n\nop = onnxscript.opset18\n\n\n@script()\n{}", 18),
        (
            "from onnxscript import FLOAT, script\nfrom onnxscript.values import Opset\n\n"
            'op = Opset("", 18)\n\n\n@script(Opset("mine", 1), default_opset=op)\n{}',
            18,
        ),
    ],
    ids=["newer_in_comment", "older_in_comment", "not_used", "assigned", "made"],
)
def test_the_opset_is_the_one_that_the_function_uses(library: Path, source: str, opset: int) -> None:
    assert f'opset: ">={opset}"' in taken(source.format('def Fast(x: FLOAT["N"]):\n    return op.Neg(x)\n'))


def test_an_opset_that_the_library_lacks_is_refused(library: Path) -> None:
    source = "from onnxscript import opset21 as op, script\n\n\n@script()\ndef Fast(x):\n    return op.Neg(x)\n"
    Path("theirs.py").write_text(source)
    ran = run_command("new", "function", "com.acme/Fast", "--from-onnxscript", "theirs.py")
    assert (ran.status, "Fast is of opset 21, which is none of 17 to 19" in ran.out) == (1, True)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (
            "import onnxscript\nimport onnxscript.onnx_types\n\nop = onnxscript.opset17\n\n\n"
            '@onnxscript.script(default_opset=op)\ndef Fast(x: onnxscript.onnx_types.FLOAT["N"]):\n',
            'import opwright\n\nop = opwright.opset17\n\n\ndef Fast(x: opwright.FLOAT["N"]):\n',
        ),
        (
            "import onnxscript\nfrom onnxscript import opset17 as op\n\n\n"
            '@onnxscript.script()\ndef Fast(x: onnxscript.onnx_types.FLOAT["N"]):\n',
            'import opwright\nfrom opwright import opset17 as op\n\n\ndef Fast(x: opwright.FLOAT["N"]):\n',
        ),
        (
            "import onnxscript as o\nfrom onnxscript import onnx_types as t, opset17 as op\n\n\n"
            '@o.script()\ndef Fast(x: t.FLOAT["N"], y: o.onnx_types.FLOAT["N"]):\n',
            "import opwright as o\nimport opwright as t\nfrom opwright import opset17 as op\n\n\n"
            'def Fast(x: t.FLOAT["N"], y: o.FLOAT["N"]):\n',
        ),
        (
            "from onnxscript import opset17 as op\nfrom onnxscript import script as onnx_function\n"
            "from onnxscript.onnx_types import FLOAT as F\n\n\n"
            '@onnx_function(default_opset=op)\ndef Fast(x: F["N"]):\n',
            "from opwright import opset17 as op\nfrom opwright import script as onnx_function\n"
            'from opwright import FLOAT as F\n\n\ndef Fast(x: F["N"]):\n',
        ),
    ],
    ids=["two_imports", "one_import", "aliases", "renamed"],
)
def test_names_of_onnxscript_are_followed(library: Path, theirs: str, ours: str) -> None:
    body = "    return op.Neg(x)\n" if "y:" not in theirs else "    return op.Sub(x, y)\n"
    spec = taken(theirs + body)
    assert text("Fast", "function.py") == ours + body
    assert "outputs: {result: float}\n" in spec


def test_a_text_is_in_the_spec_as_it_is(library: Path) -> None:
    source = (
        '@script()\ndef Fast(x: FLOAT["N"]):\n    """Twice x 🚀, "quoted": \\x9f \\udc80."""\n    return op.Add(x, x)\n'
    )
    spec = taken(HEAD + source, encoding="utf-8-sig")
    assert 'summary: "Twice x 🚀, \\"quoted\\":  ."\n' in spec


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
