"""`clean`, `completion`, `doctor`, `fmt` and `help`; what editors are told of YAML."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opwright_build.spec.json_schemas import json_schemas
from opwright_build.workflow.doctor import Found
from opwright_build.workflow.tidy import tidied

Opwright = Callable[..., Any]


def test_help_lists_every_command_and_shows_one(library: Path, opwright: Opwright) -> None:
    listed = opwright("help").out
    assert all(f"  {name} " in listed for name in ("attach", "build", "clean", "doctor", "fmt", "test"))
    assert "--dry-run" in opwright("help", "clean").out
    assert opwright("build", "-h").status == 0
    assert opwright("help", "nonsense").status == 2


def test_clean_removes_what_builds_left_and_nothing_else(library: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    mine = library / "dist" / "mine.txt"
    mine.write_text("mine")
    before = sorted(library.rglob("*"))
    assert opwright("clean", "--all", "--dry-run").status == 0
    assert {path for path in before if path.is_file()} <= set(library.rglob("*"))
    assert opwright("clean").status == 0
    assert [path.name for path in (library / ".opwright").iterdir()] == ["lock"]
    assert list((library / "dist").glob("*.onnxlib"))
    left = "dist/ and library/ left: .opwright/, which notes what builds wrote there, was removed before"
    assert left in opwright("clean", "--all").out
    assert opwright("build").status == 0
    assert "left" not in opwright("clean", "--all").out
    assert [path.name for path in (library / "dist").iterdir()] == ["mine.txt"]


def test_clean_follows_no_link_out_of_the_library(library: Path, opwright: Opwright, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("kept")
    (library / ".opwright").mkdir()
    (library / ".opwright" / "link").symlink_to(elsewhere)
    assert opwright("clean").status == 0
    assert (elsewhere / "kept").read_text() == "kept"
    assert not (library / ".opwright" / "link").is_symlink()


def test_doctor_tells_what_is_there_and_what_is_missing(
    library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    from opwright_build.workflow import doctor

    lines = [json.loads(line) for line in opwright("doctor", "--json").out.splitlines()]
    found = {line["what"]: line["state"] for line in lines}
    assert found["onnx"] == found["library"] == found["reference"] == "good"
    known = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: "" if name == "pydantic" else known(name))
    ran = opwright("doctor")
    assert ran.status == 1
    assert "pip install 'opwright[build]'" in ran.out
    assert Found("pydantic", "missing", "not installed", "pip install 'opwright[build]'") in doctor.look(library)


BASH = """
source "$1"
COMP_WORDS=(opwright do); COMP_CWORD=1; _opwright; echo "${COMPREPLY[@]}"
COMP_WORDS=(opwright test -s S); COMP_CWORD=3; _opwright; echo "${COMPREPLY[@]}"
COMP_WORDS=(opwright lock --within ""); COMP_CWORD=3; _opwright; echo "${COMPREPLY[@]}"
COMP_WORDS=(opwright attach --prof); COMP_CWORD=2; _opwright; echo "${COMPREPLY[@]}"
"""


def test_bash_completes_commands_options_values_and_functions(library: Path, opwright: Opwright) -> None:
    script = library / "completion.bash"
    script.write_text(opwright("completion", "bash").out)
    ran = subprocess.run(
        ["bash", "-c", BASH, "-", str(script)], cwd=library, capture_output=True, text=True, check=True
    )
    assert (ran.stderr, ran.stdout.splitlines()) == ("", ["docs doctor", "Swish", "exact tolerance", "--profile"])
    assert opwright("completion", "zsh").out.startswith("#compdef opwright\n")
    assert "-l exitfirst" in opwright("completion", "fish").out


@pytest.mark.parametrize(
    "name", ["$(touch taken)", "a`touch taken`", "${x:=$(touch taken)}", "b;touch taken", "c\n$(touch taken)"]
)
def test_completion_runs_nothing_that_a_folder_is_named(name: str, library: Path, opwright: Opwright) -> None:
    """The words that bash chooses from are expanded, with the commands in them."""
    folder = library / "specs" / "com.acme" / name
    folder.mkdir()
    (folder / "spec.yaml").write_text("schema: 1\n")
    script = library / "completion.bash"
    script.write_text(opwright("completion", "bash").out)
    asked = 'source "$1"; COMP_WORDS=(opwright build -s ""); COMP_CWORD=3; _opwright; printf "%s\\n" "${COMPREPLY[@]}"'
    ran = subprocess.run(
        ["bash", "-c", asked, "-", str(script)], cwd=library, capture_output=True, text=True, check=True
    )
    assert not (library / "taken").exists()
    assert (ran.stderr, ran.stdout.splitlines()) == ("", ["Swish"])


def test_fmt_keeps_data_and_comments(library: Path, opwright: Opwright) -> None:
    spec = library / "specs" / "com.acme" / "Swish" / "spec.yaml"
    text = spec.read_text()
    messy = text.replace("inputs: {X: T}", "inputs:   { X : T }  # the input")
    messy = messy.replace("schema: 1\n", "", 1) + "# of the file's form\nschema: 1   \n\n\n"
    spec.write_bytes(messy.replace("\n", "\r\n").encode())
    assert opwright("fmt", "--check").status == 1
    assert spec.read_bytes() == messy.replace("\n", "\r\n").encode()
    spec.chmod(0o660)
    assert opwright("fmt").status == 0
    assert spec.stat().st_mode & 0o777 == 0o660
    expected = text.replace("inputs: {X: T}", "inputs: {X: T}  # the input")
    assert spec.read_bytes().decode() == expected.replace("schema: 1\n", "# of the file's form\nschema: 1\n", 1)
    assert opwright("fmt", "--check").status == 0


@pytest.mark.parametrize(
    "text",
    [
        "doc: |\n  two blanks at the end  \n  and more\n",
        'doc: "a ,b:  c"\n',
        "a: [1,\n  2]  # why\n",
        "- a\n",
        "a: [\n",
    ],
)
def test_fmt_changes_nothing_that_is_data(text: str) -> None:
    data, _ = tidied(text.encode(), "a.yaml")
    assert data == text.encode()


def test_every_key_has_a_description() -> None:
    for name, data in json_schemas().items():
        missing = list(_without_description(json.loads(data)))
        assert missing == [], name


def _without_description(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, form in node.get("properties", {}).items():
            if isinstance(form, dict) and not form.get("description"):
                yield key
        for item in node.values():
            yield from _without_description(item)
    elif isinstance(node, list):
        for item in node:
            yield from _without_description(item)


def test_what_new_writes_names_schemas_that_are_there(library: Path, opwright: Opwright) -> None:
    assert opwright("new", "function", "com.acme/Scale").status == 0
    for file in (library / "specs" / "com.acme" / "Scale").glob("*.yaml"):
        first = file.read_text().splitlines()[0]
        assert first.startswith("# yaml-language-server: $schema=")
        schema = json.loads((file.parent / first.partition("=")[2]).read_text())
        assert "properties" in schema
