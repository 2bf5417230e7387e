"""A library is given as it is at hand: a bundle, a file, a name, a package; one of them or several."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import onnx
import pytest
from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright.bundle.write import write_bundle
from opwright.downlevel.rewrite import convert, polyfill
from opwright.foreign.link import link
from opwright.link.apply import attach
from opwright.link.attachment import plan_attach
from opwright.link.inspect import inspect
from opwright.link.library_forms import given_libraries, given_library
from opwright.link.upgrade import plan_upgrade, upgrade

from tests.link.conftest import parse, refused

_MODEL = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
g (float[N] x) => (float[N] y) { y = com.acme.Twice(x) }"""

_TAKERS: dict[str, Callable[[onnx.ModelProto, Any], Any]] = {
    "attach": attach,
    "plan_attach": lambda model, given: plan_attach(model, given).functions,
    "inspect": inspect,
    "convert": lambda model, given: convert(model, opset=18, libraries=given),
    "polyfill": lambda model, given: polyfill(model, opset=18, libraries=given),
    "link": link,
    "upgrade": lambda model, given: upgrade(attach(model, given), given),
    "plan_upgrade": lambda model, given: plan_upgrade(attach(model, given), given).functions,
}


@pytest.fixture
def file(acme: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """acme, in a file and as a package on the import path."""
    folder = tmp_path / "acme_forms"
    folder.mkdir()
    (folder / "__init__.py").touch()
    path = folder / "acme.onnxlib"
    path.write_bytes(write_bundle(acme.index, acme.bodies))
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    return path


class _Path:
    """An os.PathLike of another package."""

    def __init__(self, path: Path | Exception) -> None:
        self._path = path

    def __fspath__(self) -> str:
        if isinstance(self._path, Exception):
            raise self._path
        return str(self._path)


@pytest.mark.parametrize("name", _TAKERS)
def test_each_function_that_takes_libraries_takes_them_in_any_form(name: str, acme: Bundle, file: Path) -> None:
    take, model = _TAKERS[name], parse(_MODEL)
    expected = take(model, acme)
    for one in (str(file), file, _Path(file), "acme_forms", ModuleType("acme_forms")):
        assert take(model, one) == expected
        assert take(model, [one]) == expected
    assert take(model, (file,)) == expected


def test_a_path_is_a_file_whatever_its_name(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    file.rename("acme")
    assert find_bundle(Path("acme")).index == find_bundle(_Path(Path("acme"))).index


@pytest.mark.parametrize("name", [name for name in _TAKERS if name != "link"])
@pytest.mark.parametrize("given", [3, b"PK", [3], [["acme"]], abs])
def test_anything_else_is_refused_with_what_is_taken(name: str, given: object) -> None:
    found = refused(lambda: _TAKERS[name](parse(_MODEL), given))[0]
    assert found.code == "OW518"
    assert found.message.endswith("is no library")
    assert found.reason == "a Bundle, the path of a .onnxlib file, and an installed package or its name are taken"


@pytest.mark.parametrize("given", [["acme"], {"acme": 1}, iter(["acme"])])
def test_several_libraries_are_no_library(given: Any) -> None:
    found = refused(lambda: given_library(given))[0]
    assert (found.code, found.help) == ("OW518", "give the libraries in it one by one, as `*libraries` does")


def test_a_path_that_raises_and_a_name_that_nothing_has_are_findings() -> None:
    wrong = refused(lambda: given_libraries(_Path(ValueError("not mounted"))))[0]
    assert (wrong.code, wrong.reason) == ("OW518", "ValueError: not mounted")
    assert refused(lambda: given_libraries("acme-form"))[0].code == "OW518"
    assert refused(lambda: given_libraries(f"missing{os.sep}acme.onnxlib"))[0].code == "OW510"
