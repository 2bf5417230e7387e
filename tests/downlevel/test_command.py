"""`opwright polyfill` as people run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import numpy as np
import onnx
import onnx.parser
import pytest
from opwright.commands import main
from opwright_build.report.schemas import output_schemas

from tests.downlevel.standard_cases import session_of
from tests.output_lines import validate

Run = Callable[..., tuple[int, str, str]]

TEXT = """<ir_version: 13, opset_import: ["": 24]> g (float[4] x) => (float[4] y)
{ t = Mish(x) u = Identity(t) y = Swish(u) }"""


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], standard_file: Path
) -> Run:
    """Runs a command line in a folder with model.onnx and std.onnxlib."""
    monkeypatch.chdir(tmp_path)
    onnx.save(onnx.parser.parse_model(TEXT), "model.onnx")
    Path("std.onnxlib").write_bytes(standard_file.read_bytes())

    def call(*words: str) -> tuple[int, str, str]:
        try:
            status = main(words)
        except SystemExit as stop:
            status = int(stop.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


POLYFILL = ("polyfill", "model.onnx", "--library", "std.onnxlib", "--opset", "18")


def test_a_model_for_opset_18(run: Run) -> None:
    status, out, err = run(*POLYFILL, "-o", "out.onnx")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "ai.onnx::Swish@24 by the function: 1 node",
        "ai.onnx::Mish@22 as of version 18: 1 node",
        "ai.onnx::Identity@24 as of version 16: 1 node",
        "wrote out.onnx: opset 18, IR version 8, 1 function added",
    ]
    x = np.array([-1.0, 0.0, 2.0, 5.0], np.float32)
    t = x * np.tanh(np.logaddexp(0, x))
    (y,) = session_of(onnx.load("out.onnx")).run(None, {"x": x})
    np.testing.assert_allclose(y, t / (1 + np.exp(-t)), rtol=1e-5)
    assert run("inspect", "out.onnx", "--library", "std.onnxlib")[0] == 0
    assert run("detach", "out.onnx", "-o", "back.onnx")[0] == 0
    assert onnx.load("back.onnx") == onnx.parser.parse_model(TEXT)


def test_the_output_is_named_after_the_opset(run: Run) -> None:
    assert run(*POLYFILL, "--inline")[0] == 0
    assert sorted(os.listdir()) == ["model.onnx", "model.opset18.onnx", "std.onnxlib"]
    assert not onnx.load("model.opset18.onnx").functions


def test_a_release_of_onnxruntime(run: Run) -> None:
    status, out, err = run("polyfill", "model.onnx", "--library", "std.onnxlib", "--runtime", "ort==1.17")
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == "wrote model.opset20.onnx: opset 20, IR version 9, 1 function added"


def test_json(run: Run) -> None:
    schema = output_schemas()["polyfill"]
    status, out, err = run(*POLYFILL, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (0, "")
    assert [line["event"] for line in lines] == ["node", "node", "node", "model", "summary"]
    assert lines[0] == {
        "schema": "opwright.polyfill/1",
        "event": "node",
        "model": "model.onnx",
        "place": "node 2 (Swish)",
        "operator": "ai.onnx::Swish",
        "since_version": 24,
        "function": "ai.onnx::Swish@24",
        "older_version": None,
    }
    onnx.save(onnx.parser.parse_model(TEXT.replace("Swish(u)", "TensorScatter(u, u)")), "model.onnx")
    status, out, err = run(*POLYFILL, "--json")
    failed = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (1, "")
    assert [line["event"] for line in failed] == ["finding", "summary"]
    assert failed[0]["finding"]["code"] == "OW581"
    for line in (*lines, *failed):
        jsonschema.validate(line, schema)


def test_what_cannot_be_done_is_listed_and_nothing_written(run: Run) -> None:
    onnx.save(onnx.parser.parse_model(TEXT.replace("Swish(u)", "TensorScatter(u, u)")), "model.onnx")
    status, out, err = run(*POLYFILL)
    assert (status, out) == (1, "")
    assert err.startswith("model.onnx: error OW581: node 2 (TensorScatter): opset 18 has no TensorScatter")
    assert sorted(os.listdir()) == ["model.onnx", "std.onnxlib"]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("polyfill", "model.onnx", "--library", "std.onnxlib"), 2),
        (("polyfill", "model.onnx", "--library", "std.onnxlib", "--opset", "99"), 2),
        (("polyfill", "model.onnx", "--library", "std.onnxlib", "--opset", "x"), 2),
        (("polyfill", "model.onnx", "--library", "no.onnxlib", "--opset", "18"), 2),
        (("polyfill", "no.onnx", "--library", "std.onnxlib", "--opset", "18"), 2),
        (("polyfill", "--help"), 0),
    ],
)
def test_exit_statuses(run: Run, words: tuple[str, ...], status: int) -> None:
    assert run(*words)[0] == status


PROBE = """
import sys
from opwright.commands import main
status = main(sys.argv[1:])
print(sorted({"typer", "yaml", "pydantic", "jinja2", "rich", "opwright_build"} & set(sys.modules)))
sys.exit(status)
"""


def test_nothing_but_onnx_is_needed(run: Run) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = [sys.executable, "-c", PROBE, *POLYFILL]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "[]"


# ------------------------------------------------------------------------------------------------ convert

CONVERT = ("convert", "model.onnx", "--opset", "26")


def test_a_model_for_a_newer_opset_and_back(run: Run) -> None:
    onnx.save(onnx.parser.parse_model(TEXT.replace("Swish", "Mish")), "model.onnx")
    status, out, err = run(*CONVERT)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "ai.onnx::Identity@24 as of version 25: 1 node",
        "wrote model.opset26.onnx: opset 26, IR version 13, 0 functions added",
    ]
    assert run("convert", "model.opset26.onnx", "--opset", "24", "-o", "back.onnx")[0] == 0
    assert Path("back.onnx").read_bytes() == onnx.load("model.onnx").SerializeToString(deterministic=True)


def test_what_came_later_is_taken_from_libraries_that_are_given(run: Run) -> None:
    status, out, err = run("convert", "model.onnx", "--opset", "18")
    assert (status, out) == (1, "")
    assert err.startswith("model.onnx: error OW581: node 2 (Swish): opset 18 has no Swish")
    status, out, err = run("convert", "model.onnx", "--opset", "18", "--library", "std.onnxlib", "-o", "out.onnx")
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == "wrote out.onnx: opset 18, IR version 13, 1 function added"
    assert run("detach", "out.onnx", "-o", "back.onnx")[0] == 0
    assert onnx.load("back.onnx") == onnx.parser.parse_model(TEXT)


def test_json_of_convert(run: Run) -> None:
    text = '<ir_version: 8, opset_import: ["": 9]> g (float[1,1,2] x) => (float[A,B,C] y) { y = Upsample(x, s) }'
    model = onnx.parser.parse_model(text)
    model.graph.initializer.append(onnx.helper.make_tensor("s", onnx.TensorProto.FLOAT, [3], [1.0, 1.0, 2.0]))
    onnx.save(model, "model.onnx")
    status, out, err = run(*CONVERT, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and err == ""
    assert [line["event"] for line in lines if line["event"] != "finding"] == ["node", "model", "summary"]
    assert lines[0] == {
        "schema": "opwright.convert/1",
        "event": "node",
        "model": "model.onnx",
        "place": "node 0 (Upsample)",
        "operator": "ai.onnx::Upsample",
        "since_version": 9,
        "function": "",
        "became": "ai.onnx::Resize",
        "version": 19,
    }
    failed = [json.loads(line) for line in run("convert", "model.onnx", "--opset", "8", "--json")[1].splitlines()]
    assert [line["event"] for line in failed] == ["finding", "summary"]
    for line in (*lines, *failed):
        validate(line, "convert")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("convert", "model.onnx"), 2),
        (("convert", "model.onnx", "--opset", "6"), 2),
        (("convert", "model.onnx", "--opset", "29"), 2),
        (("convert", "model.onnx", "--opset", "25", "--library", "no.onnxlib"), 2),
        (("convert", "no.onnx", "--opset", "25"), 2),
        (("convert", "model.onnx", "model.onnx", "--opset", "25"), 2),
        ((*CONVERT, "--in-place"), 0),
        (("convert", "--help"), 0),
    ],
)
def test_exit_statuses_of_convert(run: Run, words: tuple[str, ...], status: int) -> None:
    assert run(*words)[0] == status
