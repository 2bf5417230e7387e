"""The commands as people run them: results on stdout, findings on stderr, an exit status that tells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import jsonschema
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from opwright.bundle.format import Bundle
from opwright.bundle.write import write_bundle
from opwright.commands import main

from tests.link.conftest import parse, run_everywhere

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "inspect-output.schema.json"
Run = Callable[..., tuple[int, str, str]]

TEXT = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
g (float[N] x) => (float[N] y) { t = com.acme.Twice(x) y = com.acme.Floor(t, t) }"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], acme: Bundle) -> Run:
    """Runs a command line in a folder with model.onnx and acme.onnxlib."""
    monkeypatch.chdir(tmp_path)
    onnx.save(parse(TEXT), "model.onnx")
    Path("acme.onnxlib").write_bytes(write_bundle(acme.index, acme.bodies))

    def call(*words: str) -> tuple[int, str, str]:
        try:
            status = main(words)
        except SystemExit as stop:
            status = int(stop.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


ATTACH = ("attach", "model.onnx", "--library", "acme.onnxlib", "-o", "out.onnx")


def test_attach_writes_a_model_that_runs(run: Run) -> None:
    status, out, err = run(*ATTACH)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "com.acme::Twice@1: 1 node",
        "com.acme::Floor@1: 1 node",
        "wrote out.onnx: 2 nodes served, 3 functions added",
    ]
    run_everywhere(onnx.load("out.onnx"), x=np.array([1.0, -2.0], np.float32))


def test_the_input_is_overwritten_in_place_alone(run: Run) -> None:
    before = Path("model.onnx").read_bytes()
    status, out, err = run("attach", "model.onnx", "--library", "acme.onnxlib", "-o", "./model.onnx")
    assert (status, out, "--in-place" in err) == (2, "", True)
    assert Path("model.onnx").read_bytes() == before
    assert run("attach", "model.onnx", "--library", "acme.onnxlib", "--in-place")[0] == 0
    assert len(onnx.load("model.onnx").functions) == 3
    assert sorted(os.listdir()) == ["acme.onnxlib", "model.onnx"]


def test_what_is_written_in_place_has_the_name_that_was_given(run: Run) -> None:
    Path("below").mkdir()
    os.rename("model.onnx", "below/model.onnx")
    os.symlink("below/model.onnx", "link.onnx")
    out = run("attach", "below", "--library", "acme.onnxlib", "--in-place")[1]
    assert "wrote below/model.onnx: " in out
    out = run("detach", "link.onnx", "below/model.onnx", "--in-place")[1]
    assert out.count("wrote ") == 1
    assert Path("link.onnx").is_symlink()


def test_inline_and_profiles(run: Run) -> None:
    assert "2 nodes served, inlined" in run(*ATTACH, "--inline")[1]
    assert not onnx.load("out.onnx").functions
    for arguments, overloads in (([], {""}), (["--portable"], {""}), (["--profile", "overload"], {"", "low=present"})):
        status, _, err = run(*ATTACH, *arguments)
        assert (status, "onnxruntime 1.27" in err) == (0, len(overloads) > 1)
        assert {function.overload for function in onnx.load("out.onnx").functions} == overloads


def test_findings_go_to_stderr_and_nothing_is_written(run: Run) -> None:
    onnx.save(parse(TEXT.replace("Twice", "Thrice")), "model.onnx")
    status, out, err = run(*ATTACH)
    assert (status, out) == (1, "")
    assert err.startswith("model.onnx: error OW553: node 0 (com.acme::Thrice)")
    assert not Path("out.onnx").exists()


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("attach", "no.onnx", "--library", "acme.onnxlib", "-o", "out.onnx"), 2, "OW550"),
        (("attach", "model.onnx", "--library", "no.onnxlib", "-o", "out.onnx"), 2, "OW510"),
        (("attach", "model.onnx", "--library", "no_such_library", "-o", "out.onnx"), 2, "OW518"),
        (("attach", "acme.onnxlib", "--library", "acme.onnxlib", "-o", "out.onnx"), 1, "OW551"),
        (("attach", "model.onnx", "--library", "model.onnx", "-o", "out.onnx"), 2, "OW518"),
        (("attach", "model.onnx", "--library", "./model.onnx", "-o", "out.onnx"), 1, "OW511"),
        (("attach", "model.onnx", "--library", "acme.onnxlib", "-o", "no/out.onnx"), 3, "OW572"),
        (("inspect", "folder"), 2, "OW550"),
        (("detach", "no.onnx", "-o", "out.onnx"), 2, "OW550"),
    ],
)
def test_exit_statuses(run: Run, words: tuple[str, ...], status: int, code: str) -> None:
    Path("folder").mkdir()
    found, out, err = run(*words)
    assert (found, out) == (status, "")
    assert f"error {code}: " in err


@pytest.mark.parametrize(
    ("library", "told"),
    [("model.onnx", "a model is no library"), ("./model.onnx", "a model is no library"), ("x.whl", "a wheel carries")],
)
def test_files_that_are_no_libraries(run: Run, library: str, told: str) -> None:
    _, _, err = run("attach", "model.onnx", "--library", library, "-o", "out.onnx")
    assert f"help: {told}" in err


@pytest.mark.parametrize(
    "words", [(), ("attach",), ("attach", "model.onnx", "-o", "x"), ("attach", "model.onnx", "--lib", "x"), ("other",)]
)
def test_wrong_command_lines(run: Run, words: tuple[str, ...]) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert err.startswith("opwright")
    assert "\n  help: " in err
    assert "`opwright help" in err
    assert len(err.splitlines()) == 2


@pytest.mark.parametrize("command", ["attach", "inspect", "detach"])
def test_help(run: Run, command: str) -> None:
    status, out, _ = run(command, "--help")
    assert status == 0
    assert out.startswith(f"usage: opwright {command} ")


def test_inspect_tells_of_every_function(run: Run) -> None:
    onnx.save(
        parse('<ir_version: 8, opset_import: ["": 18]> g (float[N] x) => (float[N] y) { y = Neg(x) }'), "plain.onnx"
    )
    assert run("inspect", "plain.onnx") == (0, "the model has no functions\n", "")
    run(*ATTACH)
    status, out, err = run("inspect", "out.onnx", "--library", "acme.onnxlib")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "com.acme::Swish: unaltered, com.acme::Swish@1 of acme-ops 1.0.0, 1 call",
        "com.acme::Twice: unaltered, com.acme::Twice@1 of acme-ops 1.0.0, 1 call",
        "com.acme::Floor__low_present: unaltered, com.acme::Floor@1 of acme-ops 1.0.0, 1 call",
    ]


def test_inspect_as_json_and_with_an_altered_function(run: Run) -> None:
    run(*ATTACH)
    model = onnx.load("out.onnx")
    model.functions[2].node[0].op_type = "Min"
    onnx.save(model, "out.onnx")
    status, out, _ = run("inspect", "out.onnx", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert status == 1
    assert [line["state"] for line in lines] == ["unaltered", "unaltered", "altered"]
    assert lines[2] == {
        "schema": "opwright.inspect/1",
        "model": "out.onnx",
        "domain": "com.acme",
        "name": "Floor__low_present",
        "overload": "",
        "state": "altered",
        "identity": "com.acme::Floor@1",
        "variant": "low=present",
        "library": "acme-ops",
        "release": "1.0.0",
        "body": lines[2]["body"],
        "digest": lines[2]["digest"],
        "calls": 1,
        "found_in": [],
        "uncovered": "",
    }
    assert lines[2]["body"] != lines[2]["digest"]
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for line in lines:
        jsonschema.validate(line, schema)
    assert set(schema["required"]) == set(lines[0])


def test_detach_gives_the_model_back(run: Run) -> None:
    run(*ATTACH)
    status, out, err = run("detach", "out.onnx", "-o", "back.onnx")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "removed com.acme::Swish",
        "removed com.acme::Twice",
        "removed com.acme::Floor__low_present",
        "wrote back.onnx: 1 node restored",
    ]
    assert onnx.load("back.onnx") == parse(TEXT)


def test_replacing_is_told(run: Run, standard: Bundle) -> None:
    Path("std.onnxlib").write_bytes(write_bundle(standard.index, standard.bodies))
    text = (
        '<ir_version: 10, opset_import: ["": 18]> g (double[N] x) => (double[N] y) { t = Softplus(x) y = HardSwish(t) }'
    )
    onnx.save(parse(text), "model.onnx")
    status, out, err = run("attach", "model.onnx", "--library", "std.onnxlib", "--replace", "-o", "out.onnx")
    assert (status, out.splitlines()[0]) == (0, "ai.onnx::Softplus@1: 1 node")
    assert "warning OW570: node 1 (HardSwish)" in err
    status, out, err = run("attach", "model.onnx", "--library", "std.onnxlib", "-o", "out.onnx")
    assert (status, "warning OW552" in err) == (0, True)


def test_weights_beside_the_model_are_found_by_the_written_one(run: Run) -> None:
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[1, 2] x) => (float[1, 3] y)
    { t = MatMul(x, w) y = com.acme.Swish(t) }"""
    model = parse(text)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    onnx.save(model, "model.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    assert run(*ATTACH)[0] == 0
    assert onnx.load("out.onnx", load_external_data=False).graph.initializer[0].data_location == TensorProto.EXTERNAL
    loaded = onnx.load("out.onnx")
    x = np.array([[1.0, 2.0]], np.float32)
    product = x @ weights
    np.testing.assert_allclose(run_everywhere(loaded, x=x)[0], product / (1 + np.exp(-1.5 * product)), rtol=1e-5)


PROBE = """
import sys
from opwright.commands import main
status = main(sys.argv[1:])
wanted = {"typer", "yaml", "pydantic", "jinja2", "rich", "mpmath", "opwright_build"}
print(sorted(wanted & set(sys.modules)))
sys.exit(status)
"""


def test_nothing_but_onnx_is_needed(run: Run) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = [sys.executable, "-c", PROBE, *ATTACH]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_model_of_onnx_helper_with_a_node_of_the_library(run: Run) -> None:
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in ("x", "y")]
    node = helper.make_node("Swish", ["x"], ["y"], domain="com.acme", alpha=2.0)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)]
    model = helper.make_model(helper.make_graph([node], "g", info[:1], info[1:]), opset_imports=opsets, ir_version=8)
    onnx.save(model, "model.onnx")
    assert run(*ATTACH)[0] == 0
    x = np.array([-1.0, 0.0, 2.0], np.float32)
    np.testing.assert_allclose(run_everywhere(onnx.load("out.onnx"), x=x)[0], x / (1 + np.exp(-2 * x)), rtol=1e-5)


