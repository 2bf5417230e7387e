"""What mypy and pyright make of programs in the language, and of our stubs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import opwright
import pytest
from opwright_build.spec.scaffold import new_function

from tests.mypy_runs import SETTINGS, Mypy
from tests.typing.test_samples import SAMPLES, example_of_the_page

pytestmark = pytest.mark.long

PACKAGE = Path(opwright.__file__).parent
STUBS = [PACKAGE / "types.pyi", PACKAGE / "opsets" / "__init__.pyi", PACKAGE / "opsets" / "generated"]

HEAD = """
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import opwright
from opwright import BOOL, DOUBLE, FLOAT, INT64, STRING, UINT8, Opset, Sequence, graph, latest, opset9
from opwright import opset13, opset18 as op, opset_ai_onnx_ml3 as ml, script
from opwright import FLOAT as F
from opwright.types import AnyTensor

T = TypeVar("T", FLOAT, DOUBLE)
Rows = FLOAT["N", 3]


@script()
def scripted(x: T, m: Rows, n: int = 3) -> T:
    return op.Relu(x) + n


@graph()
def step(a: FLOAT, b: FLOAT) -> FLOAT:
    return a + b


def calls(
    x: FLOAT["N"], d: opwright.DOUBLE["a name of many words", None], i: INT64, b: BOOL[2, 2], s: STRING[...],
    u: UINT8, a: NDArray[np.float32], unknown: Any, seq: Sequence[F["N"]], other: AnyTensor, maybe: F["Q", 2] | None
) -> None:
"""

# A call, and the type that both checkers give it.
GOOD = {
    # every constant stands for a tensor
    "op.Add(x, 1)": "FLOAT",
    "op.Add(0.5, d)": "DOUBLE",
    "op.Mul([[1, 2], [3, 4]], x)": "FLOAT",
    "op.Add(1, 2)": "AnyTensor",
    "op.Expand(True, op.Shape(x))": "AnyTensor",
    "op.Reshape(x, [2, -1])": "FLOAT",
    # arrays are taken, and results are tensors
    "op.Add(a, 1)": "AnyTensor",
    "op.Add(a, x)": "FLOAT",
    "op.Relu(a)": "AnyTensor",
    "op.Identity(a)": "AnyTensor",
    "op.Identity(seq)": "Sequence[FLOAT]",
    "op.Concat(a, a, axis=0)": "AnyTensor",
    "op.Concat(a, i, axis=0)": "INT64",
    "op.Shape(a)": "INT64",
    "op.TopK(a, 3)": "tuple[AnyTensor, INT64]",
    "op.Where(b, x, a)": "FLOAT",
    "op.CastLike(a, i)": "INT64",
    "op.Gather(x, a)": "FLOAT",
    "op.Cast(a, to=INT64)": "INT64",
    "op.SplitToSequence(a, [1, 2])": "Sequence[AnyTensor]",
    "op.SequenceConstruct(a, x)": "Sequence[FLOAT]",
    "op.SequenceAt([a, a], 0)": "AnyTensor",
    # attributes
    "op.Softmax(x, axis=-1)": "FLOAT",
    "op.ArgMax(x, axis=1, keepdims=False)": "INT64",
    "op.Cast(x, to=INT64.dtype)": "INT64",
    "op.Cast(x, to=INT64)": "INT64",
    "op.Cast(x, to=d.dtype)": "DOUBLE",
    "op.Cast(x, to=7)": "AnyTensor",
    "op.CastLike(x, i)": "INT64",
    "op.EyeLike(i)": "INT64",
    "op.EyeLike(i, dtype=FLOAT)": "FLOAT",
    "op.RandomUniform(shape=[1])": "FLOAT",
    "op.RandomUniformLike(d, seed=1.0, dtype=FLOAT)": "FLOAT",
    "op.Constant(value_ints=[0])": "INT64",
    "op.Constant(value_float=0.5)": "FLOAT",
    # optional and variadic inputs, by position and by name
    "op.Clip(x)": "FLOAT",
    "op.Clip(x, max=3)": "FLOAT",
    "op.Clip(x, None, 6.0)": "FLOAT",
    "op.Max(x, 0, x)": "FLOAT",
    "op.Concat(i, i, axis=0)": "INT64",
    # several outputs
    "op.TopK(x, 3)": "tuple[FLOAT, INT64]",
    "op.Split(x, num_outputs=2)": "tuple[FLOAT, ...]",
    "op.Dropout(x)": "FLOAT",
    # sequences
    "op.SplitToSequence(x, [1, 2])": "Sequence[FLOAT]",
    "op.SequenceAt(seq, 0)": "FLOAT",
    "op.SequenceInsert(seq, x)": "Sequence[FLOAT]",
    "op.SequenceConstruct(i, i)": "Sequence[INT64]",
    "op.SequenceEmpty(dtype=INT64)": "Sequence[INT64]",
    "op.ConcatFromSequence(seq, axis=0)": "FLOAT",
    # graphs
    "op.Loop(1, None, x, body=step)": "AnyTensor",
    "op.If(b, then_branch=step, else_branch=step)": "AnyTensor",
    # what is not known passes
    "op.Add(unknown, unknown)": "Any",
    "op.Add(other, other)": "AnyTensor",
    "op.Add(other, x)": "FLOAT",
    # opsets
    "opset9.Cast(x, to=INT64)": "INT64",
    "latest.Gelu(x)": "FLOAT",
    "ml.Binarizer(x, threshold=0.5)": "FLOAT",
    'Opset("com.acme", 1).Anything(x)': "AnyTensor",
    # Python's operators
    "x + 1": "FLOAT",
    "1 - x": "FLOAT",
    "x == x": "BOOL",
    "0 < x": "BOOL",
    "-x @ x / 2 // 0.5 % x": "FLOAT",
    "x ** i": "FLOAT",
    "~b & True": "BOOL",
    "u << 1 | 3": "UINT8",
    "i[0] / 2 + i[1:, ..., None] - abs(i)": "INT64",
    's != "none"': "BOOL",
    "x[b]": "FLOAT",
    "x.shape": "tuple[int, ...]",
    # calls of scripted functions
    "scripted(x, x)": "FLOAT",
    "scripted(d, x, n=2)": "DOUBLE",
    "scripted(a, a)": "Any",
    "scripted(a, nosuch=1)": "Any",  # with an array nothing else is checked
    "FLOAT(0.5)": "FLOAT",
    "opwright.Tensor(a)": "AnyTensor",
}

# What tensors, sequences and shapes are subscripted with.
SUBSCRIPTS = """
from opwright import FLOAT, INT64, Sequence
from opwright import opset18 as op


