"""`opwright build`, `lint` and `stubs` on a tiny library."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from opwright.bundle.read import read_bundle_file
from opwright_build.engine.machine import machine_identity
from opwright_build.engine.state_file import StateFile
from opwright_build.report.schemas import output_schemas

from tests.sealed import SEAL

Opwright = Callable[..., Any]

FUNCTION = Path("specs/com.acme/Swish/function.py")
SPEC = Path("specs/com.acme/Swish/spec.yaml")
CALLER = {
    "spec.yaml": """\
schema: 1
domain: com.acme
name: Twice
summary: Swish of Swish.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
""",
    "function.py": "from base import opset1 as acme\n\n\ndef Twice(X):\n    return acme.Swish(acme.Swish(X))\n",
    "vectors.yaml": "schema: 1\nrows:\n  - {name: zero, inputs: {X: 0.0}, outputs: {Y: 0.0}}\n",
}


def add_caller() -> None:
    folder = Path("specs/com.acme/Twice")
    folder.mkdir()
    for name, text in CALLER.items():
        (folder / name).write_text(text)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def contents() -> dict[str, bytes]:
    paths = [*Path("dist").rglob("*"), *Path("library").rglob("*")]
    return {path.as_posix(): path.read_bytes() for path in sorted(paths) if path.is_file()}


def ran_actions(ran: Any) -> dict[str, list[str]]:
    return {line["action"]: line["why"] for line in ran.lines if line["event"] == "action" and not line["cached"]}


def test_a_build_writes_the_library_and_a_second_one_does_nothing(library: Path, opwright: Opwright) -> None:
    first = opwright("build", "--json")
    assert (first.status, first.summary["actions_run"], first.summary["actions"]) == (0, 3, 3)
    before = contents()
    assert {path.rpartition(".")[2] for path in before} >= {"onnxlib", "whl", "py", "pyi", "typed"}
    second = opwright("build", "--json")
    assert second.status == 0
    assert second.summary["actions_run"] == 0
    assert second.summary["actions_cached"] == 3
    assert {output["status"] for output in second.summary["outputs"]} == {"unchanged"}
    assert contents() == before
    assert {**first.summary, "seconds": 0} != {}
    for key in ("versions", "pairs", "opset_bodies", "stored_bodies", "bytes_saved", "bundle"):
        assert second.summary[key] == first.summary[key]


def test_every_line_of_json_keeps_to_its_schema(library: Path, opwright: Opwright) -> None:
    validator = jsonschema.Draft202012Validator(output_schemas()["build"])
    runs = [opwright("build", "--json"), opwright("build", "--json")]
    edit(FUNCTION, "Sigmoid", "Sigmod")
    runs.append(opwright("build", "--json"))
    assert [ran.status for ran in runs] == [0, 0, 1]
    for line in (line for ran in runs for line in ran.lines):
        validator.validate(line)
    assert {line["event"] for line in runs[2].lines} == {"action", "finding", "summary"}


def test_a_recount_from_the_bundle_gives_the_same_figures(library: Path, opwright: Opwright) -> None:
    add_caller()
    summary = opwright("build", "--json").summary
    bundle = read_bundle_file(next(Path("dist").glob("*.onnxlib")))
    functions = bundle.index.functions
    uses = [(body.body, body.last_opset - body.first_opset + 1) for entry in functions for body in entry.bodies]
    spread = sum(times * len(bundle.bodies[digest]) for digest, times in uses)
    assert summary["versions"] == len(functions) == 2
    assert summary["pairs"] == sum(max(len(types) for _, types in entry.types) for entry in functions)
    assert summary["opset_bodies"] == sum(times for _, times in uses)
    assert summary["stored_bodies"] == len(bundle.bodies)
    assert summary["bytes_saved"] == spread - sum(map(len, bundle.bodies.values()))
    assert summary["opset_bodies"] > summary["stored_bodies"] > 0
    assert summary["bytes_saved"] > 0
    assert summary["bundle"] == bundle.digest or len(summary["bundle"]) == 64


def test_a_build_from_below_and_from_outside_is_the_same(
    library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert opwright("build").status == 0
    monkeypatch.chdir(library / "specs" / "com.acme" / "Swish")
    assert opwright("build", "--json").summary["actions_run"] == 0
    monkeypatch.chdir(tmp_path)
    assert opwright("build", "library", "--json").summary["actions_run"] == 0
    assert opwright("build", str(library / "specs"), "--json").summary["actions_run"] == 0


def test_the_summary_for_people(library: Path, opwright: Opwright) -> None:
    ran = opwright("build")
    lines = ran.out.splitlines()
    assert lines[0] == "base 1.0.0: 1 version, 2 (version, type) pairs"
    assert lines[2].startswith("3 actions: 3 run, 0 cached; ")
    assert "wrote dist/base-1.0.0.onnxlib" in lines
    assert lines[-1] == "next: opwright test"
    assert ran.err.splitlines() == ["reading specs/", "compiling 1 version", "packaging"]
    again = opwright("build")
    assert again.err == ""
    assert not any(line.startswith("wrote") for line in again.out.splitlines())


def test_only_what_rests_on_a_change_runs_again(library: Path, opwright: Opwright) -> None:
    add_caller()
    opwright("build")
    edit(FUNCTION, "def Swish", "# a comment\ndef Swish")
    ran = opwright("build", "--json")
    assert ran_actions(ran) == {"library": ["file:specs/com.acme/Swish/function.py changed"]}
    assert {output["status"] for output in ran.summary["outputs"]} == {"unchanged"}

    edit(FUNCTION, "X * op.Sigmoid", "op.Sigmoid")
    ran = opwright("build", "--json")
    assert set(ran_actions(ran)) == {"compile com.acme::Swish@1", "compile com.acme::Twice@1", "package", "library"}

    Path("specs/com.acme/Swish/vectors.yaml").write_text("schema: 1\nrows: []\n")
    assert ran_actions(opwright("build", "--json")) == {}


def test_a_spec_that_appears_or_goes_is_seen(library: Path, opwright: Opwright) -> None:
    opwright("build")
    add_caller()
    assert opwright("build", "--json").summary["versions"] == 2
    shutil.rmtree("specs/com.acme/Twice")
    ran = opwright("build", "--json")
    assert (ran.summary["versions"], ran.summary["actions_run"]) == (1, 0)


def test_findings_come_back_from_the_cache_as_they_were(library: Path, opwright: Opwright) -> None:
    edit(FUNCTION, "Sigmoid", "Sigmod")
    first, second = opwright("build", "--json"), opwright("build", "--json")
    found = [[line for line in ran.lines if line["event"] == "finding"] for ran in (first, second)]
    assert found[0] == found[1]
    assert [line["finding"]["code"] for line in found[0]] == ["OW201"]
    assert "compile com.acme::Swish@1" in ran_actions(first)
    assert "compile com.acme::Swish@1" not in ran_actions(second)


def test_a_build_with_errors_leaves_the_outputs_alone(library: Path, opwright: Opwright) -> None:
    opwright("build")
    before = contents()
    edit(FUNCTION, "Sigmoid", "Sigmod")
    ran = opwright("build")
    assert ran.status == 1
    assert "specs/com.acme/Swish/function.py:6:16: error OW201" in ran.out
    assert contents() == before
    assert str(library) not in ran.out + ran.err


def test_a_caller_of_what_failed_is_one_line(library: Path, opwright: Opwright) -> None:
    add_caller()
    edit(FUNCTION, "Sigmoid", "Sigmod")
    ran = opwright("build", "--json")
    codes = [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]
    assert sorted(codes) == ["OW201", "OW908"]


def test_functions_that_call_one_another_in_a_circle_are_told_once(library: Path, opwright: Opwright) -> None:
    add_caller()
    FUNCTION.write_text(
        "from base import opset1 as acme\n\n\ndef Swish(X, alpha: float = 1.0):\n    return acme.Twice(X)\n"
    )
    ran = opwright("build", "--json")
    findings = [line["finding"] for line in ran.lines if line["event"] == "finding"]
    assert [(item["code"], item["reason"]) for item in findings] == [
        ("OW323", "com.acme::Swish@1 calls com.acme::Twice@1 calls com.acme::Swish@1")
    ]


def test_outputs_that_were_lost_or_changed_come_back_without_work(library: Path, opwright: Opwright) -> None:
    opwright("build")
    before = contents()
    shutil.rmtree("dist")
    next(Path("library").rglob("__init__.py")).write_text("# Generated by `opwright build`; edits are lost.\n")
    ran = opwright("build", "--json")
    assert ran.summary["actions_run"] == 0
    assert contents() == before


def test_a_damaged_cache_costs_time_and_nothing_else(library: Path, opwright: Opwright) -> None:
    opwright("build")
    before = contents()
    for path in Path(".opwright/cache").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-1])
    shutil.rmtree("dist")
    ran = opwright("build", "--json")
    assert ran.status == 0
    assert [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"] == ["OW901"]
    assert contents() == before


@pytest.mark.parametrize(("blocked", "code"), [(".opwright", "OW905"), ("dist", "OW905"), ("cache", "OW902")])
def test_what_the_machine_refuses_is_3(blocked: str, code: str, library: Path, opwright: Opwright) -> None:
    Path(blocked).write_text("a file, no folder")
    ran = opwright("build", "--cache", "cache", "--json")
    assert ran.status == 3
    (finding,) = (line["finding"] for line in ran.lines if line["event"] == "finding")
    assert finding["code"] == code
    assert f"{blocked} is a file, not a folder" in finding["message"]
    assert ran.summary["exit"] == 3


@pytest.mark.skipif(os.name != "posix", reason="there are no such pipes")
@pytest.mark.parametrize("blocked", [".opwright", "dist", "library"])
def test_a_pipe_in_the_place_of_a_folder_is_told(blocked: str, library: Path, opwright: Opwright) -> None:
    os.mkfifo(blocked)
    ran = opwright("build")
    assert ran.status == 3
    assert f"{blocked} is a pipe, not a folder" in ran.out


def test_stale_outputs_go_and_other_files_stay(library: Path, opwright: Opwright) -> None:
    opwright("build")
    Path("dist/notes.txt").write_text("mine")
    edit(Path("specs/library.yaml"), "version: 1.0.0", "version: 1.1.0")
    ran = opwright("build", "--json")
    removed = {output["path"] for output in ran.summary["outputs"] if output["status"] == "removed"}
    assert removed == {"dist/base-1.0.0.onnxlib", "dist/base-1.0.0-py3-none-any.whl"}
    assert sorted(path.name for path in Path("dist").iterdir()) == [
        "base-1.1.0-py3-none-any.whl",
        "base-1.1.0.onnxlib",
        "notes.txt",
    ]


def test_without_its_records_a_build_does_not_mistake_its_own_files_for_others(
    library: Path, opwright: Opwright
) -> None:
    opwright("build")
    shutil.rmtree(".opwright")
    edit(SPEC, "summary: X", "summary: Here X")
    ran = opwright("build", "--json")
    assert ran.status == 0
    assert "written" in {output["status"] for output in ran.summary["outputs"]}


def test_a_cache_elsewhere_serves_another_clone(
    library: Path, opwright: Opwright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    other = Path(shutil.copytree(library, tmp_path / "other"))
    opwright("build", "--cache", str(cache))
    assert not Path(".opwright/cache").exists()
    before = contents()
    monkeypatch.chdir(other)
    assert opwright("build", "--cache", str(cache), "--json").summary["actions_run"] == 0
    assert contents() == before


def test_rehash_trusts_no_dates(library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time_ns
    monkeypatch.setattr("opwright_build.engine.hints.time.time_ns", lambda: real() + 3_600_000_000_000)
    opwright("build")
    stamp = FUNCTION.stat()
    assert opwright("build", "--json").summary["actions_run"] == 0
    hints = StateFile(Path(".opwright/hints.json"), SEAL.bound_to(machine_identity()))
    known = hints.load()
    known["files"][str(library / FUNCTION)][-1] = "0" * 64
    hints.save(known)
    assert stamp.st_mtime_ns == FUNCTION.stat().st_mtime_ns
    assert opwright("build", "--json").summary["actions_run"] > 0, "a hint that holds is trusted"
    assert opwright("build", "--rehash", "--json").summary["actions_run"] == 0


def test_rerun_runs_everything_and_finds_the_same(library: Path, opwright: Opwright) -> None:
    opwright("build")
    ran = opwright("build", "--rerun", "--json")
    assert (ran.status, ran.summary["actions_run"], ran.summary["warnings"]) == (0, 3, 0)


@pytest.mark.long
def test_two_builds_at_once_end_well(library: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "opwright_build", "build", "--json"]
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ended = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], ended
    run = sorted(json.loads(out.splitlines()[-1])["actions_run"] for out, _ in ended)
    assert run == [0, 3]


def test_a_null_build_reads_no_source_and_no_output(library: Path, opwright: Opwright) -> None:
    """Nothing has changed by size and date; of the cache it reads the record of the library alone."""
    later = time.time_ns() + 3_600_000_000_000
    code = (
        "import os, sys, time\n"
        f"time.time_ns = lambda: {later}  # files made just now are read again\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(args) if event == 'open' else None)\n"
        "from opwright_build.cli.entry import main\n"
        "main(['build', '--json'])\n"
        "read = [args[0] for args in opened if isinstance(args[0], str) and not args[2] & (os.O_WRONLY | os.O_RDWR)]\n"
        "inside = [os.path.relpath(name) for name in read if os.path.abspath(name).startswith(os.getcwd() + os.sep)]\n"
        "print(*inside, sep='\\n', file=sys.stderr)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for run in range(3):  # the second learns the digests of what workers have read
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=True)
        assert json.loads(done.stdout.splitlines()[-1])["actions_run"] == (0 if run else 3)
    read = [Path(name) for name in done.stderr.splitlines()]
    assert [path for path in read if path.parts[0] != ".opwright"] == []
    assert sum(path.is_relative_to(".opwright/cache") for path in read) == 1


def test_lint_finds_what_build_finds_and_writes_nothing(library: Path, opwright: Opwright) -> None:
    validator = jsonschema.Draft202012Validator(output_schemas()["lint"])
    good = opwright("lint", "--json")
    assert good.status == 0
    assert contents() == {}
    edit(FUNCTION, "Sigmoid", "Sigmod")
    bad = opwright("lint", "--json")
    assert bad.status == 1
    assert [line["finding"]["code"] for line in bad.lines if line["event"] == "finding"] == ["OW201"]
    for line in (*good.lines, *bad.lines):
        validator.validate(line)


def test_stubs_are_written_and_checked(library: Path, opwright: Opwright) -> None:
    validator = jsonschema.Draft202012Validator(output_schemas()["stubs"])
    missing = opwright("stubs", "--check", "--json")
    assert missing.status == 1
    assert {line["finding"]["code"] for line in missing.lines if line["event"] == "finding"} == {"OW906"}
    assert opwright("stubs").status == 0
    good = opwright("stubs", "--check", "--json")
    assert good.status == 0
    for line in (*missing.lines, *good.lines):
        validator.validate(line)
    assert not Path("dist").exists()
    stub = next(Path("library").rglob("*.pyi"))
    stub.write_text(stub.read_text() + "\nx: int\n")
    ran = opwright("stubs", "--check")
    assert ran.status == 1
    assert f"{stub.as_posix()}: error OW906" in ran.out