def test_a_library_is_the_file_that_is_wanted(run: Run) -> None:
    found = sha256(Path("acme.onnxlib").read_bytes()).hexdigest()
    attach = ("attach", "model.onnx", "--library", "acme.onnxlib", "-o", "out.onnx")
    assert run(*attach, "--sha256", found.upper())[0] == 0
    Path("out.onnx").unlink()
    status, out, err = run(*attach, "--sha256", found[:-1] + ("0" if found[-1] != "0" else "1"))
    assert (status, out) == (1, "")
    assert "OW599" in err
    assert found in err
    assert not Path("out.onnx").exists()


@pytest.mark.parametrize("digests", [["x" * 64], ["0" * 63], ["0" * 64] * 2])
def test_digests_that_make_no_sense(run: Run, digests: list[str]) -> None:
    words = [word for digest in digests for word in ("--sha256", digest)]
    status, _, err = run("attach", "model.onnx", "--library", "acme.onnxlib", "-o", "out.onnx", *words)
    assert status == 2
    assert len(digests) == 1 or "2 digests (--sha256) for 1 --library" in err
    assert not Path("out.onnx").exists()


def test_what_a_model_is_required_to_be(run: Run) -> None:
    assert run(*ATTACH)[0] == 0
    assert run("inspect", "out.onnx", "--require", "defined,unaltered,verified")[0] == 0
    status, out, err = run("inspect", "model.onnx", "--library", "acme.onnxlib", "--require", "defined")
    assert status == 1
    assert out.splitlines() == [
        "com.acme::Twice: undefined, in acme-ops 1.0.0, 1 call",
        "com.acme::Floor: undefined, in acme-ops 1.0.0, 1 call",
    ]
    assert err.startswith("model.onnx: error OW541: the model is not defined: 2 functions")
    assert run("inspect", "model.onnx")[0] == 0
    assert run("inspect", "model.onnx", "--require", "verified")[0] == 1
    status, _, err = run("inspect", "model.onnx", "--require", "perfect")
    assert (status, "none of defined, unaltered, verified" in err) == (2, True)
    status, out, _ = run("inspect", "model.onnx", "--library", "acme.onnxlib", "--json")
    for line in out.splitlines():
        jsonschema.validate(json.loads(line), json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert json.loads(out.splitlines()[0])["found_in"] == ["acme-ops 1.0.0"]