def f(
    x: FLOAT["N", 3], rows: FLOAT[2, None], i: INT64["a name"], seq: Sequence[FLOAT["N"]], any_rank: FLOAT[...]
) -> FLOAT["N", 3]:
    first, last = x[0], x[0, 1:]
    table: FLOAT[2, 3] = op.Reshape(rows, [2, 3])
    total = first + last + x[..., None] + x[::2, -1] + x[i] + x[[0, 1]] + seq[0] + x[op.Shape(x)[0] - 1] + x[x > 0]
    left, middle, right = op.Split(x, axis=1, num_outputs=3)
    sizes: INT64[1] = op.Shape(x)[-1:]
    total = total + left + middle + right + table[x.shape[0], :] + op.TopK(x, 1)[0] + op.Cast(sizes, to=FLOAT)
    return total + any_rank[None] - any_rank[:, 0, ...]
"""

# What both checkers refuse.
BAD = {
    "op.Foo(x)": "an unknown operator",
    "op.Gelu(x)": "an operator of a later opset",
    "opset13.BitwiseAnd(u, u)": "an operator of a later opset",
    'op.Softmax(x, axis="1")': "an attribute of another type",
    "op.Softmax(x, axis=1.5)": "an attribute of another type",
    'op.RandomUniform(shape="1")': "an attribute of another type",
    "op.Softmax(x, 1)": "an attribute by position",
    "op.Softmax(x, axes=1)": "an unknown attribute",
    "op.Concat(x, x)": "a missing attribute",
    "op.Cast(x)": "a missing attribute",
    "op.Add(x)": "a missing input",
    "op.Relu(x, x)": "a surplus input",
    "op.Add(x, d)": "two element types",
    "op.Max(x, d)": "two element types",
    "op.BitwiseAnd(x, x)": "an element type that the operator does not take",
    "op.MatMul(b, b)": "an element type that the operator does not take",
    "op.Reshape(x, x)": "an element type that the operator does not take",
    'op.Add(x, "a")': "a string for a number",
    "op.And(b, 0.5)": "a number for a bool",
    "op.SequenceAt(x, 0)": "a tensor for a sequence",
    "op.TopK(x, 3).shape": "an attribute of a tuple",
    "x + d": "two element types",
    "x + i": "two element types",
    "i + 0.5": "a fraction for an integer",
    "b + b": "arithmetic on bools",
    "x & x": "bits of floats",
    "x << 1": "bits of floats",
    "i << 1": "a shift of signed integers",
    "-u": "the negative of an unsigned integer",
    "s < s": "an order of strings",
    'FLOAT("a")': "a string for a number",
    "scripted(i, x)": "an element type that the function does not take",
    "scripted(x)": "a missing input of a function",
    'scripted(x, x, n="a")': "an attribute of another type of a function",
    "scripted(x, x, nosuch=1)": "an unknown name",
    "scripted(x=a, m=a)": "an array by name",
    "scripted(x, a)": "an array after a tensor",
}
# Functions on models give back the form that they are given.
FORMS = """
import os
from pathlib import Path

