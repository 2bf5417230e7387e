"""Several models on one command line, folders of them, streams, and models that are replaced in place."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import onnx
import pytest
from onnx import ModelProto
from opwright import attach, detach
from opwright.bundle.format import Bundle
from opwright.bundle.write import write_bundle
from opwright.commands import main

from tests.forms.conftest import TEXT, with_weights
from tests.link.conftest import parse
from tests.output_lines import validate

Run = Callable[..., tuple[int, str, str]]
OTHER = TEXT.replace("Twice", "Swish")
BAD = TEXT.replace("Twice", "Thrice")
ATTACH = ("attach", "--library", "acme.onnxlib")
POLYFILL = ("polyfill", "--library", "acme.onnxlib", "--opset", "18")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], acme: Bundle) -> Run:
    """Runs a command line in a folder with a.onnx, in/b.onnx, in/deep/c.onnx and acme.onnxlib."""
    monkeypatch.chdir(tmp_path)
    Path("in/deep").mkdir(parents=True)
    for name, text in (("a", TEXT), ("in/b", OTHER), ("in/deep/c", TEXT)):
        onnx.save(parse(text), f"{name}.onnx")
    Path("in/notes.txt").write_text("no model")
    Path("acme.onnxlib").write_bytes(write_bundle(acme.index, acme.bodies))

    def call(*words: str) -> tuple[int, str, str]:
        try:
            status = main(words)
        except SystemExit as stop:
            status = int(stop.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


def files() -> list[str]:
    return sorted(path.as_posix() for path in Path().rglob("*") if path.is_file())


BEFORE = ["a.onnx", "acme.onnxlib", "in/b.onnx", "in/deep/c.onnx", "in/notes.txt"]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    return lambda data: monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


def test_files_and_folders_keep_their_names(run: Run, acme: Bundle) -> None:
    before = {name: Path(name).read_bytes() for name in BEFORE}
    status, out, err = run(*ATTACH, "a.onnx", "in", "--out-dir", "new/models")
    assert (status, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("wrote")] == [
        "wrote new/models/a.onnx: 1 node served, 2 functions added",
        "wrote new/models/b.onnx: 1 node served, 1 function added",
        "wrote new/models/deep/c.onnx: 1 node served, 2 functions added",
    ]
    made = ["new/models/a.onnx", "new/models/b.onnx", "new/models/deep/c.onnx"]
    assert files() == [*BEFORE, *made]
    assert onnx.load(made[1]) == attach(parse(OTHER), acme)
    assert {name: Path(name).read_bytes() for name in BEFORE} == before
    status, out, err = run("detach", "new/models", "--out-dir", "back")
    assert (status, err) == (0, "")
    for name, text in (("a", TEXT), ("b", OTHER), ("deep/c", TEXT)):
        assert onnx.load(f"back/{name}.onnx") == parse(text)


def test_a_folder_of_outputs_may_lie_among_the_models(run: Run) -> None:
    for _ in range(2):
        status, out, _ = run(*ATTACH, "in", "--out-dir", "in/out")
        assert (status, out.count("wrote")) == (0, 2)
    assert files() == [*BEFORE[:4], "in/notes.txt", "in/out/b.onnx", "in/out/deep/c.onnx"]


@pytest.mark.parametrize("command", [ATTACH, POLYFILL, ("detach",)])
def test_in_place(run: Run, command: tuple[str, ...], acme: Bundle) -> None:
    for name in ("a", "in/b", "in/deep/c"):
        onnx.save(
            attach(onnx.load(f"{name}.onnx"), acme) if command[0] == "detach" else onnx.load(f"{name}.onnx"),
            f"{name}.onnx",
        )
    os.symlink("a.onnx", "link.onnx")
    status, out, err = run(*command, "link.onnx", "a.onnx", "in", "--in-place")
    assert (status, out.count("wrote"), err) == (0, 3, "")
    assert Path("link.onnx").is_symlink()
    assert files() == [*BEFORE, "link.onnx"]
    made = onnx.load("a.onnx")
    assert made == parse(TEXT) if command[0] == "detach" else len(made.functions) == 2


def test_one_that_fails_is_told_and_the_others_go_on(run: Run) -> None:
    onnx.save(parse(BAD), "in/b.onnx")
    Path("in/broken.onnx").write_bytes(b"\xff\xff")
    before = Path("in/b.onnx").read_bytes()
    status, out, err = run(*ATTACH, "missing.onnx", "in", "a.onnx", "--out-dir", "out")
    assert (status, out.count("wrote")) == (1, 2)
    assert err.count("error ") == 3
    for text in ("OW550: cannot read the model missing.onnx", "in/b.onnx: error OW553", "in/broken.onnx: error OW551"):
        assert text in err
    assert [name for name in files() if name.startswith("out")] == ["out/a.onnx", "out/deep/c.onnx"]
    assert run(*ATTACH, "in", "--in-place")[0] == 1
    assert Path("in/b.onnx").read_bytes() == before
    assert not [name for name in files() if "partial" in name]


def test_weights_are_not_parted_from_their_models(run: Run) -> None:
    onnx.save(with_weights(size=4), "in/w.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    status, out, err = run(*ATTACH, "in", "--out-dir", "out")
    assert (status, out.count("wrote"), err) == (0, 3, "")
    assert Path("out/w.bin").read_bytes() == Path("in/w.bin").read_bytes()
    assert run("detach", "out/w.onnx", "-o", "in/back.onnx", "--external-data", "move")[0] == 0
    assert not Path("out/w.bin").exists()
    assert onnx.load("in/back.onnx") == onnx.load("in/w.onnx")
    assert run(*ATTACH, "in/w.onnx", "--in-place")[0] == 0
    assert len(onnx.load("in/w.onnx").functions) == 1
    weights = Path("in/w.bin").read_bytes()
    os.link("in/w.bin", "in/hard.bin")
    for output in ("-", "in/w.bin", "in/hard.bin"):
        status, out, err = run("detach", "in/w.onnx", "-o", output)
        assert (status, out, "OW571" in err) == (1, "", True)
    assert Path("in/w.bin").read_bytes() == weights


@pytest.mark.parametrize("command", [ATTACH, POLYFILL, ("convert", "--opset", "19")])
def test_weights_that_are_missing_are_told_with_their_model(run: Run, command: tuple[str, ...]) -> None:
    onnx.save(with_weights(size=4), "in/w.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    Path("in/w.bin").unlink()
    found = "in/w.onnx: error OW550: cannot read the weights in w.bin\n  reason: in/w.bin: No such file or directory\n"
    assert found in run(*command, "in", "--out-dir", "out")[2]
    assert found in run(*command, "in/w.onnx", "-o", "out.onnx")[2]
    assert found in run("decompile", "in/w.onnx")[2]


def piped(*words: str, given: bytes = b"") -> tuple[int, bytes, str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    code = "import sys; from opwright.commands import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], input=given, capture_output=True, env=environment, timeout=60
    )
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.mark.long
def test_a_pipe_of_commands(run: Run, acme: Bundle) -> None:
    """Standard output holds the model and nothing else."""
    status, data, err = piped(*ATTACH, "-", "-o", "-", given=parse(TEXT).SerializeToString())
    assert (status, err.splitlines()[-1]) == (0, "wrote -: 1 node served, 2 functions added")
    assert onnx.load_from_string(data) == attach(parse(TEXT), acme)
    status, older, err = piped(*POLYFILL, "--json", "-", "-o", "-", given=data)
    assert status == 0
    assert [json.loads(line)["event"] for line in err.splitlines()][-2:] == ["model", "summary"]
    status, back, _ = piped("detach", "-", "-o", "-", given=older)
    assert (status, onnx.load_from_string(back)) == (0, parse(TEXT))
    status, out, _ = piped("inspect", "-", given=data)
    assert (status, len(out.splitlines())) == (0, 2)
    status, text, _ = piped("decompile", "-", "-o", "-", "--check", given=data)
    assert (status, b"def g(x" in text) == (0, True)
    assert files() == BEFORE


def test_standard_input_and_a_file(run: Run, stdin: Callable[[bytes], None], acme: Bundle) -> None:
    stdin(parse(TEXT).SerializeToString())
    assert run(*ATTACH, "-", "-o", "out.onnx")[0] == 0
    assert onnx.load("out.onnx") == attach(parse(TEXT), acme)
    stdin(b"\xff")
    status, out, err = run("inspect", "-")
    assert (status, out, err.startswith("<stdin>: error OW551")) == (1, "", True)
    stdin(parse(BAD).SerializeToString())
    status, data, err = piped(*ATTACH, "-", "-o", "-", given=parse(BAD).SerializeToString())
    assert (status, data, err.startswith("<stdin>: error OW553")) == (1, b"", True)


def test_a_file_that_is_called_as_streams_are(run: Run) -> None:
    Path("-").write_bytes(Path("a.onnx").read_bytes())
    assert run(*ATTACH, "./-", "-o", "out.onnx")[0] == 0
    assert run("inspect", "./-")[1].startswith("com.acme::Twice: undefined, ")


def test_a_stream_has_no_folder_for_weights(run: Run, stdin: Callable[[bytes], None]) -> None:
    onnx.save(with_weights(size=4), "w.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    stdin(Path("w.onnx").read_bytes())
    status, out, err = run(*ATTACH, "-", "-o", "out.onnx")
    assert (status, out, "OW571" in err) == (1, "", True)
    assert not Path("out.onnx").exists()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((*ATTACH, "a.onnx", "in/b.onnx", "-o", "out.onnx"), "--out-dir"),
        ((*ATTACH, "in", "-o", "out.onnx"), "--out-dir"),
        ((*ATTACH, "a.onnx"), "--in-place"),
        ((*POLYFILL, "in"), "--out-dir"),
        ((*POLYFILL, "-"), "-o"),
        ((*POLYFILL, "a.onnx", "--out-dir", "out", "--in-place"), "not allowed with"),
        (("detach", "-", "a.onnx", "--out-dir", "out"), "standard input"),
        (("detach", "-", "--in-place"), "-o -"),
        (("inspect", "-", "a.onnx"), "name no other"),
        ((*ATTACH, "a.onnx", "-o", "acme.onnxlib"), "acme.onnxlib is read"),
        ((*ATTACH, "a.onnx", "-o", "in/../a.onnx"), "is read"),
        ((*ATTACH, "in", "--out-dir", "in"), "in/b.onnx is read"),
        ((*ATTACH, "in/b.onnx", "in/deep/c.onnx", "in/deep", "--out-dir", "in"), "is read"),
        (("detach", "one/m.onnx", "two/m.onnx", "--out-dir", "out"), "would both be out/m.onnx"),
        (("inspect",), "MODEL"),
    ],
)
def test_command_lines_that_make_no_sense(run: Run, words: tuple[str, ...], part: str) -> None:
    before = {name: Path(name).read_bytes() for name in BEFORE}
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert part in err.splitlines()[0], err
    assert err.splitlines()[1].endswith(" shows what it takes")
    assert {name: Path(name).read_bytes() for name in files()} == before


def test_links_to_what_is_read_are_not_written_to(run: Run) -> None:
    os.symlink("a.onnx", "link.onnx")
    assert run(*ATTACH, "a.onnx", "-o", "link.onnx")[0] == 2
    os.link("a.onnx", "hard.onnx")
    assert run(*ATTACH, "a.onnx", "-o", "hard.onnx")[0] == 2


@pytest.mark.parametrize("output", ["taken", "taken/below"])
def test_a_folder_that_cannot_be_made(run: Run, output: str) -> None:
    Path("taken").write_text("a file")
    status, out, err = run(*ATTACH, "in", "--out-dir", output)
    assert (status, out, err.count("OW572")) == (1, "", 2)
    assert run(*ATTACH, "a.onnx", "--out-dir", output)[0] == 3


def test_pipes_in_a_folder_are_no_models(run: Run) -> None:
    os.mkfifo("in/pipe.onnx")
    assert run("inspect", "in")[0] == 0


def test_inspect_says_which_model(run: Run, acme: Bundle) -> None:
    onnx.save(attach(parse(OTHER), acme), "in/b.onnx")
    status, out, err = run("inspect", "a.onnx", "in")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "a.onnx: com.acme::Twice: undefined, in no library at hand, 1 call",
        "in/b.onnx: com.acme::Swish: unaltered, com.acme::Swish@1 of acme-ops 1.0.0, 1 call",
        "in/deep/c.onnx: com.acme::Twice: undefined, in no library at hand, 1 call",
    ]
    status, out, err = run("inspect", "a.onnx", "in", "missing.onnx", "--json")
    models = [json.loads(line)["model"] for line in out.splitlines()]
    assert (status, models) == (1, ["a.onnx", "in/b.onnx", "in/deep/c.onnx"])
    assert "missing.onnx" in err
    altered = onnx.load("in/b.onnx")
    altered.functions[0].node[-1].op_type = "Add"
    onnx.save(altered, "in/b.onnx")
    assert run("inspect", "in")[0] == 1


def test_polyfill_tells_of_each_model(run: Run, acme: Bundle) -> None:
    onnx.save(parse(TEXT.replace("Mul(t, w)", "TensorScatter(t, t)").replace('"": 20', '"": 24')), "in/b.onnx")
    status, out, err = run(*POLYFILL, "a.onnx", "in", "--out-dir", "out", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (1, "")
    told = [(line["event"], line.get("model") or line.get("finding", {}).get("code")) for line in lines]
    assert [item for item in told if item[0] != "node"] == [
        ("model", "a.onnx"), ("finding", "OW581"), ("model", "in/deep/c.onnx"), ("summary", None)
    ]  # fmt: skip
    assert {key: lines[-1][key] for key in ("exit", "errors", "warnings")} == {"exit": 1, "errors": 1, "warnings": 0}
    assert "output" not in lines[-1]
    good = run(*POLYFILL, "a.onnx", "in/deep", "--out-dir", "out", "--json")
    for line in (*lines, *(json.loads(line) for line in good[1].splitlines())):
        validate(line, "polyfill")
    assert good[0] == 0


def test_detached_models_are_those_of_the_function(run: Run, acme: Bundle) -> None:
    model: ModelProto = attach(parse(TEXT), acme)
    onnx.save(model, "a.onnx")
    run("detach", "a.onnx", "--out-dir", "out")
    assert Path("out/a.onnx").read_bytes() == detach(model).SerializeToString(deterministic=True)
