"""What a checkout may hold beside a library's sources: links, pipes, devices, and files of ours that are forged."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from opwright_build.engine.action import Done, Record
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.machine import machine_identity
from opwright_build.engine.seal import Seal
from opwright_build.engine.state_file import StateFile

from tests.sealed import OTHERS, SEAL, change_records

Opwright = Callable[..., Any]

OURS = ("lock", "hints.json", "actions.json", "outputs.json")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Somebody's files, which must stay as they are."""
    made = tmp_path / "home"
    made.mkdir()
    (made / "mine").write_bytes(b"mine")
    (made / digest_bytes(b"name")).write_bytes(b"mine")
    return made


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def codes(text: str) -> list[str]:
    return [line["finding"]["code"] for line in map(json.loads, text.splitlines()) if line["event"] == "finding"]


@pytest.mark.parametrize("link", ["dist", "library", "library/base", ".opwright", ".opwright/cache"])
def test_an_output_folder_that_is_a_link(library: Path, home: Path, opwright: Opwright, link: str) -> None:
    Path(link).parent.mkdir(exist_ok=True)
    Path(link).symlink_to(home, target_is_directory=True)
    before = content(home)
    for command in (["build"], ["stubs"]) if link.startswith("library") else (["build"],):
        ran = opwright(*command, "--json")
        assert (ran.status, codes(ran.out)) == (1, ["OW520"]), ran.out
    assert content(home) == before


@pytest.mark.parametrize("name", [f".opwright/{name}" for name in OURS] + ["dist/base-1.0.0.onnxlib"])
@pytest.mark.parametrize("kind", ["link", "pipe", "device"])
def test_a_file_of_ours_that_is_none(library: Path, home: Path, opwright: Opwright, name: str, kind: str) -> None:
    path = Path(name)
    path.parent.mkdir()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if kind == "device" else home / "new")
    ran = opwright("build", "--json")
    assert (ran.status, codes(ran.out)) == (1, ["OW521"]), ran.out
    assert not (home / "new").exists()


@pytest.mark.parametrize("kind", ["link", "pipe", "device"])
@pytest.mark.parametrize("name", ["function.py", "helpers.py", "spec.yaml", "vectors.yaml", "reference.py"])
def test_a_source_that_is_none(library: Path, home: Path, opwright: Opwright, kind: str, name: str) -> None:
    folder = Path("specs/com.acme/Swish")
    if name == "helpers.py":
        text = (folder / "function.py").read_text().replace("return X * ", "return half(X) * ")
        (folder / "function.py").write_text(f"from .helpers import half\n{text}")
    (folder / name).unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to("/dev/zero" if kind == "device" else home / "mine")
    ran = opwright("test" if name in ("vectors.yaml", "reference.py") else "build", "--json")
    assert ran.status == 1
    assert set(codes(ran.out)) & {"OW115", "OW127"}, ran.out
    assert "mine" not in ran.out


@pytest.mark.parametrize("name", ["runtime-gaps.yaml", "numerics.yaml", "vectors.lock"])
def test_a_file_of_facts_that_is_a_link_or_a_pipe(library: Path, home: Path, opwright: Opwright, name: str) -> None:
    path = Path("specs") / name
    for kind in ("link", "pipe"):
        path.unlink(missing_ok=True)
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(home / "mine")
        ran = opwright("docs" if name == "numerics.yaml" else "test")
        assert ran.status == 1
        assert {"OW521", "OW127", "OW115"} & {word.rstrip(":") for word in ran.out.split()}, ran.out
    assert (home / "mine").read_bytes() == b"mine"


