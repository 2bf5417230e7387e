"""`opwright new function --implements`: an operator of PyTorch as a spec, with calls of it as vectors."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright_build.spec.model import OpsetRange
from opwright_build.spec.torch_schemas import known_operators
from opwright_build.workflow.new_specs.operator_source import operator_source

from tests.cli.conftest import Ran, run_command

STEP = 12  # of all operators every so many are tried


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library without functions for two opsets, in which the commands stand."""
    monkeypatch.chdir(tmp_path)
    assert run_command("new", "library", "acme-ops").status == 0
    monkeypatch.chdir(tmp_path / "acme-ops")
    file = Path("specs/library.yaml")
    file.write_text(file.read_text().replace('">=13,<=28"', '">=18,<=19"'))
    return tmp_path / "acme-ops"


def begin(name: str, operator: str, *options: str) -> Ran:
    return run_command("new", "function", f"com.acme/{name}", "--implements", operator, *options)


def text(name: str, file: str) -> str:
    return Path(f"specs/com.acme/{name}/{file}").read_text()


def store(path: Path, calls: list[dict[str, Any]], **arrays: Any) -> Path:
    np.savez(path, calls=np.array(json.dumps({"schema": 1, "calls": calls})), **arrays)
    return path


def store_addcmul(path: Path, kinds: tuple[tuple[str, Any], ...]) -> Path:
    """Calls of addcmul, with and without its factor, one of them twice."""
    arrays: dict[str, Any] = {}
    calls = []
    for kind, dtype in kinds:
        x, y, z = (np.arange(start, start + 3).astype(dtype) for start in (1, 4, 7))
        arrays |= {f"{kind}-x": x, f"{kind}-y": y, f"{kind}-z": z}
        for position, value in enumerate((1, 2, 2)):
            arrays[f"{kind}-{position}"] = x + dtype(value) * y * z
            args = [{"array": f"{kind}-{name}", "type": kind} for name in "xyz"]
            right = {"array": f"{kind}-{position}", "type": kind}
            calls.append(
                {"name": f"{kind}-{position}", "call": {"args": args, "kwargs": {"value": value}}, "outputs": [right]}
            )
    return store(path, calls, **arrays)


def test_a_newcomer_s_operator(library: Path) -> None:
    vectors = store_addcmul(library / "calls.npz", (("double", np.float64), ("float", np.float32), ("int64", np.int64)))
    ran = begin("addcmul", "aten::addcmul", "--vectors", str(vectors))
    assert ran.status == 0, ran.err
    assert text("addcmul", "function.py") == (
        "from opwright import opset18 as op\n\n\n"
        "def addcmul(self, tensor1, tensor2, value=None):\n    return op.Identity(self)\n"
    )
    spec = text("addcmul", "spec.yaml")
    assert (
        "inputs:\n  self: T\n  tensor1: T\n  tensor2: T\n  value: {type: T, rank: 0}\noutputs:\n  result: T\n" in spec
    )
    assert "types: {T: [float, int64, double]}\nimplements: aten::addcmul\nvectors: [vectors.npz]\n" in spec
    built = run_command("build")
    assert built.status == 0, built.out + built.err
    tested = run_command("test")
    assert (tested.status, "OW450" in tested.out) == (1, True), "what it computes is left to write"
    Path("specs/com.acme/addcmul/function.py").write_text(
        "def addcmul(self, tensor1, tensor2, value=None):\n"
        "    product = tensor1 * tensor2\n"
        "    return self + (product if value is None else product * value)\n"
    )
    tested = run_command("test")
    assert tested.status == 0, tested.out + tested.err
    shown = run_command("vectors", "show", "addcmul").out
    assert shown.count("com.acme::addcmul@1") == 3, "a sample stands for all nine calls"
    assert "com.acme::addcmul@1 int64-0 (specs/com.acme/addcmul/vectors.npz)\n  self: int64[3] 1, 2, 3\n" in shown
    assert "  value: absent\n  -> result: int64[3] 29, 42, 57" in shown
    assert "  value: double[] 2.0\n  -> result: double[3] 57.0, 82.0, 111.0" in shown


def test_a_function_builds_as_it_is_written_whatever_its_operator(library: Path) -> None:
    names = [*sorted(known_operators())[::STEP], "aten::relu", "aten::convolution", "aten::cat", "aten::split.Tensor"]
    refused = []
    for name in dict.fromkeys(names):
        word = "Op_" + re.sub(r"\W", "_", name.partition("::")[2])
        try:
            files, _ = operator_source(name, None).files("com.acme", word, 1, OpsetRange(18, 18))
        except DiagnosticError as error:
            refused += [item.code for item in error.diagnostics]
            continue
        folder = Path("specs/com.acme") / word
        folder.mkdir(parents=True)
        for file, data in files.items():
            (folder / file).write_bytes(data)
    assert {*refused} == {"OW145"}
    assert len(refused) < 0.1 * len(names)
    built = run_command("build")
    assert built.status == 0, built.out
    assert "return op.Relu(self)" in text("Op_relu", "function.py"), "ONNX has one of the name"
    assert "bias=None, *, transposed: bool)" in text("Op_convolution", "function.py")
    assert "def Op_cat(*tensors, dim: int = 0)" in text("Op_cat", "function.py")
    assert "  result: {type: T, variadic: true}" in text("Op_split_Tensor", "spec.yaml")


@pytest.mark.parametrize(
    ("operator", "code", "said"),
    [
        ("aten::rleu", "OW144", "Did you mean `aten::relu`?"),
        ("aten::_foreach_add.List", "OW145", "it takes several lists of tensors"),
        ("aten::random.from", "OW145", "its argument `from` cannot be a parameter of Python"),
        ("aten::quantized_gru.data", "OW145", "its argument `params` is a __torch__.torch.classes.rnn.CellParamsBase"),
    ],
)
def test_what_no_function_stands_for_is_refused(library: Path, operator: str, code: str, said: str) -> None:
    ran = begin("F", operator)
    assert (ran.status, code in ran.out, said in ran.out) == (1, True, True), ran.out
    assert not Path("specs/com.acme/F").exists()


def test_an_archive_is_read_before_anything_is_written(library: Path) -> None:
    x = np.zeros(2, np.float32)
    value = {"array": "x", "type": "float"}
    rows = store(library / "rows.npz", [{"name": "a", "inputs": {"X": value}, "outputs": {"Y": value}}], x=x)
    lost = store(library / "lost.npz", [{"name": "a", "call": {"args": [value]}, "outputs": [value]}])
    (library / "text.npz").write_text("no archive")
    os.mkfifo(library / "pipe.npz")
    for path, said in (
        (rows, "it has a call that is none of an operator"),
        (lost, "the archive has no array x"),
        (library / "text.npz", "it is no sound zip archive"),
        (library / "pipe.npz", "it is no regular file"),
        (library / "absent.npz", "No such file"),
    ):
        ran = begin("F", "aten::relu", "--vectors", str(path))
        assert (ran.status, "OW152" in ran.out, said in ran.out) == (1, True, True), ran.out
    assert not Path("specs/com.acme/F").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--vectors", "calls.npz"), "--vectors are calls of an operator, and none is named"),
        (("--implements", "aten::relu", "--like", "G"), "a function begins as one thing"),
    ],
)
def test_options_that_do_not_go_together(library: Path, options: tuple[str, ...], said: str) -> None:
    ran = run_command("new", "function", "com.acme/F", *options)
    assert (ran.status, "OW907" in ran.out + ran.err, said in ran.out + ran.err) == (2, True, True), ran.out + ran.err
