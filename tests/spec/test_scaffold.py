from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from onnx.defs import onnx_opset_version
from opwright.diagnostics.diagnostic import DiagnosticError, Severity
from opwright_build.spec.load import load_library
from opwright_build.spec.scaffold import (
    Settings,
    library_names,
    new_function,
    new_library,
    new_version,
    with_version,
)
from opwright_build.spec.vectors_file import read_vectors_file

if TYPE_CHECKING:
    from .conftest import TinyLibrary

FUNCTION = ["spec.yaml", "function.py", "vectors.yaml", "reference.py"]


def refused(name: str, folder: Path) -> str:
    with pytest.raises(DiagnosticError) as caught:
        new_function(name, folder)
    (item,) = caught.value.diagnostics
    return item.code


def contents(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["Swish", "Gelu2"])
def test_a_new_library_loads(tmp_path: Path, name: str) -> None:
    root = tmp_path / "empty"
    done = new_function(f"com.acme/{name}", root)
    assert done.root == root
    assert done.kept == ()
    assert done.hints == ()
    assert list(done.created) == [
        "noxfile.py",
        "pyproject.toml",
        "hatch_build.py",
        "README.md",
        ".gitignore",
        ".gitattributes",
        ".editorconfig",
        ".pre-commit-config.yaml",
        ".github/workflows/test.yml",
        "specs/library.yaml",
        "specs/com.acme/domain.yaml",
        *(f"specs/com.acme/{name}/{file}" for file in FUNCTION),
    ]
    assert set(done.created) == set(contents(root))
    loaded = load_library(root)
    assert loaded.diagnostics == ()
    assert (loaded.library.packages[0].name, loaded.library.packages[0].package) == ("acme-ops", "acme_ops")
    assert loaded.library.packages[0].opsets.last == onnx_opset_version()
    (version,) = loaded.versions
    assert version.identity == f"com.acme::{name}@1"
    rows = read_vectors_file((version.folder / "vectors.yaml").read_bytes(), "vectors.yaml")
    assert rows.diagnostics == ()
    assert {"edges", "scalar", "empty"} <= {row.name for row in rows.rows}


@pytest.mark.parametrize("name", ["Swish", "Gelu2"])
def test_the_python_files(tmp_path: Path, name: str) -> None:
    new_function(f"com.acme/{name}", tmp_path)
    folder = tmp_path / "specs/com.acme" / name
    for file in ("function.py", "reference.py"):
        tree = ast.parse((folder / file).read_text("utf-8"))
        (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert function.name == name
        assert [argument.arg for argument in function.args.args] == ["X", "alpha"]
    ast.parse((tmp_path / "noxfile.py").read_text("utf-8"))
    assert len((tmp_path / "noxfile.py").read_text("utf-8").split("\n")) <= 18


def test_the_project_file(tmp_path: Path) -> None:
    new_function("com.acme/Swish", tmp_path)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["name"] == "acme-ops"
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["library/acme_ops"]


@pytest.mark.parametrize("alpha", [1.0, 2.5, 0.0, -1.0])
def test_the_reference_of_swish(tmp_path: Path, alpha: float) -> None:
    new_function("com.acme/Swish", tmp_path)
    code = (
        "from reference import Swish; import numpy as np; np.seterr(all='ignore');"
        f"x = np.array([-3.0, 0.0, 0.5, 700.0]); a = {alpha};"
        "assert np.allclose(Swish(x, alpha=a), x * 0.5 * (1 + np.tanh(a * x / 2)), rtol=1e-12, atol=1e-12)"
    )
    folder = tmp_path / "specs/com.acme/Swish"
    subprocess.run([sys.executable, "-c", code], cwd=folder, timeout=60, check=True)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "noxfile.py").write_text("mine = 1")
    done = new_function("com.acme/Swish", tmp_path)
    assert done.kept == ("noxfile.py", "README.md")
    assert (tmp_path / "README.md").read_text() == "mine"
    assert (tmp_path / "noxfile.py").read_text() == "mine = 1"


def test_a_dangling_link_is_kept_too(tmp_path: Path) -> None:
    (tmp_path / "README.md").symlink_to(tmp_path / "nowhere")
    assert new_function("com.acme/Swish", tmp_path).kept == ("README.md",)
    assert not (tmp_path / "nowhere").exists()