def test_what_commands_write_beside_a_build_goes_through_no_link(library: Path, home: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    before = content(home)
    for link, command in (
        ("dist/base-1.0.0-opset18.onnx", ["export", "--opset", "18"]),
        ("specs/org.acme", ["new", "function", "org.acme/Another"]),
        ("docs", ["docs"]),
    ):
        Path(link).symlink_to(home)
        ran = opwright(*command)
        assert ran.status == 1
        assert "OW52" in ran.out, ran.out
        Path(link).unlink()
    assert content(home) == before


def forge(change: Callable[[dict[str, str]], dict[str, str]], seal: Seal = SEAL) -> None:
    """Changes the results in the records of the cache, as those can who know the keys and the secret."""

    def changed(record: Record) -> Record:
        if not isinstance(record.outcome, Done):
            return record
        return Record(replace(record.outcome, outputs=change(dict(record.outcome.outputs))), record.reads)

    change_records(Path(".opwright/cache"), changed, seal)


@pytest.mark.parametrize("path", ["../home/new", "dist/../../home/new", "{home}/new", "specs/new.py"])
def test_a_forged_result_writes_nothing_elsewhere(library: Path, home: Path, opwright: Opwright, path: str) -> None:
    assert opwright("build").status == 0
    before, sources = content(home), content(library / "specs")
    name = path.format(home=home)
    forge(lambda outputs: {**outputs, name: outputs["facts.json"]} if "facts.json" in outputs else outputs)
    ran = opwright("build", "--json")
    assert (ran.status, codes(ran.out)) == (1, ["OW522"]), ran.out
    assert (content(home), content(library / "specs")) == (before, sources)


def test_a_forged_digest_leads_to_no_file(library: Path, home: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    before = content(home)
    forge(lambda outputs: dict.fromkeys(outputs, "../../../../home/mine"))
    Path("dist/base-1.0.0.onnxlib").unlink()
    assert opwright("build").status == 0
    assert content(home) == before
    assert Path("dist/base-1.0.0.onnxlib").exists()


def test_a_forged_list_of_outputs(library: Path, home: Path, opwright: Opwright) -> None:
    victims = [home / "mine", Path("specs/library.yaml").absolute(), Path("library/theirs/code.py").absolute()]
    victims[2].parent.mkdir(parents=True)
    victims[2].write_bytes(b"x = 1\n")
    files = {str(path): digest_bytes(path.read_bytes()) for path in victims}
    files |= {os.path.relpath(path): digest for path, digest in files.items()}
    files |= {f"dist/../{path}": digest for path, digest in files.items()}
    for seal in (SEAL, SEAL.bound_to(machine_identity())):
        StateFile(Path(".opwright/outputs.json"), seal).save({"files": files})
    assert opwright("build").status == 0
    assert [path.exists() for path in victims] == [True, True, True]


@pytest.mark.parametrize("name", OURS[1:])
@pytest.mark.parametrize("text", ["[]", "{}", '{"format": 1}', "[" * 99_999, "\\xff"])
def test_a_file_of_ours_of_another_form_is_passed_over(library: Path, opwright: Opwright, name: str, text: str) -> None:
    Path(".opwright").mkdir()
    Path(".opwright", name).write_text(text)
    assert opwright("build").status == 0


def test_a_forged_log_is_not_told(library: Path, opwright: Opwright) -> None:
    good = {"kind": "", "key": "", "trace": "", "outcome": "\x1b[2J", "why": [], "inputs": {}, "params": {}}
    good |= {"environment": ""}
    body = b'{"format":3}\n"a"\t3\n"b"\t{}\n"c"\t' + json.dumps(good).encode() + b'\t[["file:../x",null]]'
    log = Path(".opwright/actions.json")
    for seal in (OTHERS, SEAL.bound_to("another machine")):
        StateFile(log, seal).save_body(body)
        assert opwright("explain", "c").status == 2
    StateFile(log, SEAL.bound_to(machine_identity())).save_body(body)
    assert opwright("explain", "c").status == 0  # what the seal kept out
    StateFile(log, OTHERS).save_body(body)
    assert opwright("build").status == 0


def test_a_crash_is_not_reported_through_a_link(
    library: Path, home: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(home)
    Path(".opwright").symlink_to(home, target_is_directory=True)

    def broken(*arguments: Any) -> int:
        raise RuntimeError("a bug")

    monkeypatch.setattr("opwright_build.cli.entry._dispatch", broken)
    assert opwright("build").status == 4
    assert content(home) == before


def test_a_planted_proposal_leads_nowhere(library: Path, home: Path, opwright: Opwright) -> None:
    out = Path("proposal")
    out.mkdir()
    before = content(home)
    for path, status, code in (("linked/mine", 1, "OW520"), ("../../home/mine", 0, ""), (str(home / "mine"), 0, "")):
        (out / "proposal.json").write_text(json.dumps({"schema": "opwright.proposal/1", "files": {path: ""}}))
        if status:
            (out / "linked").symlink_to(home)
        ran = opwright("propose", "Swish", "-o", "proposal")
        assert (ran.status, code in ran.out) == (status, True), ran.out
        assert content(home) == before