import onnx_ir
from onnx import FunctionProto, GraphProto, ModelProto
from opwright import attach, compare, convert, decompile, detach, inspect, polyfill, proto_function
from typing_extensions import assert_type


class ONNXProgram:
    def __init__(self, model: onnx_ir.Model, exported_program: object | None) -> None:
        self.model: onnx_ir.Model = model
        self.exported_program = exported_program

    @property
    def model_proto(self) -> ModelProto:
        return onnx_ir.to_proto(self.model)


def forms(
    proto: ModelProto, data: bytes, ir: onnx_ir.Model, program: ONNXProgram, path: Path, any_path: os.PathLike[str],
    function: FunctionProto, inner: GraphProto
) -> None:
    assert_type(attach(proto, ()), ModelProto)
    assert_type(attach(data, (), inline=True), bytes)
    assert_type(attach(ir, (), profile="overload"), onnx_ir.Model)
    assert_type(attach(program, ()), ONNXProgram)
    assert_type(attach("model.onnx", ()), ModelProto)
    assert_type(detach(path), ModelProto)
    assert_type(detach(program), ONNXProgram)
    assert_type(polyfill(any_path, opset=18), ModelProto)
    assert_type(polyfill(data, runtime="ort"), bytes)
    assert_type(polyfill(ir, opset=18), onnx_ir.Model)
    assert_type(convert(any_path, opset=18), ModelProto)
    assert_type(convert(program, opset=21, libraries=[]), ONNXProgram)
    for model in (proto, data, ir, program, path, "model.onnx"):
        inspect(model)
        compare(model, function)
        proto_function(model)
        decompile(model)
    decompile(function), decompile(inner)