def test_a_second_function(tmp_path: Path) -> None:
    new_function("com.acme/Swish", tmp_path)
    before = contents(tmp_path)
    done = new_function("com.acme/Other", tmp_path / "specs" / "com.acme")
    assert done.root == tmp_path
    assert list(done.created) == [f"specs/com.acme/Other/{file}" for file in FUNCTION]
    after = contents(tmp_path)
    assert {path: after[path] for path in before} == before
    assert [version.name for version in load_library(tmp_path).versions] == ["Other", "Swish"]


def test_a_second_domain(tmp_path: Path) -> None:
    new_function("com.acme/Swish", tmp_path)
    done = new_function("com.acme.more/Other", tmp_path)
    assert done.created[0] == "specs/com.acme.more/domain.yaml"
    assert load_library(tmp_path).diagnostics == ()


def test_a_domain_of_the_standard_gets_a_mirror(tmp_path: Path) -> None:
    new_function("ai.onnx/Swish", tmp_path)
    loaded = load_library(tmp_path)
    assert loaded.diagnostics == ()
    assert loaded.domains[0].mirror == "opwright.ai.onnx"
    assert loaded.versions[0].since_version == loaded.library.packages[0].opsets.last


def test_the_spec_stays_inside_the_library_s_range(tiny: TinyLibrary) -> None:
    new_function("com.acme/Other", tiny.root)
    other, _ = load_library(tiny.root).versions
    assert other.since_version == 3
    assert other.opsets.first == 15
    tiny.edit(tiny.library_file, ">=13,<=22", ">=18,<=22")
    new_function("com.acme/Late", tiny.root)
    assert load_library(tiny.root).versions[0].opsets.first == 18
    assert "opset18" in (tiny.root / "specs/com.acme/Late/function.py").read_text("utf-8")


def test_a_released_domain_asks_for_a_new_version(tiny: TinyLibrary) -> None:
    tiny.write("specs/com.acme/released/release.lock", "{}\n")
    before = (tiny.root / tiny.domain_file).read_bytes()
    (hint,) = new_function("com.acme/Other", tiny.root).hints
    assert (hint.code, hint.severity, str(hint.place)) == ("OW131", Severity.NOTE, "specs/com.acme/domain.yaml:2:1")
    assert (tiny.root / tiny.domain_file).read_bytes() == before
    assert tiny.findings() == ["specs/com.acme/Other/spec.yaml:6:16 OW119"]
    tiny.edit(tiny.domain_file, "version: 3", "version: 4")
    assert tiny.findings() == []


def test_a_version_that_is_raised_already_is_not_raised_again(tiny: TinyLibrary) -> None:
    tiny.write("specs/com.acme/released/release.lock", '{"domain":"com.acme","version":3}\n{}\n')
    (hint,) = new_function("com.acme/Other", tiny.root).hints
    assert hint.message == "raise `version` of com.acme to 4"
    tiny.edit(tiny.domain_file, "version: 3", "version: 4")
    assert new_function("com.acme/More", tiny.root).hints == ()
    assert tiny.findings() == []


@pytest.mark.parametrize("name", ["2d-ops", "class", "opwright", "json", "SiteCustomize", "Numpy"])
def test_a_library_is_not_named_as_what_python_imports(tmp_path: Path, name: str) -> None:
    with pytest.raises(DiagnosticError, match=r"OW129.*cannot name a library: its package would be"):
        new_library(name, tmp_path, Settings(domain="com.acme"), lambda module: module == "numpy")
    assert not list(tmp_path.iterdir())


def test_what_exists_is_a_mistake(tiny: TinyLibrary) -> None:
    before = contents(tiny.root)
    assert refused("com.acme/Swish", tiny.root) == "OW128"
    assert contents(tiny.root) == before


