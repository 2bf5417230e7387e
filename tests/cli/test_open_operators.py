"""Specs that call operators which onnx does not describe, or describes without inference, from build to attach."""

from __future__ import annotations

import json
import runpy
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from tests.cli.conftest import Ran, run_command

HEAD = "from opwright import Opset\nfrom opwright import opset18 as op\n\n"
MS = f'{HEAD}ms = Opset("com.microsoft", 1, open=True)\n'
ML = f'{HEAD}ml = Opset("ai.onnx.ml", 2)\n'
ERF = "import numpy as np\nfrom math import erf\n\n\n"
W = "[[1.0, 0.5], [0.25, -1.0]]"

FUNCTIONS = {
    "Layer": (
        "{X: T, W: T, B: T}",
        "T",
        "def Layer(X, W, B, alpha: float = 0.5):\n"
        "    return ms.BiasGelu(ms.FusedMatMul(X, W, alpha=alpha, transB=1), B)\n",
        f"{ERF}def Layer(X, W, B, alpha=0.5):\n    z = alpha * X @ W.T + B\n"
        "    return z * 0.5 * (1 + np.vectorize(erf, otypes=[float])(z / np.sqrt(2)))\n",
        f"{{X: [[1.0, 2.0]], W: {W}, B: [0.5, 1.0]}}",
    ),
    "Caller": (
        "{X: T, W: T}",
        "T",
        "from open_ops import opset1 as acme\n\n\ndef Caller(X, W):\n    return acme.Noted(X, W) * 2 + 1\n",
        "def Caller(X, W):\n    y = X @ W * 2 + 1\n    return (y @ W if y.sum() > 0 else y) * 2 + 1\n",
        f"{{X: [[1.0, 2.0]], W: {W}}}",
    ),
    "Noted": (
        "{X: T, W: T, B: T}",
        "T",
        'def Noted(X, W, B=None):\n    y: "T" = ms.FusedMatMul(X, W)\n    if B is not None:\n        y = y + B\n'
        "    z = y * 2 + 1\n    if op.ReduceSum(z, keepdims=0) > 0:\n        w = ms.FusedMatMul(z, W)\n"
        "    else:\n        w = z\n    return w\n",
        "def Noted(X, W, B=None):\n    z = (X @ W + (0 if B is None else B)) * 2 + 1\n"
        "    return z @ W if z.sum() > 0 else z\n",
        f"{{X: [[1.0, 2.0]], W: {W}, B: [0.5, 1.0]}}\n  - name: less\n    inputs: {{X: [[-1.0, -2.0]], W: {W}}}",
    ),
    "Many": (
        "{xs: T}",
        "T",
        "def Many(*xs):\n    total = xs[0]\n    for x in xs[1:]:\n        total = ms.FusedMatMul(total, x, transB=1)\n"
        "    return ms.QuickGelu(total, alpha=1.0)\n",
        "import numpy as np\n\n\ndef Many(*xs):\n    y = xs[0] @ xs[1].T\n    return y / (1 + np.exp(-y))\n",
        f"{{xs: {{variadic: [[[1.0, 2.0]], {W}]}}}}",
    ),
    "Standard": (
        "{X: T}",
        "T",
        "def Standard(X):\n    return op.Tanh(ml.Scaler(X, offset=[1.0], scale=[0.5]))\n",
        "import numpy as np\n\n\ndef Standard(X):\n    return np.tanh((X - 1) * 0.5)\n",
        "{X: [[1.0, 2.0], [3.0, -1.0]]}",
    ),
    "Encode": (
        "{X: string}",
        "int64",
        'def Encode(X):\n    words = ["a", "b"]\n'
        "    return ml.LabelEncoder(X, keys_strings=words, values_int64s=[1, 2], default_int64=-1)\n",
        "import numpy as np\n\n\ndef Encode(X):\n"
        '    return np.vectorize(lambda word: {"a": 1, "b": 2}.get(word, -1), otypes=[np.int64])(X)\n',
        "{X: [a, b, c]}",
    ),
}


