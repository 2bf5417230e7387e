"""Selecting functions, in one language for all commands."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Opwright = Callable[..., Any]
SPECS = Path("specs/com.acme")
CALLER = "from base import opset1 as acme\n\n\ndef {name}(X):\n    return acme.{callee}(X)\n"


def add(name: str, callee: str, tags: str = "[]") -> None:
    """A function that calls another."""
    folder = SPECS / name
    folder.mkdir()
    (folder / "spec.yaml").write_text(
        f"schema: 1\ndomain: com.acme\nname: {name}\nsummary: {callee}.\nsince_version: 1\ntags: {tags}\n"
        'opset: ">=18"\n'
        "inputs: {X: T}\noutputs: {Y: T}\ntypes: {T: [float]}\nvectors: [vectors.yaml]\n"
    )
    (folder / "function.py").write_text(CALLER.format(name=name, callee=callee))
    (folder / "vectors.yaml").write_text("schema: 1\nrows:\n  - {name: zero, inputs: {X: 0.0}, outputs: {Y: 0.0}}\n")


@pytest.fixture
def three(library: Path) -> Path:
    """Top calls Middle, which calls Swish; Apart calls Swish."""
    add("Middle", "Swish", "[fast]")
    add("Top", "Middle", "[fast, slow]")
    add("Apart", "Swish")
    return library


def listed(opwright: Opwright, *words: str) -> list[str]:
    ran = opwright("ls", "--json", *words)
    assert ran.status == 0, ran.err
    return [line["name"] for line in ran.lines]


@pytest.mark.parametrize(
    ("selectors", "expected"),
    [
        (["Swish"], ["Swish"]),
        (["*"], ["Apart", "Middle", "Swish", "Top"]),
        (["com.acme/[ST]*"], ["Swish", "Top"]),
        (["*le@1"], ["Middle"]),
        (["domain:com.*"], ["Apart", "Middle", "Swish", "Top"]),
        (["tag:fast"], ["Middle", "Top"]),
        (["tag:fast,tag:slow"], ["Top"]),
        (["type:double"], ["Swish"]),
        (["package:base,Top"], ["Top"]),
        (["opset:22-30,Top"], ["Top"]),
        (["+Middle"], ["Middle", "Swish"]),
        (["Middle+"], ["Middle", "Top"]),
        (["+Middle+"], ["Middle", "Swish", "Top"]),
        (["+Top,Swish+"], ["Middle", "Swish", "Top"]),
        (["Top", "Apart"], ["Apart", "Top"]),
        (["specs/com.acme/Top/"], ["Top"]),
    ],
)
def test_what_is_selected(three: Path, opwright: Opwright, selectors: list[str], expected: list[str]) -> None:
    assert listed(opwright, *(word for text in selectors for word in ("-s", text))) == expected


@pytest.mark.parametrize(
    ("selector", "code", "told"),
    [
        ("Swihs", "OW907", "did you mean Swish"),
        ("Sw*x", "OW907", "no function Sw*x"),
        ("tag:fats", "OW907", "did you mean `fast`"),
        ("type:flaot", "OW907", "did you mean `float`"),
        ("opset:40", "OW907", "the library is for opsets 18 to 22"),
        ("tga:fast", "OW532", "did you mean `tag`"),
        ("state:modifed", "OW532", "did you mean `modified`"),
        ("opset:new", "OW532", "write 18"),
        ("Swish,", "OW532", "a part of it is empty"),
        ("since:", "OW532", "nothing stands after"),
    ],
)
def test_what_means_nothing_is_a_finding(three: Path, opwright: Opwright, selector: str, code: str, told: str) -> None:
    for command in ("ls", "test", "build"):
        ran = opwright(command, "-s", selector)
        assert ran.status == 2
        assert code in ran.out + ran.err
        assert told in ran.out + ran.err


def test_state_modified_is_what_has_changed_since_the_last_build(three: Path, opwright: Opwright) -> None:
    modified = ("-s", "state:modified")
    assert len(listed(opwright, *modified)) == 4, "nothing is built yet"
    assert opwright("build").status == 0
    assert listed(opwright, *modified) == []
    assert opwright("test", *modified).out.startswith("nothing is selected")
    path = SPECS / "Middle" / "function.py"
    text = path.read_text()
    path.write_text(text + "# more\n")
    assert opwright("lint").status == 0
    assert listed(opwright, *modified) == ["Middle"], "a lint is no build"
    assert listed(opwright, "-s", "state:modified+") == ["Middle", "Top"]
    assert opwright("build").status == 0
    path.write_text(text)
    assert opwright("build").status == 0
    assert listed(opwright, *modified) == [], "what an earlier build knew is built as well"
    add("New", "Swish")
    assert listed(opwright, *modified) == ["New"]
    shutil.rmtree(SPECS / "New")
    assert opwright("test").status == 0
    (SPECS / "Apart" / "vectors.yaml").write_text("schema: 1\nrows: []\n")
    assert listed(opwright, *modified) == ["Apart"]


def git(*words: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *words], check=True, capture_output=True)


def test_changed_since_a_revision(three: Path, opwright: Opwright) -> None:
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "begin")
    assert listed(opwright, "--changed-since", "HEAD") == []
    for path in (SPECS / "Apart").iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert listed(opwright, "--changed-since", "HEAD") == [], "line ends of another system are no change"
    (SPECS / "Middle" / "vectors.yaml").write_text("schema: 1\nrows: []\n")
    add("New", "Swish")
    assert listed(opwright, "--changed-since", "HEAD") == ["Middle", "New"]
    assert listed(opwright, "--changed-since", "HEAD", "-s", "M*") == ["Middle"], "options narrow one another"
    assert listed(opwright, "-s", "since:HEAD+") == ["Middle", "New", "Top"]
    ran = opwright("ls", "--changed-since=--output=x")
    assert (ran.status, "OW533" in ran.err, Path("x").exists()) == (2, True, False)


def test_a_domain_that_is_a_submodule_is_not_followed(three: Path, opwright: Opwright, tmp_path: Path) -> None:
    other = tmp_path / "other"
    SPECS.rename(other)
    git("-C", str(other), "init", "-q")
    git("-C", str(other), "add", ".")
    git("-C", str(other), "commit", "-qm", "begin")
    git("init", "-q")
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), SPECS.as_posix())
    git("add", ".")
    git("commit", "-qm", "begin")
    for command, code in ((("ls", "--changed-since", "HEAD"), "OW533"), (("diff", "--against", "git:HEAD"), "OW619")):
        ran = opwright(*command)
        told = ran.out + ran.err
        assert (ran.status != 0, code in told) == (True, True), told
        assert f"'{SPECS.as_posix()}' is a submodule there, and submodules are not followed" in told


def test_a_shallow_clone_is_named_where_a_revision_is_missing(
    three: Path, opwright: Opwright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "begin")
    git("tag", "v1")
    git("commit", "-qm", "more", "--allow-empty")
    assert "unshallow" not in opwright("ls", "--changed-since", "v2").err
    git("clone", "-q", "--depth", "1", three.as_uri(), str(tmp_path / "shallow"))
    monkeypatch.chdir(tmp_path / "shallow")
    assert opwright("ls", "--changed-since", "HEAD").status == 0
    for revision in ("HEAD~1", "v1"):
        ran = opwright("ls", "--changed-since", revision)
        assert (ran.status, "git fetch --unshallow" in ran.err) == (2, True)
        assert "git fetch --unshallow" in opwright("diff", "--against", f"git:{revision}").out


def test_git_runs_nothing_that_the_folder_names(three: Path, opwright: Opwright, tmp_path: Path) -> None:
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "begin")
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    spy.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "filter.x.clean", "filter.x.smudge", "core.pager"):
        git("config", name, str(spy))
    Path(".gitattributes").write_text("* filter=x diff=x\n")
    (SPECS / "Middle" / "function.py").write_text(CALLER.format(name="Middle", callee="Apart"))
    Path(tmp_path / "ran").unlink(missing_ok=True)
    assert listed(opwright, "--changed-since", "HEAD") == ["Middle"]
    assert not (tmp_path / "ran").exists()


def test_other_functions_mistakes_do_not_stop_a_selection(three: Path, opwright: Opwright) -> None:
    (SPECS / "Top" / "function.py").write_text("def Top(X):\n    return X.nothing\n")
    (SPECS / "Apart" / "spec.yaml").write_text("schema: 1\n")
    assert opwright("build").status == 1
    for command in ("build", "lint", "test", "vectors"):
        ran = opwright(command, "-s", "Middle")
        assert ran.status == 0, (command, ran.out)
    assert not Path("dist").exists()
    assert opwright("test", "-s", "Apart").status == 1, "its own mistakes are told"
    assert opwright("test", "-s", "Top").status == 1
    assert listed_versions(opwright, "test", "-s", "Middle", "-s", "Swish") == {"Middle", "Swish"}


def listed_versions(opwright: Opwright, *words: str) -> set[str]:
    lines = opwright(*words, "--json").lines
    return {line["function"].partition("::")[2].partition("@")[0] for line in lines if line["event"] == "outcome"}


def test_export_stubs_show_and_opsets_take_a_selection(three: Path, opwright: Opwright) -> None:
    assert opwright("export", "--opset", "18", "--opset", "20", "-s", "Apart").status == 0
    assert sorted(path.name for path in Path("dist").iterdir()) == [
        "base-1.0.0-opset18.onnx",
        "base-1.0.0-opset20.onnx",
    ]
    assert [line["name"] for line in opwright("show", "+Top", "--json").lines] == ["Middle", "Swish", "Top"]
    assert {line["name"] for line in opwright("opsets", "-s", "M*", "--json").lines} == {"Middle"}
    assert opwright("stubs", "-s", "Top").status == 0
    assert opwright("stubs", "--check").status == 0, "a package is written whole"


def test_the_last_failed(three: Path, opwright: Opwright) -> None:
    assert opwright("test").status == 0
    assert opwright("test", "--lf").out.startswith("nothing is selected")
    path = SPECS / "Middle" / "vectors.yaml"
    good = path.read_text()
    path.write_text(good.replace("{Y: 0.0}", "{Y: 1.0}"))
    assert opwright("test").status == 1
    assert listed_versions(opwright, "test", "--lf") == {"Middle"}
    assert opwright("test", "-s", "Swish").status == 0, "what is known of others stays"
    path.write_text(good)
    assert opwright("test", "--lf").status == 0
    assert opwright("test", "--lf").out.startswith("nothing is selected")


def test_the_first_failure_ends_a_run(three: Path, opwright: Opwright) -> None:
    for name in ("Middle", "Top"):
        path = SPECS / name / "vectors.yaml"
        path.write_text(path.read_text().replace("{Y: 0.0}", "{Y: 1.0}"))
    assert opwright("test", "--json").summary["errors"] > 1
    assert opwright("test", "-x", "--json").summary["errors"] == 1


def test_cells_are_narrowed_by_type_opset_and_runtime(three: Path, opwright: Opwright) -> None:
    def cells(*words: str) -> list[dict[str, Any]]:
        ran = opwright("test", "--json", "-s", "Swish", *words)
        assert ran.status == 0
        return [line for line in ran.lines if line["event"] == "outcome"]

    whole = cells()
    assert {cell["types"]["T"] for cell in cells("--type", "double", "--rerun")} == {"double"}
    assert {cell["opset"] for cell in cells("--opset", "19-20")} == {cell["opset"] for cell in whole} & {19, 20}
    assert {cell["runtime"] for cell in cells("--runtime", "onnx*/full")} == {"onnxruntime/full"}
    assert cells() == whole, "what was left out is no verdict"
    assert opwright("test", "--runtime", "onxruntime/full").status == 2
    assert opwright("test", "--type", "flaot").status == 2
    assert opwright("test", "--opset", "x").status == 2


def test_graph_and_why(three: Path, opwright: Opwright) -> None:
    lines = [json.loads(line) for line in opwright("graph", "--format", "json").out.splitlines()]
    calls = {line["function"]: line["calls"] for line in lines}
    assert calls["com.acme::Top@1"] == ["com.acme::Middle@1"]
    assert calls["com.acme::Swish@1"] == []
    text = opwright("graph", "-s", "+Top").out
    assert text.startswith("flowchart LR\n")
    assert text.count(" --> ") == 2
    assert "Apart" not in text
    assert opwright("graph", "--format", "dot").out.count(" -> ") == 3
    assert opwright("graph", "--format", "svg", "-o", "calls.svg").status == 0
    assert Path("calls.svg").read_text().count("<rect ") == 4
    assert opwright("graph", "--format", "png").status == 2
    ran = opwright("why", "Top", "Swish")
    assert (ran.status, ran.out) == (0, "com.acme::Top@1\n  com.acme::Middle@1\n    com.acme::Swish@1\n")
    assert opwright("why", "Swish", "Top").status == 1


def test_quiet_and_verbose(three: Path, opwright: Opwright) -> None:
    assert len(opwright("build", "-q").out.splitlines()) == 1
    path = SPECS / "Middle" / "function.py"
    path.write_text(path.read_text() + "\n\nMORE = 1\n")
    ran = opwright("build", "-v")
    assert "compile com.acme::Middle@1: file:specs/com.acme/Middle/function.py changed" in ran.err
    assert "compile" not in opwright("build").err