def test_a_broken_library_is_not_touched(tiny: TinyLibrary) -> None:
    tiny.edit(tiny.library_file, "schema: 1", "schema: 2")
    before = contents(tiny.root)
    assert refused("com.acme/Other", tiny.root) == "OW111"
    assert contents(tiny.root) == before


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Swish",
        "com.acme",
        "com.acme/",
        "/Swish",
        "acme/Swish",
        "com.acme/a-b",
        "com.acme/9a",
        "com.acme/class",
        "com.acme/a/b",
        "this/Swish",
        "com.acme.internal/Swish",
        "com..acme/Swish",
        "../x.y/Swish",
        "com.acme/../Swish",
        "com.acme/Swish\n",
        "com.acme/_Swish",
        "_com.acme/Swish",
        "com.acme/released",
        "com.acme/null",
        *(f"com.acme/{name}" for name in ("T", "op", "FLOAT", "TypeVar", "DOUBLE", "FLOAT16", "np", "NDArray")),
    ],
)
def test_names_that_are_refused(tmp_path: Path, name: str) -> None:
    assert refused(name, tmp_path) == "OW129"
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(("name", "place"), [("com.acme/swish", "swish"), ("Com.Acme/Gelu", "com.acme")])
def test_names_that_differ_in_case_alone_are_refused(tiny: TinyLibrary, name: str, place: str) -> None:
    before = contents(tiny.root)
    with pytest.raises(DiagnosticError, match=rf"OW968.*{place}.* differ in case alone"):
        new_function(name, tiny.root)
    assert contents(tiny.root) == before


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte_order_mark"])
def test_a_copy_has_no_name_that_its_source_binds(tmp_path: Path, mark: bytes) -> None:
    new_function("com.acme/Scale", tmp_path)
    source = tmp_path / "specs/com.acme/Scale/function.py"
    source.write_bytes(mark + source.read_bytes())
    before = contents(tmp_path)
    with pytest.raises(DiagnosticError, match=r"OW129.*`op` cannot name the function: its function.py"):
        new_function("com.more/op", tmp_path, like="Scale")
    assert contents(tmp_path) == before


def test_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "specs").write_text("a file")
    assert refused("com.acme/Swish", tmp_path) == "OW132"


@pytest.mark.parametrize("steps", range(7))
def test_an_interrupted_run_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    original = Path.rename
    done: list[str] = []

    def rename(self: Path, target: Path) -> Path:
        if len(done) == steps:
            raise OSError("killed")
        done.append(target.name)
        return original(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    assert refused("com.acme/Swish", tmp_path / "broken") == "OW132"
    monkeypatch.undo()
    assert len(contents(tmp_path / "broken")) == steps
    new_function("com.acme/Swish", tmp_path / "broken")
    new_function("com.acme/Swish", tmp_path / "whole")
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


def test_the_umask_is_honoured(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        new_function("com.acme/Swish", tmp_path)
    finally:
        os.umask(before)
    assert (tmp_path / "specs/com.acme/Swish").stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "specs/com.acme/Swish/spec.yaml").stat().st_mode & 0o777 == 0o640


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    new_function("com.acme/Swish", tmp_path / "one")
    new_function("com.acme/Swish", tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.parametrize(
    ("domain", "names"),
    [
        ("com.acme", ("acme-ops", "acme_ops")),
        ("org.acme.nn", ("acme-nn-ops", "acme_nn_ops")),
        ("Com.Acme-Labs", ("acme-labs-ops", "acme_labs_ops")),
        ("acme", ("acme-ops", "acme_ops")),
        ("ai.onnx", ("onnx-ops", "onnx_ops")),
    ],
)
def test_names_of_libraries(domain: str, names: tuple[str, str]) -> None:
    assert library_names(domain) == names


def test_a_library_of_its_own(tmp_path: Path) -> None:
    made = new_library("acme-ops", tmp_path, Settings(license="MIT", url="https://example.org/acme"))
    assert (made.root, made.domain) == (tmp_path / "acme-ops", "com.acme")
    loaded = load_library(made.root)
    assert loaded.diagnostics == ()
    assert loaded.versions == ()
    assert loaded.library.packages[0].license == "MIT"
    project = tomllib.loads((made.root / "pyproject.toml").read_text("utf-8"))["project"]
    assert (project["license"], project["urls"]) == ("MIT", {"Repository": "https://example.org/acme"})
    assert new_function("com.acme/Swish", made.root).kept == ()
    assert load_library(made.root).diagnostics == ()


@pytest.mark.parametrize(
    ("name", "settings", "code"),
    [
        ("-ops", Settings(), "OW129"),
        ("../ops", Settings(), "OW129"),
        ("acme-ops", Settings(domain="acme"), "OW129"),
        ("acme-ops", Settings(domain="com.acme.internal"), "OW129"),
        ("acme-ops", Settings(license="MIT\nevil: 1"), "OW129"),
        ("acme-ops", Settings(license="Apache 2"), "OW129"),
        ("acme-ops", Settings(url='https://x"'), "OW129"),
        ("full", Settings(), "OW128"),
    ],
)
def test_libraries_that_are_refused(tmp_path: Path, name: str, settings: Settings, code: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(DiagnosticError) as caught:
        new_library(name, tmp_path, settings)
    assert [item.code for item in caught.value.diagnostics] == [code]
    assert contents(tmp_path) == before


def test_versions_are_added_one_after_the_other(tmp_path: Path) -> None:
    new_function("com.acme/Scale", tmp_path)
    spec = tmp_path / "specs/com.acme/Scale/spec.yaml"
    comments = spec.read_text("utf-8").count("#")
    for since in (2, 3):
        made = new_version("com.acme/Scale", tmp_path)
        assert made.created[0] == f"specs/com.acme/Scale/version{since}.py"
    loaded = load_library(tmp_path)
    assert loaded.diagnostics == ()
    assert [(item.since_version, item.function_file) for item in loaded.versions] == [
        (1, "function.py"),
        (2, "version2.py"),
        (3, "version3.py"),
    ]
    assert loaded.domains[0].version == 3
    assert spec.read_text("utf-8").count("#") == comments
    with pytest.raises(DiagnosticError) as caught:
        new_version("com.acme/Scala", tmp_path)
    assert [item.code for item in caught.value.diagnostics] == ["OW907"]


def test_a_spec_that_is_written_otherwise_stays_as_it_is(tmp_path: Path) -> None:
    new_function("com.acme/Scale", tmp_path)
    spec = tmp_path / "specs/com.acme/Scale/spec.yaml"
    text = spec.read_text("utf-8")
    spec.write_text(text.replace("since_version: 1\n", "versions: [{since_version: 1}]\n"))
    before = contents(tmp_path)
    with pytest.raises(DiagnosticError) as caught:
        new_version("com.acme/Scale", tmp_path)
    assert [item.code for item in caught.value.diagnostics] == ["OW535"]
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "since_version: 1  # first\na: 1\n",
            "versions:  # first\n  - {since_version: 1}\n  - {since_version: 4, function: f.py:F}\na: 1\n",
        ),
        (
            "versions:\n  - {since_version: 1, types: {T: [float]}}  # x\nb: 1\n",
            "versions:\n  - {since_version: 1, types: {T: [float]}}  # x\n"
            "  - {since_version: 4, function: f.py:F, types: {T: [float]}}  # x\nb: 1\n",
        ),
        (
            "versions:\n- since_version: 1\n  opset: '>=18'",
            "versions:\n- since_version: 1\n  opset: '>=18'\n- since_version: 4\n  function: f.py:F\n  opset: '>=18'\n",
        ),
        (
            "versions:\n  - since_version: 1\n    function: a.py:F\n\n# end\nb: 1\n",
            "versions:\n  - since_version: 1\n    function: a.py:F\n"
            "  - since_version: 4\n    function: f.py:F\n\n# end\nb: 1\n",
        ),
    ],
)
def test_a_version_in_the_text(before: str, after: str) -> None:
    assert with_version(before, 4, "f.py:F") == after


