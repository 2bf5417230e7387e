"""Our code passes the checkers that CONTRIBUTING.md names, but for pyright, imports nothing that the package does not
declare, and has no circle of imports."""

import os
import subprocess
import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

from tests.mypy_runs import Mypy

ROOT = Path(__file__).resolve().parents[2]
CHECKS = {
    "ruff check": [sys.executable, "-m", "ruff", "check"],
    "ruff format": [sys.executable, "-m", "ruff", "format", "--check"],
    "lint-imports": [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"],
}
IMPORTED_AS = {"pyyaml": "yaml", "markdown-it-py": "markdown_it"}
BROUGHT_BY_ONNX = {"google", "ml_dtypes"}
BROUGHT_BY_JINJA = {"markupsafe"}
BROUGHT_BY_PYDANTIC = {"pydantic_core", "typing_extensions"}
ALWAYS = {"opwright", "opwright_build"}


OURS = {"PYTHONPATH": f"{ROOT / 'library'}{os.pathsep}{ROOT / 'buildtool'}"}


@pytest.mark.parametrize("check", CHECKS)
def test_checker(check: str) -> None:
    environment = {**os.environ, **OURS}
    done = subprocess.run(CHECKS[check], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{check}\n{done.stdout}\n{done.stderr}"


@pytest.mark.long
def test_mypy(mypy_runs: Mypy) -> None:
    done = mypy_runs.run(["--strict"], ROOT, OURS)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("opwright", "opwright_build", include_external_packages=True, cache_dir=None)


def declared(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [
        *project["dependencies"],
        *(entry for extra in extras for entry in project["optional-dependencies"][extra]),
    ]
    names = (entry.partition(">")[0] for entry in listed)
    return {IMPORTED_AS.get(name, name) for name in names} | BROUGHT_BY_ONNX | ALWAYS


def imported(graph: grimp.ImportGraph, package: str) -> set[str]:
    modules = {package, *graph.find_descendants(package)}
    outside = {name.partition(".")[0] for module in modules for name in graph.find_modules_directly_imported_by(module)}
    return outside - set(sys.stdlib_module_names)


def test_the_library_imports_what_a_plain_install_brings(graph: grimp.ImportGraph) -> None:
    optional = {"mpmath", "onnxruntime"}  # imported where they are needed, with a diagnostic when they are missing
    checkers = {
        "_typeshed",
        "mypy",
        "typing_extensions",
    }  # a plugin that mypy alone imports; and what only type checkers read
    on_request = {"onnx_ir", "onnxscript", "skl2onnx", "spox", "torch"}  # each by the module for its users alone
    assert imported(graph, "opwright") - optional - checkers - on_request <= declared()


def test_the_build_tool_imports_what_its_extras_bring(graph: grimp.ImportGraph) -> None:
    brought = BROUGHT_BY_JINJA | BROUGHT_BY_PYDANTIC
    assert imported(graph, "opwright_build") <= declared("build", "run", "shared-cache", "site") | brought


def test_nothing_that_is_declared_is_unused(graph: grimp.ImportGraph) -> None:
    used = imported(graph, "opwright") | imported(graph, "opwright_build")
    assert declared("build", "run", "shared-cache", "site") - used <= {"ml_dtypes", "furo"}  # furo is a theme, by name


def circle(imports: dict[str, set[str]]) -> list[str]:
    """Modules each of which needs the one before; none where they can be put in an order."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_module_needs_one_that_needs_it() -> None:
    """Imports inside of functions included; types that name each other may, for checkers (ADR 342)."""
    run_time = grimp.build_graph("opwright", "opwright_build", exclude_type_checking_imports=True, cache_dir=None)
    assert circle({name: run_time.find_modules_directly_imported_by(name) for name in run_time.modules}) == []


def test_a_circle_is_found() -> None:
    assert sorted(set(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}))) == ["b", "c"]