def write_library(root: Path, name: str, domain: str, functions: dict[str, tuple[str, ...]]) -> None:
    specs = root / "specs"
    for function, (inputs, output, source, reference, row) in functions.items():
        folder = specs / domain / function
        folder.mkdir(parents=True)
        types = "types: {T: [float]}\n" if "T" in output else ""
        (folder / "spec.yaml").write_text(
            f"schema: 1\ndomain: {domain}\nname: {function}\nsummary: For a test.\nsince_version: 1\n"
            f'opset: ">=18"\ninputs: {inputs}\noutputs: {{Y: {output}}}\n{types}'
            "vectors: [vectors.yaml]\nreference: reference.py\n"
        )
        head = "" if source.startswith("from") else (ML if "ml." in source else MS)
        (folder / "function.py").write_text(f"{head}\n\n{source}" if head else source)
        (folder / "reference.py").write_text(reference)
        (folder / "vectors.yaml").write_text(f"schema: 1\nrows:\n  - name: row\n    inputs: {row}\n")
    package = name.replace("-", "_")
    (specs / "library.yaml").write_text(
        f'schema: 1\nlibrary: {name}\nversion: 1.0.0\npackage: {package}\nopsets: ">=18,<=19"\n'
    )
    (specs / domain / "domain.yaml").write_text("schema: 1\nversion: 1\n")


def outcomes(ran: Ran) -> dict[str, dict[str, set[str]]]:
    """By function and runtime, how its cells ended."""
    found: dict[str, dict[str, set[str]]] = {}
    for line in ran.lines:
        if line["event"] == "outcome":
            of = found.setdefault(line["function"].split("::")[1], {})
            of.setdefault(line["runtime"], set()).add(line["status"])
    return found


@pytest.fixture(scope="module")
def open_library(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ran, Ran]:
    """The library, its first run with `--update-gaps`, and the one behind it."""
    root = tmp_path_factory.mktemp("open")
    write_library(root, "open-ops", "com.acme", FUNCTIONS)
    build = run_command("build", str(root))
    assert build.status == 0, build.err
    updated = run_command("test", str(root), "--update-gaps", "--json")
    return root, updated, run_command("test", str(root), "--json")


def test_such_functions_are_verified_where_there_are_kernels(open_library: tuple[Path, Ran, Ran]) -> None:
    root, updated, again = open_library
    assert (updated.status, again.status) == (0, 0), again.out
    found = outcomes(again)
    assert set(found) == {f"{name}@1" for name in FUNCTIONS}
    for name, runtimes in found.items():
        known = name in ("Standard@1", "Encode@1")
        assert runtimes["onnxruntime/off"] == runtimes["onnxruntime/full"] == {"pass"}
        assert runtimes["reference"] == ({"pass"} if known else {"no-kernel"})
    gaps = (root / "specs/runtime-gaps.yaml").read_text()
    assert "'FusedMatMul' from domain 'com.microsoft' is unknown" in gaps