def test_a_function_like_another(tmp_path: Path) -> None:
    new_function("com.acme/Scale", tmp_path)
    made = new_function("com.acme.more/Grow", tmp_path, like="Scale")
    assert [path.rpartition("/")[2] for path in made.created[1:]] == sorted(FUNCTION)
    loaded = load_library(tmp_path)
    assert loaded.diagnostics == ()
    assert "def Grow(" in (tmp_path / "specs/com.acme.more/Grow/function.py").read_text("utf-8")
    with pytest.raises(DiagnosticError) as caught:
        new_function("com.acme/Other", tmp_path, like="Nothing")
    assert [item.code for item in caught.value.diagnostics] == ["OW907"]


def test_the_build_hook_refuses_what_has_no_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_library("acme-ops", tmp_path, Settings())
    root = tmp_path / "acme-ops"
    interface = ModuleType("hatchling.builders.hooks.plugin.interface")
    vars(interface)["BuildHookInterface"] = object
    for name in ("hatchling", "hatchling.builders", "hatchling.builders.hooks", "hatchling.builders.hooks.plugin"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    hook = runpy.run_path(str(root / "hatch_build.py"))["bundle_of"]
    with pytest.raises(RuntimeError, match="run `opwright build` first"):
        hook(root, "acme-ops", "0.1.0")
    (root / "dist").mkdir()
    bundle = root / "dist" / "acme-ops-0.1.0.onnxlib"
    bundle.write_bytes(b"")
    package = root / "library" / "acme_ops"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "0.0.9"\n')
    with pytest.raises(RuntimeError, match="is not of version"):
        hook(root, "acme-ops", "0.1.0")
    (package / "__init__.py").write_text('__version__ = "0.1.0"\n')
    assert hook(root, "acme-ops", "0.1.0") == bundle
