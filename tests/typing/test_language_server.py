"""What an editor shows of an operator, asked of pyright's language server."""

from __future__ import annotations

import html
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import opwright
import pytest
from opwright_build.package.typed_package import render_stubs

from tests.package.sample import sample_library
from tests.typing.lsp import LanguageServer

LIBRARY = Path(opwright.__file__).parents[1]
SOURCE = """
from acme_ops import opset3 as acme
from opwright import FLOAT, opset13, opset18 as op, script


@script()
def f(x: FLOAT["N", 3]) -> FLOAT["N", 3]:
    y = op.Softmax(x, axis=1)
    op.
    opset13.
    z = acme.Scale(y, alpha=2)
    acme.
    return y.
"""
LINES = SOURCE.splitlines()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("edited")
    for path, data in render_stubs(sample_library().index).items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)
    (root / "edited.py").write_text(SOURCE)
    return root / "edited.py"


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[LanguageServer]:
    settings = {"python": {"pythonPath": sys.executable, "analysis": {"extraPaths": [str(LIBRARY)]}}}
    settings["python.analysis"] = settings["python"]["analysis"]
    with LanguageServer([sys.executable, "-m", "pyright.langserver", "--stdio"], project.parent, settings) as started:
        started.open(project)
        yield started


def place(text: str, shift: int = 0) -> tuple[int, int]:
    """The line and the character of the text in the source, both from 0."""
    line = next(index for index, content in enumerate(LINES) if text in content)
    return line, LINES[line].index(text) + shift


def hovered(server: LanguageServer, project: Path, text: str, shift: int = 0) -> str:
    return str(server.at("hover", project, *place(text, shift))["contents"]["value"])


def completions(server: LanguageServer, project: Path, text: str) -> dict[str, Any]:
    found = server.at("completion", project, *place(text, len(text)))
    return {item["label"]: item for item in (found["items"] if isinstance(found, dict) else found)}


def test_hover_shows_the_signature_and_what_the_operator_does(server: LanguageServer, project: Path) -> None:
    shown = hovered(server, project, "Softmax")
    assert "Softmax(" in shown
    assert "axis: int = -1" in shown
    assert "normalized exponential" in shown
    assert "https://onnx.ai/onnx/operators/onnx__Softmax.html#softmax-13" in shown


def test_hover_shows_element_types(server: LanguageServer, project: Path) -> None:
    assert "y: FLOAT" in hovered(server, project, "y = op")
    assert "opset18: Opset18" in hovered(server, project, "opset18")


def test_completion_lists_the_operators_of_that_opset(server: LanguageServer, project: Path) -> None:
    newer, older = completions(server, project, "    op."), completions(server, project, "    opset13.")
    assert {"Softmax", "LayerNormalization", "BitwiseAnd", "version", "domain"} <= newer.keys()
    assert not {"Gelu", "RMSNormalization"} & newer.keys(), "operators of later opsets"
    assert {"Softmax", "Relu"} <= older.keys()
    assert not {"LayerNormalization", "BitwiseAnd", "Gelu"} & older.keys(), "operators of later opsets"


def test_completion_lists_what_a_tensor_has(server: LanguageServer, project: Path) -> None:
    assert {"dtype", "shape", "rank"} <= completions(server, project, "    return y.").keys()


def test_definition_leads_into_the_stub_of_the_version(server: LanguageServer, project: Path) -> None:
    found = server.at("definition", project, *place("Softmax"))
    assert [Path(item["uri"]).name for item in found] == ["opset13.pyi"]
    stub = LIBRARY / "opwright" / "opsets" / "generated" / "opset13.pyi"
    line = stub.read_text(encoding="utf-8").splitlines()[found[0]["range"]["start"]["line"]]
    assert line.strip().startswith("def Softmax(")


def test_hover_shows_the_signature_and_the_text_of_a_librarys_function(server: LanguageServer, project: Path) -> None:
    shown = html.unescape(hovered(server, project, "Scale")).replace("\\", "")
    assert 'Scale(x: T, *, alpha: float = 0.1, mode: str = "up") -> T' in shown
    assert "Scale of com.acme." in shown and "T: float, double" in shown
    assert "_F_" not in shown and "_T1" not in shown
    assert "z: FLOAT" in hovered(server, project, "z = acme")


def test_signature_help_of_a_librarys_function(server: LanguageServer, project: Path) -> None:
    found = server.at("signatureHelp", project, *place("y, alpha=2"))["signatures"]
    assert [item["label"].partition(",")[0] for item in found] == ["(x: FLOAT", "(x: Floats | NDArray[Any]"]
    assert "Scale of com.acme." in found[0]["documentation"]["value"]


@pytest.mark.long
def test_completion_lists_the_functions_of_a_library_alone(server: LanguageServer, project: Path) -> None:
    found = completions(server, project, "    acme.")
    assert {name for name in found if not name.startswith("__")} == {"Limit", "Scale", "Split2", "Twice"}


@pytest.mark.long
def test_signature_help_names_the_parameters(server: LanguageServer, project: Path) -> None:
    found = server.at("signatureHelp", project, *place("x, axis=1"))
    assert "input:" in found["signatures"][0]["label"]
    assert "axis: int = -1" in found["signatures"][0]["label"]
