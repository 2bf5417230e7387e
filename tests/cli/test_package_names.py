"""`package:` of library.yaml takes no name that means another module."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opwright_build.spec.package_name import why_taken

Opwright = Callable[..., Any]
YAML = Path("specs/library.yaml")


def found(ran: Any) -> list[tuple[str, str]]:
    events = [json.loads(line) for line in ran.out.splitlines()]
    findings = [event["finding"] for event in events if event["event"] == "finding"]
    return [(item["code"], item["place"]["file"] if item["place"] else "") for item in findings]


def rename(package: str) -> None:
    YAML.write_text(YAML.read_text().replace("package: base", f"package: {package}"))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like site-packages, on the import path."""
    folder = tmp_path / "site-packages"
    (folder / "acme-1.0.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(folder)
    return folder


def test_the_standard_modules_are_taken() -> None:
    assert [name for name in sorted(sys.stdlib_module_names) if why_taken(name) is None] == []


@pytest.mark.parametrize(
    "name",
    [
        *("opwright", "opwright_build", "class", "sitecustomize", "usercustomize", "imp", "cgi", "annotationlib"),
        *("__main__", "__pycache__", "__hello__", "test"),
    ],
)
def test_names_that_mean_something_to_python_or_to_us_are_taken(name: str) -> None:
    assert why_taken(name) is not None


@pytest.mark.parametrize("name", ["acme_ops", "opwright_std", "jsons", "numpy"])
def test_other_names_are_free_where_nothing_of_them_is_installed(name: str) -> None:
    assert why_taken(name) is None


@pytest.mark.parametrize(
    "package", ["json", "__main__", "sitecustomize", "distutils", "numpy", "onnx", "jinja2", "yaml", "google"]
)
def test_a_package_of_another_modules_name_is_refused_at_its_place(
    library: Path, opwright: Opwright, package: str
) -> None:
    rename(package)
    for command in ("lint", "build"):
        ran = opwright(command, "--json")
        assert (ran.status, found(ran)) == (1, [("OW109", "specs/library.yaml")]), ran.out
    line = YAML.read_text().splitlines().index(f"package: {package}") + 1
    assert f"specs/library.yaml:{line}:" in opwright("build").out
    assert not Path("library", package).exists()


@pytest.mark.parametrize("form", ["package", "module", "namespace"])
def test_a_module_that_is_installed_later_is_seen_by_the_next_build(
    library: Path, opwright: Opwright, installed: Path, form: str
) -> None:
    assert opwright("build", "--json").status == 0
    path = {"package": "base/__init__.py", "module": "base.py", "namespace": "base/part.py"}[form]
    (installed / path).parent.mkdir(exist_ok=True)
    (installed / path).write_text("x = 1\n")
    importlib.invalidate_caches()
    ran = opwright("build", "--json")
    assert (ran.status, found(ran)) == (1, [("OW109", "specs/library.yaml")])
    (installed / path).unlink()
    shutil.rmtree(installed / "base", ignore_errors=True)
    importlib.invalidate_caches()
    ran = opwright("build", "--json")
    assert (ran.status, ran.summary["actions_run"]) == (0, 0)


def test_the_librarys_own_package_may_be_installed(library: Path, opwright: Opwright, installed: Path) -> None:
    assert opwright("build").status == 0
    shutil.copytree("library/base", installed / "base")
    importlib.invalidate_caches()
    ran = opwright("build", "--json")
    assert (ran.status, ran.summary["actions_run"]) == (0, 0)


def test_an_editable_install_is_no_other_module(
    library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("library/base").mkdir(parents=True)
    Path("library/base/by_hand.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(library / "library")
    assert opwright("build").status == 0
    assert opwright("build", "--rehash").status == 0


def test_a_folder_on_the_import_path_is_no_installed_module(
    library: Path, opwright: Opwright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work" / "base").mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path / "work")
    assert opwright("build").status == 0
