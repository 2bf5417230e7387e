"""What the compiler warns of arrives as Python's warnings do."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType

import opwright
import pytest
from opwright import FLOAT, Diagnostic, DiagnosticWarning

# The annotation says that the result has the type of the input, and the body makes another: calls go by the body.
TEXT = """from typing import TypeVar

from opwright import DOUBLE, FLOAT, script
from opwright import opset18 as op

T = TypeVar("T", bound=FLOAT[...] | DOUBLE[...])


@script()
def sizes(x: T) -> T:
    return op.Shape(x){comment}


@script()
def twice(x: FLOAT["N"]):
    return sizes(x) + sizes(x)
"""
LINE = 11


def load(folder: Path, comment: str = "") -> ModuleType:
    path = folder / "warned.py"
    path.write_text(TEXT.format(comment=comment), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("warned", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_warning_has_the_place_and_the_finding(tmp_path: Path) -> None:
    module = load(tmp_path)
    with pytest.warns(DiagnosticWarning) as caught:
        module.sizes.to_function_proto()
    (warned,) = caught
    assert (warned.filename, warned.lineno) == (str(tmp_path / "warned.py"), LINE)
    assert isinstance(warned.message, DiagnosticWarning)
    found = warned.message.diagnostic
    assert isinstance(found, Diagnostic)
    assert found.code == "OW210"
    assert found.place is not None
    assert found.place.line == LINE
    text = str(warned.message)
    assert text.startswith(f"OW210: {found.message}\n")
    assert f"help: {found.help}" in text


def test_once_for_each_compile(tmp_path: Path) -> None:
    module = load(tmp_path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module.twice.to_model_proto()
        module.twice.to_model_proto()
        module.sizes.to_function_proto()
    assert len(caught) == 1
    with pytest.warns(DiagnosticWarning) as again:
        module.sizes.to_function_proto(17)
    assert len(again) == 1


def test_a_model_of_the_function_itself(tmp_path: Path) -> None:
    with pytest.warns(DiagnosticWarning, match="OW210"):
        load(tmp_path).sizes.to_model_proto(input_types=[FLOAT["N"]])


def test_filters_hold(tmp_path: Path) -> None:
    module = load(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DiagnosticWarning, match="OW210"):
            module.sizes.to_function_proto()
        warnings.simplefilter("ignore", DiagnosticWarning)
        module.sizes.to_function_proto(19)


def test_a_comment_silences_it(tmp_path: Path) -> None:
    module = load(tmp_path, "  # opwright: ignore[OW210] sizes are integers")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module.sizes.to_function_proto()


def test_text_that_lies_nowhere() -> None:
    function = opwright.compile_source(TEXT.format(comment=""), "sizes")
    with pytest.warns(DiagnosticWarning) as caught:
        function.to_function_proto()
    assert caught[0].lineno == LINE


def test_python_shows_it_by_itself(tmp_path: Path) -> None:
    load(tmp_path)
    code = "import warned; warned.sizes.to_function_proto()"
    paths = [str(tmp_path), str(Path(opwright.__file__).parents[1])]
    run = f"import sys; sys.path[:0] = {paths!r}; {code}"
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True)
    assert done.stderr.count("DiagnosticWarning: OW210") == 1
    assert f"warned.py:{LINE}: " in done.stderr
    assert "return op.Shape(x)" in done.stderr
