"""Templates: announced wherever functions are listed, and called on arrays as models that hold them compute."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator as OnnxReference
from opwright import FLOAT, script
from opwright import opset18 as op
from opwright.bundle.read import read_bundle_file
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.evaluator import OnnxRuntime, ReferenceEvaluator, default_as
from opwright.graphs.inline import inline_model
from opwright.link.apply import attach

Opwright = Callable[..., Any]
Array = np.ndarray[Any, Any]

# name: (inputs, outputs, function, rows)
FUNCTIONS = {
    "Repeat": (
        "{X: T}",
        "{Y: T}",
        "def Repeat(X, times: int = 2):\n    parts = [X * (i + 1.0) for i in range(times)]\n"
        "    return op.Concat(*parts, axis=-1)\n",
        "  - {name: two, inputs: {X: [[1, 2]]}, outputs: {Y: [[1, 2, 2, 4]]}}\n",
    ),
    "Flip": (
        "{X: T}",
        "{Y: T}",
        "def Flip(X):\n    return op.Transpose(X, perm=[X.rank - 1 - i for i in range(X.rank)])\n",
        "  - {name: two, inputs: {X: [[1, 2]]}, outputs: {Y: [[1], [2]]}}\n",
    ),
    "Total": (
        "{first: T, rest: T}",
        "{Y: T}",
        "def Total(first, *rest):\n    for item in rest:\n        first = first + item\n    return first\n",
        "  - {name: two, inputs: {first: [1, 2], rest: {variadic: [[3, 4]]}}, outputs: {Y: [4, 6]}}\n",
    ),
    "Each": (
        "{X: T}",
        "{Y: T}",
        "def Each(X, *, body: Graph, times: int = 2):\n    for _ in range(times):\n        X = body(X)\n    return X\n",
        "",
    ),
    "Both": (
        "{xs: seq(T)}",
        "{ys: seq(T), first: T}",
        "def Both(xs, times: int = 1):\n    x = op.SequenceAt(xs, 0)\n"
        "    return op.SequenceConstruct(*[x * (i + 1.0) for i in range(times)]), x\n",
        "  - {name: one, inputs: {xs: {sequence: [[1, 2], [3]]}}, "
        "outputs: {ys: {sequence: [[1, 2]]}, first: [1, 2]}}\n",
    ),
}


@pytest.fixture
def package(library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name, (inputs, outputs, function, rows) in FUNCTIONS.items():
        folder = Path("specs/com.acme") / name
        folder.mkdir()
        (folder / "spec.yaml").write_text(
            f"schema: 1\ndomain: com.acme\nname: {name}\nsummary: A function.\nsince_version: 1\nopset: '>=18'\n"
            f"inputs: {inputs}\noutputs: {outputs}\ntypes: {{T: [float, double]}}\n"
            + ("vectors: [vectors.yaml]\n" if rows else "")
        )
        (folder / "function.py").write_text(f"from opwright import Graph, opset18 as op\n\n\n{function}")
        if rows:
            (folder / "vectors.yaml").write_text(f"schema: 1\nrows:\n{rows}")
    ran = opwright("build")
    assert ran.status == 0, ran.out
    monkeypatch.syspath_prepend(str(library / "library"))
    yield import_module("base.opset1")
    for name in [name for name in sys.modules if name.partition(".")[0] == "base"]:
        del sys.modules[name]


def attached(name: str, inputs: Sequence[Any], given: Sequence[Any], **attributes: Any) -> list[Any]:
    """What a model with a node of the function gives once the library is attached, on both runtimes: they agree. Its
    outputs are declared with the types and shapes of what is `given`."""
    infos = [declared(f"x{index}", value) for index, value in enumerate(inputs)]
    results = [declared(f"y{index}", value) for index, value in enumerate(given)]
    names = [info.name for info in infos], [result.name for result in results]
    node = helper.make_node(name, *names, domain="com.acme", **attributes)
    model = helper.make_model(
        helper.make_graph([node], "g", infos, results),
        opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.acme", 1)],
        ir_version=10,
    )
    (bundle,) = Path("dist").glob("*.onnxlib")
    done = attach(model, read_bundle_file(bundle))
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    feeds = {info.name: value for info, value in zip(infos, inputs, strict=True)}
    session = onnxruntime.InferenceSession(done.SerializeToString(), options, providers=["CPUExecutionProvider"])
    found = session.run(None, feeds)
    inline_model(done)
    for one, other in zip(found, OnnxReference(done).run(None, feeds), strict=True):
        assert same(one, other)
    return list(found)


def declared(name: str, value: Any) -> onnx.ValueInfoProto:
    array = value[0] if isinstance(value, list) else value
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    if isinstance(value, list):
        return helper.make_tensor_sequence_value_info(name, kind, [None] * array.ndim)
    return helper.make_tensor_value_info(name, kind, array.shape)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, list) or isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one.dtype == other.dtype and one.shape == other.shape and np.array_equal(one, other))


X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("evaluator", [OnnxRuntime, ReferenceEvaluator])
@pytest.mark.parametrize(
    ("name", "inputs", "attributes"),
    [
        ("Repeat", [X], {}),
        ("Repeat", [X[0]], {"times": 3}),
        ("Repeat", [X.astype(np.float64)], {"times": 1}),
        ("Flip", [X], {}),
        ("Flip", [X[0]], {}),
        ("Flip", [X[0, 0]], {}),
        ("Flip", [np.array(3, np.float32)], {}),
        ("Total", [X], {}),
        ("Total", [X, X[0], X[1, 1]], {}),
        ("Both", [[X[0], X[1]]], {"times": 3}),
    ],
)
def test_a_call_gives_what_a_model_gives(
    package: ModuleType, name: str, inputs: list[Any], attributes: dict[str, int], evaluator: Any
) -> None:
    function = getattr(package, name)
    with default_as(evaluator()):
        found = function(*inputs, **attributes)
    results = list(found) if name == "Both" else [found]
    assert same(results, attached(name, inputs, results, **attributes))


@script()
def doubled(x: FLOAT[...]) -> FLOAT[...]:
    return x * 2.0


def test_a_graph_is_a_function_or_a_proto(package: ModuleType) -> None:
    graph = helper.make_graph(
        [helper.make_node("Neg", ["a"], ["b"])],
        "body",
        [helper.make_tensor_value_info("a", TensorProto.FLOAT, None)],
        [helper.make_tensor_value_info("b", TensorProto.FLOAT, None)],
    )
    found = package.Each(X, body=graph, times=3)
    assert same(found, -X)
    assert same([found], attached("Each", [X], [found], body=graph, times=3))
    assert same(package.Each(X, body=doubled), X * 4)
    with pytest.raises(TypeError, match="`@script\\(\\)`"):
        package.Each(X, body=lambda x: x)
    with pytest.raises(TypeError, match="missing the required attribute 'body'"):
        package.Each(X)


def test_tensors_in_tensors_out(package: ModuleType) -> None:
    @script()
    def twice(x: FLOAT[...]) -> FLOAT[...]:
        return package.Repeat(op.Relu(x), times=2)

    assert same(twice(X[0]), np.concatenate([X[0], X[0] * 2], axis=-1))


def test_what_no_template_can_be_made_for_is_refused(package: ModuleType) -> None:
    with pytest.raises(DiagnosticError, match="OW560"):
        package.Flip(np.ones((2, 2), np.int64))
    with pytest.raises(DiagnosticError, match="OW577"):
        package.Repeat(X, times=0)


def test_templates_are_announced(package: ModuleType, opwright: Opwright) -> None:
    lines = {line["name"]: line for line in opwright("ls", "--json").lines}
    assert {name: line["template"] for name, line in lines.items()} == dict.fromkeys(FUNCTIONS, True) | {"Swish": False}
    listed = opwright("ls").out
    assert "(template) A function." in listed and "(template) X *" not in listed
    assert opwright("show", "Flip").out.startswith("com.acme::Flip@1 (template)\n")
    stub = Path("library/base/opset1.pyi").read_text()
    assert "A template: its body is made for each call, and depends on\n`X.rank`." in stub
    assert opwright("docs", "-o", "pages").status == 0
    assert "A template: its body is made for each call" in Path("pages/com.acme/Flip.md").read_text()


def test_before_a_build_nobody_knows(library: Path, opwright: Opwright) -> None:
    (line,) = opwright("ls", "--json").lines
    assert line["template"] is None