"""
NO_FORMS = {"3", "None", "function", "[proto]", "open('model.onnx', 'rb')"}


BAD_SHAPES = {"FLOAT[1.5]", "FLOAT[..., 3]", "INT64[-1.0]"}


def good_text() -> str:
    lines = [f"    assert_type({call}, {kind})\n" for call, kind in GOOD.items()]
    unpacked = "    y, mask = op.Dropout(x)\n    values, indices = op.TopK(x, 3)\n    assert_type(indices, INT64)\n"
    made = '    scripted.to_model_proto(input_types=[FLOAT["N", 3], FLOAT[...]])\n'
    return HEAD + "".join(lines) + unpacked + made


def bad_text() -> str:
    return HEAD + "".join(f"    {call}\n" for call in BAD)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    (root / "page.py").write_text(example_of_the_page())
    (root / "good.py").write_text(good_text())
    (root / "bad.py").write_text(bad_text())
    (root / "forms.py").write_text(FORMS)
    refused = "".join(f"    detach({given})\n" for given in sorted(NO_FORMS))
    (root / "no_forms.py").write_text(FORMS.partition("    assert_type")[0] + refused)
    shapes = [f"def f{index}(x: {shape}) -> None: ...\n" for index, shape in enumerate(sorted(BAD_SHAPES))]
    (root / "shapes.py").write_text("from opwright import FLOAT, INT64\n" + "".join(shapes))
    for sample in SAMPLES.glob("*.py"):
        (root / sample.name).write_text(sample.read_text(encoding="utf-8"))
    library = tmp_path_factory.mktemp("library")
    new_function("com.acme/Start", library)
    for path in (library / "specs/com.acme/Start").glob("*.py"):
        (root / f"start_{path.name}").write_text(path.read_text(encoding="utf-8"))
    (root / "subscripts.py").write_text(SUBSCRIPTS)
    (root / "mypy.ini").write_text(SETTINGS)
    unused = dict.fromkeys(("reportUnusedExpression", "reportUnusedImport", "reportUnusedVariable"), False)
    settings = {"extraPaths": [str(PACKAGE.parent)], "typeCheckingMode": "strict", **unused}
    (root / "pyrightconfig.json").write_text(json.dumps(settings))
    return root


@pytest.fixture(scope="module")
def mypy(project: Path, mypy_runs: Mypy) -> str:
    environment = {"MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)}
    files = [path.name for path in sorted(project.glob("*.py"))]
    return told(mypy_runs.run([*files, *map(str, STUBS)], project, environment))


@pytest.fixture(scope="module")
def pyright(project: Path) -> str:
    files = [path.name for path in sorted(project.glob("*.py"))]
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *files, *map(str, STUBS)]
    return told(subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=600))


def told(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def errors(output: str) -> dict[str, dict[int, str]]:
    """What a checker reports, by file name and line."""
    found: dict[str, dict[int, str]] = {}
    for match in re.finditer(r"^\s*(\S+?\.pyi?):(\d+)(?::\d+)?\s*(?:-\s*|:\s*)error:? (.*)$", output, re.MULTILINE):
        found.setdefault(Path(match[1]).name, {}).setdefault(int(match[2]), match[3])
    return found


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_samples_and_stubs_have_no_errors(checker: str, request: pytest.FixtureRequest) -> None:
    found = errors(request.getfixturevalue(checker))
    assert {
        name: lines for name, lines in found.items() if name not in ("bad.py", "good.py", "shapes.py", "no_forms.py")
    } == {}


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_calls_have_the_types_of_their_results(checker: str, request: pytest.FixtureRequest) -> None:
    found = errors(request.getfixturevalue(checker)).get("good.py", {})
    text = good_text().splitlines()
    assert {text[line - 1].strip(): message for line, message in found.items()} == {}


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_wrong_calls_are_reported_each_in_its_line(checker: str, request: pytest.FixtureRequest) -> None:
    found = errors(request.getfixturevalue(checker)).get("bad.py", {})
    text = bad_text().splitlines()
    reported = {text[line - 1].strip() for line in found}
    assert {call: what for call, what in BAD.items() if call not in reported} == {}
    assert reported <= BAD.keys()


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_what_is_no_model_is_reported(checker: str, request: pytest.FixtureRequest) -> None:
    assert len(errors(request.getfixturevalue(checker))["no_forms.py"]) == len(NO_FORMS)


def test_the_plugin_reports_what_is_no_dimension(mypy: str) -> None:
    assert len(errors(mypy)["shapes.py"]) == len(BAD_SHAPES), mypy


def test_samples_need_no_ignore_comment() -> None:
    for sample in SAMPLES.glob("*.py"):
        assert "ignore" not in sample.read_text(encoding="utf-8"), sample.name