def test_such_functions_are_called_on_arrays(
    open_library: tuple[Path, Ran, Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(open_library[0] / "library")
    acme: Any = import_module("open_ops.opset1")
    x, w = np.array([[1, 2]], np.float32), np.array([[1, 0.5], [0.25, -1]], np.float32)
    try:
        z = x @ w * 2 + 1
        np.testing.assert_allclose(acme.Noted(x, w), z @ w, rtol=1e-6)
        np.testing.assert_allclose(acme.Standard(x), np.tanh((x - 1) / 2), rtol=1e-6)
        assert acme.Encode(np.array(["a", "z"], object)).tolist() == [1, -1]
    finally:
        for name in ("open_ops", "open_ops.opset1"):
            sys.modules.pop(name)


def test_models_get_such_functions_and_come_back_as_scripts(
    open_library: tuple[Path, Ran, Ran], tmp_path: Path
) -> None:
    nodes = [
        helper.make_node("Many", ["x", "w"], ["y"], domain="com.acme"),
        helper.make_node("Noted", ["y", "w", "y"], ["z"], domain="com.acme"),
        helper.make_node("Standard", ["z"], ["out"], domain="com.acme"),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 2]) for name in ("x", "w")]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("out", TensorProto.FLOAT, [2, 2])])
    imports = [helper.make_opsetid("", 19), helper.make_opsetid("com.acme", 1)]
    plain, attached, script = tmp_path / "plain.onnx", tmp_path / "attached.onnx", tmp_path / "script.py"
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=10), plain)
    library = open_library[0] / "dist/open-ops-1.0.0.onnxlib"
    ran = run_command("attach", str(plain), "--library", str(library), "-o", str(attached))
    assert ran.status == 0, ran.err
    assert "unaltered, com.acme::Noted@1 of open-ops 1.0.0" in run_command("inspect", str(attached)).out
    ran = run_command("decompile", str(attached), "-o", str(script))
    assert ran.status == 0, ran.err
    assert 'Opset("com.microsoft", 1, open=True)' in script.read_text()
    again = runpy.run_path(str(script))["model"]()
    x, w = np.array([[1, 2], [-1, 0.5]], np.float32), np.array([[1, 0.5], [0.25, -1]], np.float32)
    y = x @ w.T
    y = y / (1 + np.exp(-y))
    z = (y @ w + y) * 2 + 1
    z = z @ w if z.sum() > 0 else z
    for model in (onnx.load(attached), again):
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        np.testing.assert_allclose(session.run(None, {"x": x, "w": w})[0], np.tanh((z - 1) / 2), rtol=1e-5)


@pytest.mark.parametrize("words", [["docs"], ["stubs"], ["opsets"], ["lint"], ["lock"], ["show", "Many"]])
def test_other_commands_take_such_a_library(open_library: tuple[Path, Ran, Ran], words: list[str]) -> None:
    command, *names = words
    ran = run_command(command, *names, str(open_library[0]))
    assert ran.status == 0, ran.err


GELU = "op.Tanh(X * X * X * 0.035677408136300125 + X * 0.7978845608028654)"
ROW = "{X: {distribution: normal, shape: [4, 4], seed: 1}}"
REFERENCE = (
    "import numpy as np\n\n\ndef {name}(X):\n"
    "    y = X * 0.5 * (np.tanh(X ** 3 * 0.035677408136300125 + X * 0.7978845608028654) + 1)\n    return {result}\n"
)


def of_runtime(addend: str) -> dict[str, tuple[str, ...]]:
    """A function whose own name onnxruntime has a kernel for, and one that calls it beside a kernel alone."""
    gelu = f"from opwright import opset18 as op\n\n\ndef FastGelu(X):\n    return X * 0.5 * ({GELU} + {addend})\n"
    return {
        "FastGelu": ("{X: T}", "T", gelu, REFERENCE.format(name="FastGelu", result="y"), ROW),
        "Twin": (
            "{X: T}",
            "T",
            "def Twin(X):\n    return ms.QuickGelu(ms.FastGelu(X), alpha=1.0)\n",
            REFERENCE.format(name="Twin", result="y / (1 + np.exp(-y))"),
            ROW,
        ),
    }


@pytest.mark.parametrize(("addend", "outcome"), [("1", "pass"), ("1.25", "fail")])
def test_a_body_of_whose_name_a_runtime_has_a_kernel_is_run_inlined(tmp_path: Path, addend: str, outcome: str) -> None:
    write_library(tmp_path, "ms-ops", "com.microsoft", of_runtime(addend))
    ran = run_command("test", str(tmp_path), "--json")
    found = outcomes(ran)
    assert found["FastGelu@1"] == {name: {outcome} for name in ("onnxruntime/full", "onnxruntime/off", "reference")}
    assert found["Twin@1"]["onnxruntime/off"] == found["Twin@1"]["onnxruntime/full"] == {outcome}
    findings = [line["finding"] for line in ran.lines if line["event"] == "finding"]
    notes = [item for item in findings if item["code"] == "OW652"]
    assert [note["severity"] for note in notes] == ["note"]
    assert "com.microsoft::FastGelu@1 is verified inlined only" in json.dumps(notes)
